// Signs in to the service on behalf of the options page.

import type { Invitation, SignInReply } from '../shared/protocol'
import { readInvitations, readSignIn } from '../shared/schema'
import { t } from './i18n'

/** A refused value of a field, with what to do. */
export class Refusal extends Error {
  constructor(readonly field: 'code' | 'email' | 'otp' | 'service', key: string, ...parts: string[]) { super(t(key, ...parts)) }
}

/** A way to sign in. With accept, the id of an invitation, the member joins its team. */
export type By = { code: string } | { email: string; otp: string; accept?: string }

/** A member without a team has to choose an invitation. The code can still be used. */
export class Invited extends Error {
  constructor(readonly invitations: Invitation[]) { super(t('choose_team')) }
}

/** The origin of a typed address, which may lack https://; a Refusal explains a wrong one. */
export function originOf(address: string): string {
  const typed = address.trim()
  const url = /^[a-z][a-z\d+.-]*:\/\//i.test(typed) ? parsed(typed) : completed(typed)
  // Chromium takes a space in a host for %20.
  if (!url || !/^[\w.-]+$|^\[/.test(url.hostname)) throw new Refusal('service', 'bad_address')
  if (!secure(url)) throw new Refusal('service', 'insecure_address')
  return url.origin
}

/** The service at a typed address. A build for one network connects to one service only. */
export function serviceAt(address: string): string {
  const origin = originOf(address)
  if (NETWORK_ORIGIN && origin !== SERVICE_ORIGIN) throw new Refusal('service', 'other_service', new URL(SERVICE_ORIGIN).host)
  return origin
}

/** An address without its scheme: that of the member's own computer has no https. */
function completed(typed: string): URL | undefined {
  const url = parsed(`https://${typed}`)
  return url && isLoopback(url.hostname) ? parsed(`http://${typed}`) : url
}

const parsed = (address: string): URL | undefined => URL.canParse(address) ? new URL(address) : undefined

const isLoopback = (host: string): boolean => host === 'localhost' || host.endsWith('.localhost') || host === '127.0.0.1'

/** Whether an address is one of https or of this computer. */
const secure = ({ protocol, hostname }: URL): boolean => protocol === 'https:' || protocol === 'http:' && isLoopback(hostname)

/** Origin of the network that the team works on. A build for one network refuses teams of another. */
export function networkOf(service: string, { network = NETWORK_ORIGIN }: SignInReply): string {
  const url = parsed(network)
  if (!url || !secure(url)) throw new Refusal('service', 'no_network', new URL(service).host)
  if (NETWORK_ORIGIN && url.origin !== NETWORK_ORIGIN) throw new Refusal('service', 'other_network', url.host, new URL(NETWORK_ORIGIN).host)
  return url.origin
}

/** Asks the service to mail a one-time code. */
export async function sendCode(service: string, email: string): Promise<void> {
  const { status, body } = await post(`${service}/network-agent/auth-send-otp`, { email })
  if (status === 400) throw new Refusal('email', 'no_team')
  expectOK(status, body, 'email')
}

/** Redeems a pairing code, or an email with its one-time code; Invited names the teams that a member without one may join. */
export async function signIn(service: string, by: By): Promise<SignInReply> {
  const { status, body } = await post(`${service}/extension/sign-in`, by)
  const field = 'code' in by ? 'code' : 'otp'
  const invitations = readInvitations(body)
  if (status === 404 && invitations.length > 0) throw new Invited(invitations)
  if (status === 404 && field === 'otp' && body.error === 'No team for this email') throw new Refusal('email', 'no_team')
  if (status === 401 || status === 400) throw new Refusal(field, field === 'code' ? 'wrong_code' : 'wrong_otp')
  expectOK(status, body, field)
  const reply = readSignIn(body)
  if (!reply) throw new Refusal('service', 'no_service', new URL(service).host)
  return reply
}

function expectOK(status: number, body: { error?: string }, field: Refusal['field']): void {
  if (status === 429) throw new Refusal(field, 'too_many')
  if (status !== 200) throw new Refusal('service', 'service_said', body.error ?? String(status))
}

async function post(url: string, body: unknown): Promise<{ status: number; body: { error?: string } }> {
  const response = await fetch(url, {
    method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' }, credentials: 'omit',
  }).catch(() => { throw new Refusal('service', 'no_service', new URL(url).host) })
  return { status: response.status, body: await response.json().catch(() => ({})) as { error?: string } }
}
