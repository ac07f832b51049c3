// What the popup and the options page know of the worker, and tell it.

import type { Account } from './protocol'

/** Whom this browser works for. */
export interface Pairing {
  /** Origin of the service. */
  service: string
  token: string
  team: { id: string; name: string }
  member: { id: string; email: string }
}

/** One line of the diary: something that was done, or tried, on the network. */
export interface Deed {
  /** Milliseconds since 1970. */
  at: number
  task_type: string
  /** What it was done to, as the task names it. */
  about: string
  /** Absent when it was done. */
  error?: { code: string; message: string }
}

/** How much of an allowance this browser has used. */
export interface Use {
  action: string
  used: number
  limit: number
  period: 'day' | 'week'
}

export interface State {
  version: string
  network: string
  pairing?: Omit<Pairing, 'token'>
  /** Why there is no connection for good, until the member does something. */
  ended?: 'revoked' | 'replaced'
  paused: boolean
  connected?: 'socket' | 'poll'
  account: Account
  running?: { task_type: string; about: string; since: number }
  uses: Use[]
  /** The newest first. */
  deeds: Deed[]
}

export type FromUI =
  | { type: 'state' }
  | ({ type: 'pair' } & Pairing)
  | { type: 'unpair' }
  | { type: 'pause'; on: boolean }
  /** Takes the session over from another browser. */
  | { type: 'reconnect' }
