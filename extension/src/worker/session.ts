import type { Account, Assignment, Browser, FromService, FromSession, Hello, Pace, Post, Result, Status, Welcome } from '../shared/protocol'
import { isWrite, MAX_HELLO_FRAME, sameAccount, VERSION } from '../shared/protocol'
import type { Consent } from './consent'
import type { Entry, Journal } from './journal'
import { Task, until } from './task'

/**
 * Maximum number of tasks that may wait while one runs. The service hands out one
 * at a time; more wait only after a restart.
 */
const maxQueued = 4

/** Ends the run of a task that was handed out again and must restart. */
export const anew = new Error('the task was handed out anew')
const forgotten = new Error('the service is done with the task')
const cancelled = new Error('the service cancelled the task')

/** How the member wants writes to be done. */
export interface Wishes {
  pace(): Pace
  readonly consent: Consent
}

/**
 * The tasks of this browser and their reports to the service. Every received
 * frame is journalled before it is answered. Unsent frames are not stored:
 * after each welcome the open tasks repeat the reports that the service has not
 * acknowledged.
 */
export class Session {
  readonly tasks = new Map<string, Task>()
  /**
   * The account that the member works as, from the service's status on this
   * connection; undefined before.
   */
  bound: Account | undefined
  /** The service's last status. A new connection begins without one. */
  status: Status | undefined
  /** Set while the session accepts no tasks. */
  closed = false
  private readonly queue: Task[] = []
  private readonly boot = crypto.randomUUID()
  /** The service's clock minus this one, in milliseconds. */
  private offset = 0
  /** Whether a welcome was received. */
  private welcomed = false
  private send: (frame: FromSession) => void = () => {}
  private wake: () => void = () => {}

  constructor(
    readonly journal: Journal,
    private readonly account: () => Account,
    private readonly version: string,
    /** Called when the state visible to the member changed. */
    private readonly changed: () => void = () => {},
    private readonly clock: () => number = Date.now,
    private readonly browser: () => Browser | undefined = () => undefined,
    private readonly wishes?: Wishes,
  ) {
    for (const entry of journal.entries()) {
      const task = new Task(entry)
      this.tasks.set(entry.task, task)
      if (entry.state !== 'done') this.queue.push(task)
    }
  }

  /** Whether a write may act as the account with that URN, which the page shows. */
  mayActAs(entry: Entry, urn: string | undefined): boolean {
    return sameAccount(urn, entry.account) && (this.bound === undefined || sameAccount(urn, this.bound.urn))
  }

  /** The service's time, as far as the session knows it. */
  now(): number { return this.clock() + this.offset }

  /** Whether the task's deadline has passed; then it must not touch the network. */
  late(entry: Entry): boolean { return entry.deadline !== undefined && this.now() >= entry.deadline }

  /**
   * The first frame of a connection. Its size is limited: excess tasks are left
   * out, done ones first, because their results follow anyway.
   */
  hello(token: string): Hello {
    const tasks = (['acting', 'received', 'done'] as const).flatMap(state =>
      this.journal.entries().filter(e => e.state === state).map(({ task, lease, attempt }) => ({ task, lease, attempt, state })))
    const browser = this.browser()
    const hello: Hello = {
      type: 'hello', v: VERSION, token, boot: this.boot, journal: this.journal.id, version: this.version, account: this.account(), ...browser && { browser }, tasks, ...this.wish(),
    }
    while (tasks.length > 0 && new TextEncoder().encode(JSON.stringify(hello)).length > MAX_HELLO_FRAME) tasks.pop()
    return hello
  }

  /** Starts a connection: send transmits the frames from now on. */
  welcome(frame: Welcome, send: (frame: FromSession) => void): void {
    const time = Date.parse(frame.server_time ?? '')
    if (!Number.isNaN(time)) this.offset = time - this.clock()
    this.send = send
    this.welcomed = true
    this.bound = this.status = undefined
    for (const { task } of this.journal.entries()) this.repeat(this.tasks.get(task))
    this.wake()
  }

  /** Ends a connection. */
  farewell(): void { this.send = () => {} }

  /** Sends the account and the leases to renew. */
  beat(): void {
    const running = [...this.tasks.values()].filter(t => t.entry.state !== 'done').map(({ entry: { task, lease } }) => ({ task, lease }))
    this.send({ type: 'heartbeat', account: this.account(), running, ...this.wish() })
  }

  /** What the member wants of writes, and about which the member is asked. */
  private wish(): Pick<Hello, 'pace' | 'asking'> {
    if (!this.wishes) return {}
    const asking = this.wishes.consent.asked.map(entry => entry.task)
    return { pace: this.wishes.pace(), ...asking.length > 0 && { asking } }
  }

