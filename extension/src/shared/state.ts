// Messages between the worker and the popup or options page.

import type { Account } from './protocol'

/** The service and session of this browser. */
export interface Pairing {
  /** Origin of the service. */
  service: string
  token: string
  team: { id: string; name: string }
  member: { id: string; email: string }
}

/** One line of the activity log: a completed or failed task. */
export interface Deed {
  /** Milliseconds since 1970. */
  at: number
  task_type: string
  /** The target, as the task names it. */
  about: string
  /** Absent on success. */
  error?: { code: string; message: string }
}

/** This browser's use of an allowance. */
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
  /** Reason for the end of the connection, until the member acts. */
  ended?: 'revoked' | 'replaced'
  paused: boolean
  connected?: 'socket' | 'poll'
  account: Account
  running?: { task_type: string; about: string; since: number }
  uses: Use[]
  /** Newest first. */
  deeds: Deed[]
}

export type FromUI =
  | { type: 'state' }
  | ({ type: 'pair' } & Pairing)
  | { type: 'unpair' }
  | { type: 'pause'; on: boolean }
  /** Takes the session over from another browser. */
  | { type: 'reconnect' }
