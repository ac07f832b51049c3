// The script that the worker injects into the tab of a task. It runs the task
// on the page and reports by message, which also starts a stopped worker. The
// worker calls it as globalThis.pageAgent.

import type { Pages } from '../network/adapter'
import type { TaskType } from '../shared/protocol'
import { isWrite } from '../shared/protocol'
import type { FromPage, LookAnswer, OutcomeMessage, Pulse, Seen } from '../shared/messages'
import { Fault, taskError } from '../shared/fault'
import { adapterNames, addressesOf } from '../adapters/addresses'
import { openPages } from '../adapters/pages'
import { reads, writes } from './tasks'

/** Number of attempts to send a message without a worker. */
const tries = 5

export class PageAgent {
  private readonly runs = new Map<string, AbortController>()
  private steps = 0

  constructor(private readonly open: () => Pages, private readonly tell: (m: FromPage) => Promise<unknown>) {}

  /** A frozen page does not answer. */
  pulse(): Pulse { return { steps: this.steps } }

  /** Whether the task is running on this page. */
  busy(task: string): boolean { return this.runs.has(task) }

  /** Reads the state of a write from the pages, without changing anything. */
  async look(type: TaskType, input: unknown): Promise<LookAnswer> {
    const pages = counted(this.open(), () => { this.steps++ })
    try {
      const write = isWrite(type) ? writes[type] : undefined
      if (!write) throw new Fault('invalid_input', `unknown task type "${type}"`)
      return { ...await write.look(input, pages), ...seen(pages) }
    } catch (failure) {
      return { error: taskError(failure, false), ...seen(pages) }
    }
  }

  /**
   * Starts a task; it sends parts and outcome by message. A running task is not
   * started twice. A write acts as the account with that URN or not at all.
   */
  start(task: string, run: string, type: TaskType, input: unknown, account: string): void {
    if (this.runs.has(task)) return
    const control = new AbortController()
    this.runs.set(task, control)
    void this.do(task, run, type, input, account, control).finally(() => this.runs.delete(task))
  }

  private async do(task: string, run: string, type: TaskType, input: unknown, account: string, control: AbortController): Promise<void> {
    const pages = counted(this.open(), () => { this.steps++ })
    const outcome: OutcomeMessage = { type: 'outcome', task, run, parts: 0 }
    try {
      const read = isWrite(type) ? undefined : reads[type]
      const write = isWrite(type) ? writes[type] : undefined
      if (read) {
        outcome.output = await read(input, {
          pages, signal: control.signal,
          part: async posts => {
            const wanted = await this.send({ type: 'part', task, run, seq: outcome.parts++, posts })
            if (!wanted) control.abort()
            control.signal.throwIfAborted()
          },
        })
      } else if (write) {
        // The member may have switched accounts or left the page since go.
        const start = addressesOf(adapterNames[0]!).startOf(type, input, location.origin)
        await pages.expectAccount(account, start)
        outcome.output = await write.act(input, pages).catch(async failure => {
          // Or since that check: the network refuses such a write in its own
          // words.
          if (failure instanceof Fault && failure.sure && failure.code === 'page_not_understood') await pages.expectAccount(account, start)
          throw failure
        })
      } else throw new Fault('invalid_input', `unknown task type "${type}"`)
    } catch (failure) {
      outcome.error = taskError(failure, isWrite(type))
    }
    if (!control.signal.aborted) await this.send({ ...outcome, ...seen(pages) })
  }

  /** Sends a message until a worker accepts it; resolves to its answer. */
  private async send(message: FromPage): Promise<unknown> {
    for (let i = 0; i < tries; i++) {
      try {
        return await this.tell(message)
      } catch {
        await new Promise(resolve => setTimeout(resolve, 500))
      }
    }
    return false // the alarm will start a worker, which calls busy
  }
}

/** Calls step after each method that has ended: the network has answered. */
const counted = (pages: Pages, step: () => void): Pages => new Proxy(pages, {
  get(of, name) {
    const value: unknown = Reflect.get(of, name, of)
    if (typeof value !== 'function') return value
    return (...args: unknown[]): unknown => {
      const answer: unknown = value.apply(of, args)
      if (answer instanceof Promise) answer.then(step, step)
      return answer
    }
  },
})

const seen = (pages: Pages): Seen => pages.account ? { account: pages.account } : {}

declare global {
  // eslint-disable-next-line no-var
  var pageAgent: PageAgent | undefined
}

if (globalThis.chrome?.runtime?.id) globalThis.pageAgent ??= new PageAgent(openPages, m => chrome.runtime.sendMessage(m))