  /**
   * Takes the member's answer to a question. A declined write fails at the service; an
   * allowed one is handed out again.
   */
  async answer(id: string, allow: boolean): Promise<void> {
    const entry = await this.wishes?.consent.answer(id, allow)
    if (!entry) return
    if (!allow) this.send({ type: 'released', task: id, lease: entry.lease, reason: 'declined' })
    this.beat()
  }

  /**
   * Confirms the account that the browser is signed in to as the one that the
   * member works as; the service answers with a status.
   */
  bind(): void { this.send({ type: 'bind', account: this.account() }) }

  /** Asks that what the network's answers have stopped is tried now. */
  retry(): void { this.send({ type: 'retry' }) }

  /** Handles a frame after welcome; ignores unknown ones. */
  async receive(frame: FromService): Promise<void> {
    switch (frame.type) {
      case 'task': return this.receiveTask(frame)
      case 'go': {
        const task = this.tasks.get(frame.task)
        if (task?.entry.lease === frame.lease) task.onGo?.(true)
        return
      }
      case 'ack': {
        const task = this.tasks.get(frame.task)
        if (!task) return
        if (frame.seq !== undefined) task.stored(frame.seq)
        else await this.forget(task, forgotten)
        return
      }
      case 'status':
        this.bound = frame.account
        this.status = frame
        this.changed()
        return
      case 'cancel': return this.receiveCancel(frame.task)
    }
  }

  /** The next task to run. */
  async next(signal: AbortSignal): Promise<Task> {
    for (;;) {
      signal.throwIfAborted()
      // None before the first welcome: until then the session knows neither the
      // service's time nor whether the journal's leases are valid.
      const task = this.welcomed ? this.queue.shift() : undefined
      if (task) {
        task.running = true
        this.changed()
        return task
      }
      await new Promise<void>(resolve => {
        this.wake = resolve
        signal.addEventListener('abort', () => resolve(), { once: true })
      })
    }
  }

  /** Takes a waiting task out of turn; false when it is not waiting. */
  take(task: Task): boolean {
    const at = this.queue.indexOf(task)
    if (at < 0) return false
    this.queue.splice(at, 1)
    return task.running = true
  }

  /** Whether there are tasks to run or to be acknowledged. */
  get busy(): boolean { return this.tasks.size > 0 }

  /** The task in work. */
  get running(): Task | undefined { return [...this.tasks.values()].find(t => t.running && t.entry.state !== 'done') }

  /** Whether the member may return the task in work: a write that has begun goes on to its end. */
  get skippable(): boolean { return this.running !== undefined && !this.running.entry.begun }

  /** Returns the task in work, for which the member does not want to wait. */
  async skip(): Promise<void> {
    if (this.running && this.skippable) await this.release(this.running, 'skipped')
  }

  /** Drops all tasks; the outcome of begun ones stays unknown. */
  async forgetAll(): Promise<void> {
    for (const task of [...this.tasks.values()]) await this.forget(task, forgotten)
  }

  /** Drops the tasks without a write on the network, ended ones too: other sessions do them, with new leases. */
  async forgetUnbegun(): Promise<void> {
    for (const task of [...this.tasks.values()]) if (task.entry.state !== 'acting' && !task.entry.begun) await this.forget(task, forgotten)
  }

  /** Journals a changed entry. */
  async put(task: Task, change: Partial<Entry>): Promise<void> {
    task.entry = { ...task.entry, ...change }
    await this.journal.put(task.entry)
  }

  /**
   * Asks to touch the network; resolves when the service answers. False: a write that
   * has begun must not go on. One that has not begun is dropped then.
   */
  async askToAct(task: Task): Promise<boolean> {
    const { task: id, lease } = task.entry
    try {
      return await until<boolean>(task.signal, resolve => {
        task.onGo = resolve
        this.send({ type: 'acting', task: id, lease })
      })
    } finally {
      task.onGo = undefined
    }
  }

  /** Sends posts before the result. */
  part(task: Task, seq: number, posts: Post[]): void {
    const { task: id, lease, attempt } = task.entry
    const part = { type: 'part' as const, task: id, lease, attempt, seq, output: { posts } }
    task.parts.push(part)
    this.send(part)
  }

  /** Journals the end of a task, and reports it. A task that was dropped meanwhile leaves nothing. */
  async finish(task: Task, end: End): Promise<void> {
    if (this.tasks.get(task.entry.task) !== task) return
    const { output: _, error: __, ...entry } = task.entry
    task.entry = { ...entry, state: 'done', ...end }
    await this.journal.put(task.entry)
    await this.wishes?.consent.forget(task.entry.task)
    task.running = false
    this.send(resultOf(task.entry))
    this.changed()
  }

