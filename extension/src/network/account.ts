import type { Account } from '../shared/protocol'

/** Reads the signed-in account from the response at accountPath: see Addresses in adapter.ts. */
export function accountIn(status: number, html: string): Account | undefined {
  if (status >= 500) return undefined
  const body = attributesOf('body', html)
  if (body['data-layout'] !== layout) return undefined
  const kind = body['data-page']
  if (kind === 'sign_in') return nobody
  if (kind === 'challenge') return challenged
  const { 'data-viewer': urn, 'data-slug': slug, 'data-name': name } = attributesOf('details class="account"', html)
  return urn && slug && name !== undefined ? { urn, slug, name, signed_in: true } : undefined
}

/** No account is signed in. */
export const nobody: Account = { urn: '', slug: '', name: '', signed_in: false }
/** The network shows a human check instead of its pages. */
export const challenged: Account = { ...nobody, challenge: true }

/** The page layout that this adapter supports. */
export const layout = '1'

/**
 * The attributes of the first tag that begins with the given text. The worker
 * has no HTML parser; the site escapes attribute values, so the next > ends the
 * tag.
 */
function attributesOf(tag: string, html: string): Record<string, string> {
  const found = new RegExp(`<${tag}([^>]*)>`).exec(html)?.[1] ?? ''
  return Object.fromEntries([...found.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, key, value]) => [key!, unescaped(value!)]))
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

const unescaped = (value: string): string =>
  value.replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, decimal: string | undefined, hex: string | undefined, named: string | undefined) =>
    named !== undefined ? entities[named] ?? whole : String.fromCodePoint(decimal !== undefined ? Number(decimal) : parseInt(hex!, 16)))
