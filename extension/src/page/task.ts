import type { Pages } from '../network/adapter'
import type { Post } from '../shared/protocol'
import type { Witness } from '../shared/messages'

/** What a read works with. */
export interface Run {
  pages: Pages
  /** Ends when the result is not wanted any more. */
  signal: AbortSignal
  /** Sends posts ahead of the output; resolves when the worker has them. */
  part(posts: Post[]): Promise<void>
}

/** A read or scan: typed input in, the task's output out. One file each. */
export type Read<Input> = (input: Input, run: Run) => Promise<unknown>

/** What a page shows of a write. */
export interface Looked {
  witness: Witness
  /** The task's output if the write counts as done. */
  output: unknown
}

/** A write, done at most once. One file each. */
export interface Write<Input> {
  /**
   * Reads the page anew and says what it shows of the write. A Fault says why
   * the write cannot be done.
   */
  look(input: Input, pages: Pages): Promise<Looked>
  /** Does the write on the open page and returns the task's output. */
  act(input: Input, pages: Pages): Promise<unknown>
}
