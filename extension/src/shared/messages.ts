// Messages between the injected page script and the worker.

import type { Account, Post, TaskError } from './protocol'
import type { Target } from './state'

/** The state of a write on a page: see Looked in page/task.ts. */
export interface Witness {
  /** The page's state of a like or invitation. */
  done?: boolean
  /** Number of own comments or messages with the same text. */
  count?: number
}

/** The account that pages showed; undefined when they showed none. */
export interface Seen {
  account?: Account
}

/** Result of pageAgent.look. */
export type LookAnswer = Seen & ({ witness: Witness; output: unknown; target?: Target } | { error: TaskError })

/** A page's answer to the question whether it still works. */
export interface Pulse {
  /** Number of answers that the network has given to the page script. */
  steps: number
}

/** Posts of a scan. The answer false ends the run. */
export interface PartMessage {
  type: 'part'
  task: string
  run: string
  seq: number
  posts: Post[]
}

/** The outcome of a run. */
export interface OutcomeMessage extends Seen {
  type: 'outcome'
  task: string
  run: string
  /** Number of parts sent before. */
  parts: number
  output?: unknown
  error?: TaskError
}

export type FromPage = PartMessage | OutcomeMessage
