// Signs in to the service on behalf of the options page.

import type { SignInReply } from '../shared/protocol'

/** The origin of a typed address; an Error explains a wrong one. */
export function originOf(address: string): string {
  let url: URL
  try {
    url = new URL(address.trim())
  } catch {
    throw new Error('That is no address. It looks like https://watchpost.example.com.')
  }
  const loopback = url.hostname === 'localhost' || url.hostname.endsWith('.localhost') || /^127\./.test(url.hostname) || url.hostname === '[::1]'
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && loopback)) throw new Error('The address must begin with https://.')
  return url.origin
}

/** Asks the service to mail a one-time code. */
export async function sendCode(service: string, email: string): Promise<void> {
  await post(`${service}/network-agent/auth-send-otp`, { email })
}

/** Redeems a pairing code, or an email with its one-time code. */
export const signIn = (service: string, by: { code: string } | { email: string; otp: string }): Promise<SignInReply> =>
  post(`${service}/extension/sign-in`, by) as Promise<SignInReply>

async function post(url: string, body: unknown): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' }, credentials: 'omit',
  }).catch(() => { throw new Error(`There is no Watchpost at ${new URL(url).host}, or it does not know this extension.`) })
  const answer = await response.json().catch(() => ({})) as { error?: string }
  if (!response.ok) throw new Error(answer.error ? `${answer.error}.` : `The service answered ${response.status}.`)
  return answer
}
