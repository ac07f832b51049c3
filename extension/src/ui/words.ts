// Texts for the extension's tasks.

const deeds: Record<string, string> = {
  agent_profile_fetch: 'Read the profile',
  agent_company_fetch: 'Read the company page',
  agent_profiles_posts_fetch: 'Read the posts of',
  agent_company_posts_fetch: 'Read the posts of',
  agent_profiles_search: 'Searched people',
  agent_connections_fetch: 'Read your connections',
  agent_like_post: 'Liked the post',
  agent_comment_post: 'Commented on the post',
  agent_send_message: 'Sent a message to',
  agent_send_connection_request: 'Sent an invitation to',
  keyword_scan: 'Searched posts for',
  forum_scan: 'Searched the forum for',
  people_scan: 'Looked for new posts of',
  company_scan: 'Looked for new posts of',
}

const present: [RegExp, string][] = [
  [/^Read /, 'Reading '], [/^Searched /, 'Searching '], [/^Liked /, 'Liking '], [/^Commented /, 'Commenting '],
  [/^Sent /, 'Sending '], [/^Looked /, 'Looking '],
]

/** A finished task: "Read the profile". */
export const deedOf = (type: string): string => deeds[type] ?? type

/** A running task: "Reading the profile". */
export const doingOf = (type: string): string => present.reduce((text, [past, now]) => text.replace(past, now), deedOf(type))

/** The symbol of a task type: that of a read, or of a kind of write. */
export const symbolOf = (type: string): string =>
  type === 'agent_like_post' ? 'like' : type === 'agent_comment_post' ? 'comment' : type === 'agent_send_message' ? 'message'
    : type === 'agent_send_connection_request' ? 'invite' : 'read'

export const allowanceNames: Record<string, string> = {
  keyword_scan: 'Keyword searches',
  people_scan: 'People scans',
  company_scan: 'Company scans',
  profile_fetch: 'Profiles read',
  company_fetch: 'Companies read',
  profile_search: 'People searches',
  message: 'Messages',
  like: 'Likes',
  comment: 'Comments',
  invitation: 'Weekly invites',
}

/** The name at the end of a URN or address; other text unchanged. */
export const shortly = (about: string): string => {
  const name = about.startsWith('urn:') ? about.slice(about.lastIndexOf(':') + 1) : about
  return name.length > 60 ? `${name.slice(0, 59)}…` : name
}

/** A time in short form: "now", "4 min", "14:05", "3 Nov". */
export function ago(at: number, now: number): string {
  const minutes = Math.floor((now - at) / 60_000)
  if (minutes < 1) return 'now'
  if (minutes < 60) return `${minutes} min`
  const date = new Date(at)
  return minutes < 24 * 60
    ? date.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
    : date.toLocaleDateString([], { day: 'numeric', month: 'short' })
}
