import { Fault } from '../shared/fault'
import { isTaskType, taskTypes, type TaskType, type TaskTypeRow } from '../shared/protocol'

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

const paths = { member: memberPath, company: companyPath, post: postPath, thread: threadPath }

/** Path of the page on which a task begins: see Addresses in adapter.ts. */
export function startOf(type: TaskType, input: unknown): string {
  if (!isTaskType(type)) throw new Fault('invalid_input', `unknown task type "${String(type)}"`)
  const { page, names }: TaskTypeRow = taskTypes[type]
  return page && names ? paths[page]((input as Record<string, unknown> | null)?.[names]) : accountPath
}
