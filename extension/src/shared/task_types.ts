// The task types as the service has them. Generated from watchpost/task_types.go:
//
//	go test ./watchpost -run TestTaskTypesOfTheExtension -update

/** What a session knows of a task type. */
export interface TaskTypeRow {
  /** The class of its symbol. */
  symbol: string
  /** The kind of page on which it begins, that of the person, company or post that the field names; absent: any page of the account. */
  page?: 'member' | 'company' | 'post' | 'thread'
  names?: string
  /**
   * Of a write; shown: the page alone shows whether it is done, so that repeating it cannot do it twice; needless: the error
   * of one that the page shows as done before it began, absent if that is as good as done.
   */
  write?: { shown: boolean; needless?: string }
}

export const taskTypes = {
  agent_like_post: { symbol: 'like', page: 'post', names: 'social_urn', write: { shown: true } },
  agent_comment_post: { symbol: 'comment', page: 'post', names: 'social_urn', write: { shown: false } },
  agent_send_connection_request: { symbol: 'invite', page: 'member', names: 'profile_urn', write: { shown: true } },
  agent_withdraw_invitation: { symbol: 'invite', page: 'member', names: 'profile_urn', write: { shown: true, needless: 'not_invited' } },
  agent_send_message: { symbol: 'message', page: 'thread', names: 'recipient_urn', write: { shown: false } },
  agent_profile_fetch: { symbol: 'person', page: 'member', names: 'profile_slug' },
  agent_company_fetch: { symbol: 'company', page: 'company', names: 'company_slug' },
  agent_profiles_posts_fetch: { symbol: 'posts' },
  agent_company_posts_fetch: { symbol: 'posts', page: 'company', names: 'company_slug' },
  agent_profiles_search: { symbol: 'search' },
  agent_connections_fetch: { symbol: 'people' },
  keyword_scan: { symbol: 'search' },
  people_scan: { symbol: 'posts', page: 'member', names: 'profile' },
  company_scan: { symbol: 'posts', page: 'company', names: 'company' },
  forum_scan: { symbol: 'search' },
} as const satisfies Record<string, TaskTypeRow>

export type TaskType = keyof typeof taskTypes
export type WriteType = { [T in TaskType]: (typeof taskTypes)[T] extends { write: object } ? T : never }[TaskType]
export type ReadType = Exclude<TaskType, WriteType>

// The inputs.
export interface LikeInput { social_urn: string; actor_type?: string; company_title?: string }
export interface CommentInput { social_urn: string; actor_type?: string; company_title?: string; comment_text: string }
export interface InvitationInput { profile_urn: string; note?: string }
export interface WithdrawalInput { profile_urn: string }
export interface MessageInput { recipient_urn: string; message: string }
export interface ProfileInput { profile_slug: string }
export interface CompanyInput { company_slug: string }
export interface ProfilesPostsInput { profile_urns: string[] }
export interface SearchInput { keywords?: string; title?: string; company?: string; first_name?: string; last_name?: string; school?: string; location?: string; geo_urn?: string[]; current_company?: string[]; industry?: string[]; past_company?: string[]; profile_language?: string[]; count?: number }
export interface ConnectionsInput { keyword?: string; sort_type?: string; start?: number; count?: number }
export interface ScanInput { keyword?: string; profile?: string; company?: string; since: string }

export interface Inputs {
  agent_like_post: LikeInput
  agent_comment_post: CommentInput
  agent_send_connection_request: InvitationInput
  agent_withdraw_invitation: WithdrawalInput
  agent_send_message: MessageInput
  agent_profile_fetch: ProfileInput
  agent_company_fetch: CompanyInput
  agent_profiles_posts_fetch: ProfilesPostsInput
  agent_company_posts_fetch: CompanyInput
  agent_profiles_search: SearchInput
  agent_connections_fetch: ConnectionsInput
  keyword_scan: ScanInput
  people_scan: ScanInput
  company_scan: ScanInput
  forum_scan: ScanInput
}
