import { Fault } from '../shared/fault'
import type { TaskType } from '../shared/protocol'

/** A light page that shows the signed-in account. */
export const accountPath = '/invitations'

/**
 * The identifying part of ref: a slug, an id, the last part of a URN, or a path
 * segment after one of the folders in an address of any host. It is escaped;
 * the origin is never taken from ref.
 */
export function reference(ref: unknown, ...folders: string[]): string {
  let name = typeof ref === 'string' ? ref.trim() : ''
  if (name.includes('/')) {
    const folder = folders.find(f => name.includes(`/${f}/`))
    name = folder === undefined ? '' : name.slice(name.indexOf(`/${folder}/`) + folder.length + 2).split(/[/?#]/, 1)[0]!
    try {
      name = decodeURIComponent(name)
    } catch { /* a per cent sign that escapes nothing stands for itself */ }
  }
  if (name.startsWith('urn:')) name = name.slice(name.lastIndexOf(':') + 1)
  if (name === '' || name === '.' || name === '..') throw new Fault('invalid_input', 'nothing that names a page')
  return encodeURIComponent(name)
}

export const memberPath = (ref: unknown) => `/in/${reference(ref, 'in')}`
export const companyPath = (ref: unknown) => `/company/${reference(ref, 'company', 'school', 'showcase')}`
export const postPath = (ref: unknown) => `/posts/${reference(ref, 'posts', 'update')}`
export const threadPath = (ref: unknown) => `/messages/${reference(ref, 'in')}`

/** Path of the page on which a task begins: see Addresses in adapter.ts. */
export function startOf(type: TaskType, input: unknown): string {
  const field = (name: string) => (input as Record<string, unknown> | null)?.[name]
  switch (type) {
    case 'agent_profile_fetch': return memberPath(field('profile_slug'))
    case 'agent_company_fetch':
    case 'agent_company_posts_fetch': return companyPath(field('company_slug'))
    case 'agent_like_post':
    case 'agent_comment_post': return postPath(field('social_urn'))
    case 'agent_send_message': return threadPath(field('recipient_urn'))
    case 'agent_send_connection_request': return memberPath(field('profile_urn'))
    case 'people_scan': return memberPath(field('profile'))
    case 'company_scan': return companyPath(field('company'))
    case 'agent_profiles_posts_fetch':
    case 'agent_profiles_search':
    case 'agent_connections_fetch':
    case 'keyword_scan':
    case 'forum_scan': return accountPath
    default: throw new Fault('invalid_input', `unknown task type "${String(type)}"`)
  }
}
