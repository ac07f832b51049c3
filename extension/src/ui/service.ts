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

/** The origin of a typed address; a Refusal explains a wrong one. */
export function originOf(address: string): string {
  let url: URL
  try {
    url = new URL(address.trim())
  } catch {
    throw new Refusal('service', 'bad_address')
  }
  if (!secure(url)) throw new Refusal('service', 'insecure_address')
  return url.origin
}

/** The service at a typed address. A build for one network connects to one service only. */
export function serviceAt(address: string): string {
  const origin = originOf(address)
  if (NETWORK_ORIGIN && origin !== SERVICE_ORIGIN) throw new Refusal('service', 'other_service', new URL(SERVICE_ORIGIN).host)
  return origin
}

/** Whether an address is one of https or of this computer. */
function secure({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || protocol === 'http:' && (hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '127.0.0.1')
}

/** Origin of the network that the team works on. A build for one network refuses teams of another. */
export function networkOf(service: string, { network = NETWORK_ORIGIN }: SignInReply): string {
  const url = URL.canParse(network) ? new URL(network) : undefined
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
