// The state of the extension for the member: one, by a fixed order of
// importance, from which pill, sentence and button follow.

import type { Account, BlockedReason, Status } from './protocol'

/** The states, the most important first. */
export const kinds = [
  'failed', // the worker did not start
  'revoked', 'unpaired', 'replaced',
  'no_access', // the browser withholds the network's pages
  'paused',
  'unreachable', 'connecting',
  'bind_refused', // other_account, and another member works as that account
  'other_account', 'account_in_use', 'challenge', 'signed_out',
  'asking', // the member, before a write
  'slow', // the page of the running task
  'page_not_understood', 'new_claim', 'network_limit', 'released', 'plan',
  'working',
  'member_pace', // writes wait for the member's hours, or for the end of a pause
  'idle',
] as const

export type Kind = typeof kinds[number]
export type Tone = 'good' | 'wait' | 'bad' | 'off'
/** What the button of a state does. */
export type Button = 'restart' | 'pair' | 'take_over' | 'grant' | 'resume' | 'retry' | 'sign_in' | 'open_check' | 'skip'

export interface Condition {
  kind: Kind
  /** When the state began, in milliseconds since 1970. */
  since?: number
  /** When it ends by itself, in milliseconds since 1970; absent: unknown. */
  until?: number
  /** The task types that it concerns; absent: all. */
  types?: string[]
  /** The member may have it tried again before. */
  retry?: true
}

export const toneOf: Record<Kind, Tone> = {
  failed: 'bad', revoked: 'bad', unpaired: 'off', replaced: 'wait', no_access: 'bad', paused: 'off', unreachable: 'bad', connecting: 'wait',
  bind_refused: 'bad', other_account: 'bad', account_in_use: 'bad', challenge: 'bad', signed_out: 'bad', asking: 'wait', slow: 'wait',
  page_not_understood: 'wait', new_claim: 'wait', network_limit: 'wait', released: 'wait', plan: 'wait', working: 'good', member_pace: 'off', idle: 'good',
}

export const buttonOf: Partial<Record<Kind, Button>> = {
  failed: 'restart', revoked: 'pair', unpaired: 'pair', replaced: 'take_over', no_access: 'grant', paused: 'resume', unreachable: 'retry',
  bind_refused: 'sign_in', other_account: 'sign_in', challenge: 'open_check', signed_out: 'sign_in', slow: 'skip',
  page_not_understood: 'retry', network_limit: 'retry',
}

/** What the worker knows. */
export interface Facts {
  paired: boolean
  ended?: 'revoked' | 'replaced' | undefined
  /** Whether the extension may read the network's pages. */
  access: boolean
  paused: boolean
  /** When the pause ends by itself, in milliseconds since 1970. */
  pausedUntil?: number | undefined
  connected: boolean
  /** When the connection was lost, while attempts fail. */
  lostAt?: number | undefined
  account: Account
  /** The service's view, of the present connection. */
  status?: Status | undefined
  working: boolean
  /** Since when the member is asked about a write. */
  askedSince?: number | undefined
  /** Since when the running task waits for its page, while that is long. */
  slowSince?: number | undefined
}

/** The most important state that holds. */
export function conditionOf(facts: Facts): Condition {
  const { status, account } = facts
  const blocked = new Map<BlockedReason, Condition>()
  for (const { reason, task_types: types = [], until, retry } of status?.blocked ?? []) {
    // Several blocks of one reason are one state: it ends when the first ends.
    const ends = Date.parse(until ?? ''), known = blocked.get(reason)
    const one: Condition = known ?? { kind: reason }
    if (!Number.isNaN(ends)) one.until = Math.min(one.until ?? ends, ends)
    const all = types.length === 0 || known !== undefined && known.types === undefined
    if (all) delete one.types
    else one.types = [...one.types ?? [], ...types]
    if (retry) one.retry = true
    blocked.set(reason, one)
  }
  const holds: Partial<Record<Kind, boolean>> = {
    revoked: facts.ended === 'revoked', unpaired: !facts.paired, replaced: facts.ended === 'replaced',
    no_access: !facts.access, paused: facts.paused,
    unreachable: !facts.connected && facts.lostAt !== undefined, connecting: !facts.connected,
    bind_refused: blocked.has('other_account') && blocked.has('account_in_use'),
    challenge: account.challenge === true, signed_out: !account.signed_in && account.challenge !== true,
    asking: facts.askedSince !== undefined, slow: facts.slowSince !== undefined, working: facts.working, idle: true,
  }
  for (const kind of kinds) {
    // This browser knows best whether it is signed in: the service's word may be older.
    if (kind === 'signed_out' && account.signed_in) continue
    const block = blocked.get(kind as BlockedReason)
    if (block) return block
    if (!holds[kind]) continue
    const since = { unreachable: facts.lostAt, asking: facts.askedSince, slow: facts.slowSince }[kind as string]
    const until = kind === 'paused' ? facts.pausedUntil : undefined
    return { kind, ...since !== undefined && { since }, ...until !== undefined && { until } }
  }
  return { kind: 'idle' }
}
