import type { Account, TaskType } from '../shared/protocol'
import { challenged, nobody } from '../network/account'
import { startOf as pathOf } from '../network/paths'

/** The site's own API says who is signed in. */
export const accountPath = '/api/me'

/** The layouts that this adapter supports; the site shows an account one of them. */
export const layouts = ['a', 'b'] as const
export type Layout = (typeof layouts)[number]

/** The forum's origin: a separate host where the network has a name, otherwise the network's. */
export function forumOf(network: string): string {
  const url = new URL(network)
  if (url.hostname.includes('.') && !/^[\d.]+$/.test(url.hostname) && !url.hostname.startsWith('forum.')) url.hostname = `forum.${url.hostname}`
  return url.origin
}

export const originsOf = (network: string): string[] => [...new Set([network, forumOf(network)])]

export const startOf = (type: TaskType, input: unknown, network: string): string =>
  type === 'forum_scan' ? `${forumOf(network)}/forum` : pathOf(type, input)

export function accountIn(status: number, body: string): Account | undefined {
  if (status >= 500) return undefined
  let data: { kind?: unknown; layout?: unknown; viewer?: { urn?: unknown; slug?: unknown; name?: unknown } } | null
  try {
    data = JSON.parse(body)
  } catch {
    return undefined
  }
  if (data?.kind === 'sign_in') return nobody
  if (!layouts.some(one => one === data?.layout)) return undefined
  if (data?.kind === 'challenge') return challenged
  const { urn, slug, name } = data?.viewer ?? {}
  return typeof urn === 'string' && urn && typeof slug === 'string' && slug && typeof name === 'string' ? { urn, slug, name, signed_in: true } : undefined
}
