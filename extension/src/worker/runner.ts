import type { Account, Post, WriteType } from '../shared/protocol'
import { isWrite, MAX_FRAME, needless, pageDecides, sameAccount } from '../shared/protocol'
import type { LookAnswer, OutcomeMessage, PartMessage, Witness } from '../shared/messages'
import { Fault, taskError } from '../shared/fault'
import type { Target } from '../shared/state'
import { authorIn } from './activity_log'
import type { Entry } from './journal'
import { silent } from './attend'
import { anew, type End, type Session } from './session'
import { closeTogether, type Spacing } from './spacing'
import { type Task, wait } from './task'

/** The network for a task: a separate tab, opened where the task begins. */
export interface Tabs {
  /** Reads the state of a write in a new tab. The tab stays open. */
  look(task: Task): Promise<LookAnswer>
  /** Runs a task: a read in a new tab, a write on the page that look opened. */
  run(task: Task, part: (p: PartMessage) => void): Promise<OutcomeMessage>
  /** The outcome of a write on a page that an earlier worker started, running or finished. */
  rejoin(task: Task): Promise<OutcomeMessage | undefined>
  close(): Promise<void>
}

/** The member's account at the network. */
export interface Accounts {
  /** Stores the account that a page showed. */
  saw(account: Account): Promise<void>
  /** Waits until the account with that URN is signed in. */
  signedIn(urn: string, signal: AbortSignal): Promise<void>
}

/** Called with each finished task. */
export type Report = (entry: Entry) => void

/**
 * Delay from the acting entry to the second look at the page: by then a request
 * in flight has arrived.
 */
const secondLookMs = 30_000

/** A task that was returned. */
const released = new Error('released')

/**
 * Does the session's tasks, one at a time. For a write that may have begun, it
 * reads the page to find out whether it was done:
 *
 *	received ── look ── acting ── go ── begun ── act ── done
 *	                      │                └── no sure answer, or the worker died:
 *	                      │                    look: changed → done
 *	                      │                    unchanged → look again 30 s after acting
 *	                      │                    unchanged → acting, go, begun again, act ── once more
 *	                      └── the worker died before go: nothing was done, start over
 *
 * A second crash, or an unreadable page, results in outcome_unknown.
 */
export class Runner {
  constructor(
    private readonly session: Session,
    private readonly tabs: Tabs,
    private readonly accounts: Accounts,
    private readonly report: Report = () => {},
    private readonly pause: typeof wait = wait,
    private readonly clock: () => number = Date.now,
    private readonly spacing: Spacing = closeTogether,
  ) {}

