// Messages between the worker and the popup or options page.

import type { Condition } from './condition'
import type { PauseFor } from './pace'
import type { Account, AllowanceState, ErrorCode, Pace } from './protocol'

/** The service and session of this browser. */
export interface Pairing {
  /** Origin of the service. */
  service: string
  /** Origin of the network; absent in a pairing of an older version. */
  network?: string
  token: string
  team: { id: string; name: string }
  member: { id: string; email: string }
}

/** What a task was about, as the network's page showed it or the task named it. */
export interface Target {
  /** Name of a person or company, or the beginning of a post; without a page that showed it, the name in its address. */
  name: string
  url?: string
  /** Author of a post. */
  by?: { name: string; url?: string }
}

/** One line of the activity log: a completed or failed task. */
export interface Deed {
  task: string
  /** Milliseconds since 1970. */
  at: number
  task_type: string
  /** Absent when no page showed it. */
  target?: Target
  /** What the task searched for, or the text that it wrote. */
  text?: string
  /** Number of posts or people that it found. */
  count?: number
  /** Absent on success. */
  error?: { code: ErrorCode; message: string }
}

export interface State {
  version: string
  /** Origin of the network; "" while it is not known. */
  network: string
  /** Absent in an unpaired browser. */
  pairing?: Omit<Pairing, 'token'>
  condition: Condition
  paused: boolean
  /** How the member wants writes to be done. */
  writes: Pace
  /** The write about which the member is asked. */
  question?: Question
  /** Seconds between two tasks. */
  pace: number
  transport?: 'socket' | 'poll'
  /** The account that this browser is signed in to. */
  account: Account
  /** The account that the member works as, as far as the service has told. */
  bound?: Account
  /** Number of tasks of the team that could run on the account. */
  waiting: number
  /** The account's use of its allowances, in all browsers together. */
  allowances: AllowanceState[]
  running?: Deed
  /** Whether the member may return the running task. */
  skippable: boolean
  /** Newest first. */
  deeds: Deed[]
  /** How unpairing ended: the service has revoked the session, or cannot be reached yet. */
  unpaired?: 'revoked' | 'later'
}

/** A write that the member may allow. */
export interface Question {
  deed: Deed
  /** The full text that it writes; "" for a like. */
  text: string
  /** The page of the network on which it would be done. */
  url?: string
}

/** The worker's answer when it did not start. */
export interface Failure {
  failed: string
}

export type FromUI =
  | { type: 'state' }
  | ({ type: 'pair' } & Pairing)
  /** Ends a session that the member does not agree to. */
  | { type: 'decline'; service: string; token: string }
  | { type: 'unpair' }
  /** Deletes the log that a revoked pairing has left. */
  | { type: 'forget_log' }
  | { type: 'pause'; on: true; how: PauseFor }
  | { type: 'pause'; on: false }
  /** How the member wants writes to be done. */
  | { type: 'writes'; pace: Pace }
  /** The member's answer to a question. */
  | { type: 'answer'; task: string; allow: boolean }
  | { type: 'pace'; seconds: number }
  /** Confirms the account of this browser as the one that the member works as. */
  | { type: 'bind' }
  /** Returns the running task. */
  | { type: 'skip' }
  /** Connects now or, connected, has tried again what the network's answers have stopped. */
  | { type: 'retry' }
  /** Takes the session over from another browser. */
  | { type: 'reconnect' }
