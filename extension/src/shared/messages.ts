// What the injected page script and the worker tell each other.

import type { Account, Post, TaskError } from './protocol'

/** What a page showed of a write: see Looked in page/task.ts. */
export interface Witness {
  /** The page's own state of likes and invitations. */
  done?: boolean
  /** Number of own comments or messages with the same text. */
  count?: number
}

/** What pages said of the account; undefined when they said nothing. */
export interface Seen {
  account?: Account
}

/** Answer of pageAgent.look. */
export type LookAnswer = Seen & ({ witness: Witness; output: unknown } | { error: TaskError })

/** Posts that a scan has found. The answer false ends the run. */
export interface PartMessage {
  type: 'part'
  task: string
  run: string
  seq: number
  posts: Post[]
}

/** How a run ended. */
export interface OutcomeMessage extends Seen {
  type: 'outcome'
  task: string
  run: string
  /** How many parts went before. */
  parts: number
  output?: unknown
  error?: TaskError
}

export type FromPage = PartMessage | OutcomeMessage