  /** Runs tasks until the signal is aborted. */
  async work(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const task = await this.session.next(signal).catch(() => undefined)
      if (!task) continue
      this.spacing.begins()
      await this.do(task)
      const ms = this.spacing.ends(task)
      if (ms > 0) await this.pause(ms, signal).catch(() => {})
    }
  }

  /** Handles the outcome of a task on a page of an earlier worker. */
  async adopt(outcome: OutcomeMessage): Promise<void> {
    const task = this.session.tasks.get(outcome.task)
    const begun = isWrite(task?.entry.task_type ?? '') ? task?.entry.begun === true : outcome.parts === 0
    if (!task || task.entry.state === 'done' || !begun || unsure(outcome) || !this.session.take(task)) return
    if (outcome.account) void this.accounts.saw(outcome.account)
    await this.tabs.close()
    await this.session.finish(task, outcome.error ? { error: outcome.error } : { output: outcome.output })
    this.report(task.entry)
  }

  private async do(task: Task): Promise<void> {
    let end: End
    try {
      const { task_type: type } = task.entry
      end = isWrite(type) ? { output: await this.write(task, type) } : await this.read(task)
      const size = new TextEncoder().encode(JSON.stringify(end.output)).length
      if (size > MAX_FRAME - 4096) throw new Error(`an output of ${size} bytes`)
    } catch (failure) {
      end = { error: taskError(failure, task.entry.begun === true) }
      if (task.signal.aborted) {
        await this.tabs.close()
        if (task.signal.reason === anew) this.session.requeue(task)
        return
      }
      if (failure === released) return
      // Neither page of the task has answered: others go on, and this one later.
      if (failure === silent && !task.entry.begun) return this.return(task, 'frozen')
    }
    await this.tabs.close()
    await this.session.finish(task, end)
    this.report(task.entry)
  }

  private async read(task: Task): Promise<End> {
    await this.notLate(task)
    let found = 0, target: Target | undefined
    const outcome = await this.tabs.run(task, p => {
      found += p.posts.length
      target ??= authorIn(task.entry.task_type, p.posts)
      this.session.part(task, p.seq, p.posts)
    })
    const output = this.outputOf(outcome)
    const { posts } = (output ?? {}) as { posts?: Post[] }
    target ??= authorIn(task.entry.task_type, posts ?? [])
    await task.flush() // parts are only in memory, so the journal may not say done before this
    return { output, ...target && { target }, ...found > 0 && { found } }
  }

  private async write(task: Task, type: WriteType): Promise<unknown> {
    if (task.entry.begun) {
      const outcome = await this.tabs.rejoin(task)
      return outcome && !unsure(outcome) ? this.outputOf(outcome) : this.recover(task, type)
    }
    const output = await this.prepare(task, type)
    await this.notLate(task)
    // Includes frames that arrived since the look at the page.
    if (!this.session.mayActAs(task.entry, task.entry.account)) await this.giveBack(task, 'account')
    await this.session.put(task, { begun: true })
    if (pageDecides(type) && task.entry.witness?.done) return output // already done: no write is needed
    const outcome = await this.act(task)
    return unsure(outcome) ? this.recover(task, type) : this.outputOf(outcome)
  }

  /**
   * Reads the witness, journals acting and waits for go. Returns the output if
   * no write is needed.
   */
  private async prepare(task: Task, type: WriteType): Promise<unknown> {
    await this.notLate(task)
    const { witness, output, account, target } = await this.look(task)
    // The browser is signed in to another account, which must not do this
    // write.
    if (!this.session.mayActAs(task.entry, account)) await this.giveBack(task, 'account')
    const nothingToDo = needless(type)
    if (nothingToDo && witness.done) throw new Fault(nothingToDo, 'the page shows that there is nothing to do')
    // The service does not know its actions after its backup, and the page does.
    if (task.entry.restored && !pageDecides(type) && (witness.count ?? 0) > 0)
      throw new Fault('outcome_unknown', 'the page shows this text already, and the service was restored from a backup')
    await this.session.put(task, { state: 'acting', witness, acting_at: this.clock(), ...target && { target } })
    await this.session.askToAct(task)
    return output
  }

  /** Finds out whether a begun write happened, and repeats it once when it certainly did not. */
  private async recover(task: Task, type: WriteType): Promise<unknown> {
    if (pageDecides(type)) return this.recoverDecided(task)
    const before = task.entry.witness?.count ?? 0
    const count = (w: Witness) => w.count ?? 0
    const first = await this.lookAgain(task)
    if (!(first instanceof Error) && count(first.witness) > before) return first.output
    if (task.entry.again) throw unknown('the write was begun twice and the page does not show it')
    await this.secondLookDue(task)
    const second = await this.lookAgain(task)
    if (second instanceof Error) throw unknown(`the page cannot be read: ${second.message}`)
    if (count(second.witness) > before) return second.output
    if (first instanceof Error || count(first.witness) !== before || count(second.witness) !== before)
      throw unknown('the page does not allow a comparison')
    await this.askAgain(task)
    await this.session.put(task, { again: true })
    const outcome = await this.act(task)
    if (!unsure(outcome)) return this.outputOf(outcome)
    const third = await this.lookAgain(task)
    if (!(third instanceof Error) && count(third.witness) > before) return third.output
    throw unknown('no answer to the second try either')
  }

  /** Recovers a write whose page shows its state. */
  private async recoverDecided(task: Task): Promise<unknown> {
    for (let tried = 0; ; tried++) {
      const now = await this.lookAgain(task)
      if (now instanceof Error) throw unknown(`the page cannot be read: ${now.message}`)
      if (now.witness.done) return now.output
      if (tried === 2) throw unknown('no answer to the second try either')
      await this.askAgain(task)
      const outcome = await this.act(task)
      if (!unsure(outcome)) return this.outputOf(outcome)
    }
  }

  private async look(task: Task): Promise<{ witness: Witness; output: unknown; account: string | undefined; target?: Target }> {
    const looked = await this.tabs.look(task)
    if (looked.account) await this.accounts.saw(looked.account)
    if ('error' in looked) throw Fault.of(looked.error)
    return { ...looked, account: looked.account?.urn }
  }

  /**
   * Reads the page of a begun write. Without a sign-in, or with another
   * account, the page proves nothing, so it waits.
   */
  private async lookAgain(task: Task): Promise<{ witness: Witness; output: unknown } | Error> {
    for (;;) {
      await this.accounts.signedIn(task.entry.account, task.signal)
      try {
        const looked = await this.look(task)
        if (sameAccount(looked.account, task.entry.account)) return looked
        await this.tabs.close()
      } catch (failure) {
        task.signal.throwIfAborted()
        if (!(failure instanceof Fault) || failure.code !== 'signed_out' && failure.code !== 'challenge') return fault(failure)
        await this.tabs.close()
      }
    }
  }

  /** Acts on the page. If the page disappears without a message, the outcome is unknown. */
  private async act(task: Task): Promise<OutcomeMessage> {
    try {
      return await this.tabs.run(task, () => {})
    } catch (failure) {
      task.signal.throwIfAborted()
      const { task: id } = task.entry
      return { type: 'outcome', task: id, run: '', parts: 0, error: { code: 'timeout', message: String(failure), acted: null } }
    }
  }

  private outputOf(outcome: OutcomeMessage): unknown {
    if (outcome.account) void this.accounts.saw(outcome.account)
    if (outcome.error) throw Fault.of(outcome.error)
    return outcome.output
  }

  private async secondLookDue(task: Task): Promise<void> {
    const since = this.clock() - (task.entry.acting_at ?? 0)
    // If the clock was set back, the pause must not get longer.
    await this.pause(Math.min(Math.max(secondLookMs - since, 0), secondLookMs), task.signal)
  }

  /** Asks whether the network may be touched once more: the service may have given the write up. */
  private async askAgain(task: Task): Promise<void> {
    if (!await this.session.askToAct(task)) throw unknown('the service no longer waits for the write')
  }

  /** Returns the task when its deadline has passed. */
  private async notLate(task: Task): Promise<void> {
    task.signal.throwIfAborted()
    if (this.session.late(task.entry)) await this.giveBack(task, 'deadline')
  }

  /** Returns a task that has not begun, and ends its run. */
  private async giveBack(task: Task, reason: string): Promise<never> {
    await this.return(task, reason)
    throw released
  }

  private async return(task: Task, reason: string): Promise<void> {
    await this.tabs.close()
    await this.session.release(task, reason)
  }
}

const unsure = (outcome: OutcomeMessage): boolean => outcome.error?.acted === null
const unknown = (why: string): Fault => new Fault('outcome_unknown', why, false)
const fault = (failure: unknown): Error => failure instanceof Error ? failure : new Error(String(failure))
