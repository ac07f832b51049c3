// Pairing links: the address of a service with a pairing code in the fragment,
// which browsers send to no server.

/** Path of the page of the dashboard that pairing links open. */
const path = '/app/pair'

/** The scheme under which Firefox hands links to the extension: see manifest.mjs. */
const scheme = /^ext\+watchpost:/i

/** A pairing link of the service at an origin. */
export const linkTo = (service: string, code: string): string => `${service}${path}#${code}`

/** The service and code of a pairing link; undefined when the text is none. */
export function readLink(text: string): { service: string; code: string } | undefined {
  const link = text.trim().replace(scheme, '')
  if (!URL.canParse(link)) return undefined
  const { protocol, origin, pathname, hash } = new URL(link)
  return /^https?:$/.test(protocol) && pathname === path && isCode(hash.slice(1)) ? { service: origin, code: hash.slice(1) } : undefined
}

/** Whether a text has the form of a pairing code. */
export const isCode = (text: unknown): text is string => typeof text === 'string' && /^[0-9a-z]{8,32}$/i.test(text)
