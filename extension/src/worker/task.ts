import type { Part } from '../shared/protocol'
import type { Entry } from './journal'

/** An open task: its journal entry and its state in this worker. */
export class Task {
  /** Aborted when the task must stop. */
  readonly control = new AbortController()
  /** True from the runner's first step on it to its end. */
  running = false
  /** Answers a write that waits for go; set after acting was sent. */
  onGo: ((go: boolean) => void) | undefined
  /** When the task got on last, in milliseconds since 1970. */
  movedAt = Date.now()
  /** For how long a page has kept the task waiting since, in milliseconds. */
  quiet = 0
  /** Unacknowledged parts, in order. */
  parts: Part[] = []
  private flushed: (() => void) | undefined

  constructor(public entry: Entry) {}

  get signal(): AbortSignal { return this.control.signal }

  /** Notes that the task gets on. */
  moved(): void {
    this.movedAt = Date.now()
    this.quiet = 0
  }

  /** Waits until the service has stored all parts. */
  async flush(): Promise<void> {
    if (this.parts.length > 0) await until<void>(this.signal, resolve => { this.flushed = resolve })
  }

  /** Removes a part that the service has stored. */
  stored(seq: number): void {
    this.parts = this.parts.filter(part => part.seq !== seq)
    if (this.parts.length === 0) this.flushed?.()
  }
}

/** A promise that rejects with the signal's reason on abort. */
export function until<T>(signal: AbortSignal, start: (resolve: (value: T) => void, reject: (reason: unknown) => void) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const ended = () => reject(signal.reason)
    if (signal.aborted) return ended()
    signal.addEventListener('abort', ended, { once: true })
    const settled = () => signal.removeEventListener('abort', ended)
    start(value => { settled(); resolve(value) }, reason => { settled(); reject(reason) })
  })
}

/** Waits in real time. */
export const wait = (ms: number, signal: AbortSignal): Promise<void> => {
  let timer: ReturnType<typeof setTimeout>
  return until<void>(signal, resolve => { timer = setTimeout(resolve, ms) }).finally(() => clearTimeout(timer))
}
