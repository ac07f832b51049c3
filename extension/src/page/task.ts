import type { Pages } from '../network/adapter'
import type { Post } from '../shared/protocol'
import type { Witness } from '../shared/messages'
import type { Target } from '../shared/state'

/** The environment of a read. */
export interface Run {
  pages: Pages
  /** Aborted when the result is no longer needed. */
  signal: AbortSignal
  /** Sends posts before the output; resolves when the worker has them. */
  part(posts: Post[]): Promise<void>
}

/** A read or scan: takes the typed input and returns the task's output. One file each. */
export type Read<Input> = (input: Input, run: Run) => Promise<unknown>

/** The state of a write on its page. */
export interface Looked {
  witness: Witness
  /** The task's output if the write counts as done. */
  output: unknown
  /** The person or post that it is about. */
  target: Target
}

/** The target that a post is: its author and its first words. */
export function postTarget({ content, url, author }: { content: string; url: string; author: { name: string; url: string } }): Target {
  const words = content.replace(/\s+/g, ' ').trim()
  return { name: words.length > 80 ? `${words.slice(0, 79)}…` : words, url, by: author }
}

/** A write that happens at most once. One file each. */
export interface Write<Input> {
  /**
   * Reads the page again and returns the state of the write. Throws a Fault
   * when the write is impossible.
   */
  look(input: Input, pages: Pages): Promise<Looked>
  /** Writes on the open page and returns the task's output. */
  act(input: Input, pages: Pages): Promise<unknown>
}
