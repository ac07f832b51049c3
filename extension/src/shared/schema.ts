// Checks what the service sends. A frame of another shape is ignored like an
// unknown one.

import * as v from 'valibot'
import type { FromService, Invitation, SignInReply } from './protocol'

const account = v.object({ urn: v.string(), slug: v.string(), name: v.string(), signed_in: v.boolean(), challenge: v.optional(v.boolean()) })
const heartbeat = v.optional(v.pipe(v.number(), v.minValue(1), v.maxValue(300)))
const id = v.pipe(v.string(), v.nonEmpty(), v.maxLength(200))

const frame = v.variant('type', [
  v.object({
    type: v.literal('welcome'), session: v.optional(v.string()), member: v.optional(v.object({ id: v.string(), email: v.string() })),
    heartbeat_s: heartbeat, lease_s: v.optional(v.number()), server_time: v.optional(v.string()),
  }),
  v.object({
    type: v.literal('status'), account: v.optional(account), waiting: v.optional(v.number(), 0),
    blocked: v.optional(v.array(v.object({ reason: v.string(), task_types: v.optional(v.array(v.string())), until: v.optional(v.string()), retry: v.optional(v.boolean()) })), []),
    allowances: v.optional(v.array(v.object({ action: v.string(), used: v.number(), limit: v.number(), resets_at: v.string() })), []),
    heartbeat_s: heartbeat,
  }),
  v.object({
    type: v.literal('task'), task: id, lease: v.string(), attempt: v.number(), task_type: v.string(), input: v.unknown(), deadline: v.optional(v.string()),
    restored: v.optional(v.boolean()),
  }),
  v.object({ type: v.literal('go'), task: id, lease: v.string() }),
  v.object({ type: v.literal('ack'), task: id, seq: v.optional(v.number()) }),
  v.object({ type: v.literal('cancel'), task: id }),
  v.object({ type: v.literal('revoked') }),
])

/** A frame of the service; undefined when it has another shape or an unknown type. */
export function readFrame(raw: unknown): FromService | undefined {
  const read = v.safeParse(frame, raw)
  return read.success ? read.output as FromService : undefined
}

const signIn = v.object({
  session_token: v.pipe(v.string(), v.nonEmpty()), team: v.object({ id: v.string(), name: v.string() }),
  member: v.object({ id: v.string(), email: v.string() }), network: v.optional(v.string()),
})

/** The reply to a sign-in; undefined when it has another shape. */
export function readSignIn(raw: unknown): SignInReply | undefined {
  const read = v.safeParse(signIn, raw)
  return read.success ? read.output as SignInReply : undefined
}

const invitations = v.object({ invitations: v.array(v.object({ id, team_name: v.string(), invited_by: v.string() })) })

/** The pending invitations that a refused sign-in names; none when it names none. */
export function readInvitations(raw: unknown): Invitation[] {
  const read = v.safeParse(invitations, raw)
  return read.success ? read.output.invitations : []
}
