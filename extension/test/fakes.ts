import { expect } from 'vitest'
import type { Account, FromSession } from '../src/shared/protocol'
import type { LookAnswer, OutcomeMessage, PartMessage } from '../src/shared/messages'
import type { Accounts, Tabs } from '../src/worker/runner'
import { Journal, type Store } from '../src/worker/journal'
import { Session } from '../src/worker/session'
import type { Task } from '../src/worker/task'

/** A storage area in memory. Its contents survive a simulated crash. */
export class MemoryStore implements Store {
  items: Record<string, unknown> = {}
  /** When set, writing fails. */
  full = false

  async get(keys: string | null) { return structuredClone(keys === null ? this.items : { [keys]: this.items[keys] }) }
  async set(items: Record<string, unknown>) {
    if (this.full) throw new Error('no room')
    Object.assign(this.items, structuredClone(items))
  }
  async remove(keys: string | string[]) { for (const key of [keys].flat()) delete this.items[key] }
}

export const account: Account = { urn: 'urn:n:member:1', slug: 'ada', name: 'Ada', signed_in: true }

export const start = Date.UTC(2030, 0, 9, 15)

/** A session on a store, and the frames that it sends. */
export async function open(store = new MemoryStore(), clock: () => number = () => start) {
  const said: FromSession[] = []
  const session = new Session(await Journal.open(store), () => account, '1.0.0', () => {}, clock)
  const welcome = (server = start) => session.welcome({ type: 'welcome', server_time: new Date(server).toISOString() }, frame => said.push(frame))
  return { store, session, said, welcome }
}

/** A hand-out. */
export const handOut = (task_type: string, input: unknown = {}, more: object = {}) =>
  ({ type: 'task' as const, task: 't1', lease: 'l1', attempt: 1, task_type, input, ...more })

/** Tabs on a network with comments; a test decides the pages and the outcomes of writes. */
export class FakeTabs implements Tabs {
  calls: string[] = []
  looks: (() => LookAnswer | Promise<LookAnswer>)[] = []
  runs: ((part: (p: PartMessage) => void, signal: AbortSignal) => Partial<OutcomeMessage> | Promise<Partial<OutcomeMessage>>)[] = []
  rejoined: OutcomeMessage | undefined

  async look({ signal }: Task) {
    this.calls.push('look')
    signal.throwIfAborted()
    return this.looks.shift()!()
  }
  async run({ entry, signal }: Task, part: (p: PartMessage) => void) {
    this.calls.push('run')
    return { type: 'outcome' as const, task: entry.task, run: 'r', parts: 0, ...await this.runs.shift()!(part, signal) }
  }
  async rejoin() {
    this.calls.push('rejoin')
    return this.rejoined
  }
  async close() { this.calls.push('close') }
}

export class FakeAccounts implements Accounts {
  seen: Account[] = []
  waits = 0
  async saw(a: Account) { this.seen.push(a) }
  async signedIn(urn: string) {
    expect(urn).toBe(account.urn)
    this.waits++
  }
}