  /** Returns a task that has not begun. */
  async release(task: Task, reason: string): Promise<void> {
    await this.forget(task, forgotten)
    this.send({ type: 'released', task: task.entry.task, lease: task.entry.lease, reason })
  }

  /** Puts a task that was handed out again back into the queue. */
  requeue(task: Task): void {
    if (this.tasks.get(task.entry.task) !== task) return
    const fresh = new Task(task.entry)
    this.tasks.set(task.entry.task, fresh)
    this.queue.push(fresh)
    this.wake()
  }

  private async receiveTask(frame: Assignment): Promise<void> {
    const known = this.tasks.get(frame.task)
    if (known) return this.takeAgain(known, frame)
    const { task, lease, attempt, task_type, input } = frame
    if (typeof task !== 'string' || task === '') return
    const entry: Entry = { task, lease, attempt, task_type, input, ...deadlineOf(frame), ...frame.restored === true && { restored: true }, state: 'received', at: this.clock(), account: (this.bound ?? this.account()).urn }
    const refuse = (reason: string) => this.send({ type: 'released', task, lease, reason })
    if (this.closed) return refuse('paused')
    if (this.late(entry)) return refuse('deadline')
    if (this.queue.length >= maxQueued) return refuse('busy')
    if (this.wishes?.pace().ask && isWrite(task_type)) {
      const word = await this.wishes.consent.on(entry)
      this.changed()
      if (word !== 'allowed') return refuse(word)
    }
    const fresh = new Task(entry)
    this.tasks.set(task, fresh)
    try {
      await this.journal.put(entry)
    } catch {
      this.tasks.delete(task)
      return refuse('journal')
    }
    if (this.tasks.get(task) !== fresh) return // cancelled since
    this.queue.push(fresh)
    this.send({ type: 'accepted', task, lease: fresh.entry.lease })
    this.wake()
  }

  /**
   * Gives a known task the lease and attempt of a new hand-out. A running read
   * restarts, because the parts of the older attempt may be lost.
   */
  private async takeAgain(task: Task, frame: Assignment): Promise<void> {
    const begins = frame.attempt !== task.entry.attempt && !isWrite(task.entry.task_type)
    await this.put(task, { lease: frame.lease, attempt: frame.attempt, ...deadlineOf(frame) })
    this.send({ type: 'accepted', task: frame.task, lease: frame.lease })
    if (begins && task.running && task.entry.state === 'received') task.control.abort(anew)
    else this.repeat(task)
  }

  /**
   * Stops a task. A write that may have touched the network continues, because
   * only its result shows the outcome, and does not touch it once more. A read that may have touched it is
   * dropped without a report: released would refund its cost.
   */
  private async receiveCancel(id: string): Promise<void> {
    const task = this.tasks.get(id)
    if (!task) {
      await this.wishes?.consent.forget(id)
      this.changed()
    }
    if (task?.entry.begun) task.onGo?.(false)
    if (!task || task.entry.begun || task.entry.state === 'done') return
    await this.forget(task, cancelled)
    const untouched = !task.running || isWrite(task.entry.task_type)
    if (untouched) this.send({ type: 'released', task: id, lease: task.entry.lease, reason: 'cancelled' })
  }

  /** Repeats the unacknowledged reports of a task. */
  private repeat(task: Task | undefined): void {
    if (!task) return
    const { task: id, lease, attempt } = task.entry
    task.parts = task.parts.map(part => ({ ...part, lease, attempt }))
    task.parts.forEach(part => this.send(part))
    if (task.entry.state === 'done') this.send(resultOf(task.entry))
    else if (task.onGo) this.send({ type: 'acting', task: id, lease })
  }

  private async forget(task: Task, why: Error): Promise<void> {
    if (this.tasks.get(task.entry.task) !== task) return
    this.tasks.delete(task.entry.task)
    const at = this.queue.indexOf(task)
    if (at >= 0) this.queue.splice(at, 1)
    task.control.abort(why)
    await this.journal.remove(task.entry.task)
    this.changed()
  }
}

/** The end of a task: its output or error, and what the member may like to know. */
export type End = Pick<Entry, 'output' | 'error' | 'target' | 'found'>

function deadlineOf(frame: Assignment): { deadline?: number } {
  const deadline = Date.parse(frame.deadline ?? '')
  return Number.isNaN(deadline) ? {} : { deadline }
}

function resultOf({ task, lease, attempt, output, error }: Entry): Result {
  return { type: 'result', task, lease, attempt, ...(error ? { error } : { output }) }
}
