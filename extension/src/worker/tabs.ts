import type { FromPage, LookAnswer, OutcomeMessage, PartMessage, Pulse } from '../shared/messages'
import { inFirefox } from '../shared/access'
import { Fault } from '../shared/fault'
import { isWrite, SCAN_MS, type TaskType } from '../shared/protocol'
import { addressesOf, type AdapterName } from '../adapters/addresses'
import type { PageAgent } from '../page/agent'
import { attend, silent, stuckMs, stuckWriteMs } from './attend'
import type { Tabs } from './runner'
import { until, type Task } from './task'

/** Time limit for a task on its page, which gets on; scans end earlier by themselves. */
const runMs = SCAN_MS + 60_000

/** The page disappeared, or no longer knows the task. */
const gone = new Error('the page of the task went away')

/** The tab of the running task; the record survives the worker. */
interface Held {
  tab: number
  task?: string
  run?: string
}

/** A caller that waits for the outcome of a run. */
interface Waiter {
  run: string
  /** Whether the page was asked to start. Before that it is not busy. */
  started: boolean
  part: (p: PartMessage) => void
  resolve: (outcome: OutcomeMessage) => void
  reject: (reason: Error) => void
}

/**
 * Tabs of the browser. Each task gets a new background tab, closed with the
 * task, so that no state leaks to the next. Callers pass in the events of tabs
 * and messages, because a worker must register for them before anything else.
 */
export class BrowserTabs implements Tabs {
  private waiter: Waiter | undefined
  private loading: { tab: number; check: (tab: chrome.tabs.Tab) => void; fail: (reason: Error) => void } | undefined
  /** The task whose page fell silent in a background tab. */
  private silenced: string | undefined
  /** An outcome without a waiting caller. */
  private early: OutcomeMessage | undefined

  constructor(private readonly origin: () => string, private readonly adapter: () => AdapterName) {}

  async look(task: Task): Promise<LookAnswer> {
    const { task_type: type, input } = task.entry
    return this.inNewTab(task, async tab => {
      const answer = await this.attend(task, tab, this.call(tab, task.signal, 'look', type as TaskType, input))
      if (!answer) throw gone // it went to another page
      task.moved()
      return answer
    })
  }

  async run(task: Task, part: (p: PartMessage) => void): Promise<OutcomeMessage> {
    if (isWrite(task.entry.task_type)) return this.begin(await this.looked(task) ?? await this.open(task), task, part)
    return this.inNewTab(task, tab => this.begin(tab, task, part))
  }

  /**
   * Works in a new tab, and in another one when that went away (the member may
   * have closed it) or fell silent: then where no browser freezes it.
   */
  private async inNewTab<T>(task: Task, work: (tab: number) => Promise<T>): Promise<T> {
    for (let tried = 1; ; tried++) {
      const last = tried === 2 || this.silenced === task.entry.task
      try {
        return await work(await this.open(task))
      } catch (failure) {
        task.signal.throwIfAborted()
        if (failure !== gone && failure !== silent) throw failure
        if (last) throw failure === gone ? new Fault('timeout', gone.message) : failure
      }
    }
  }

  async rejoin(task: Task): Promise<OutcomeMessage | undefined> {
    const { entry, signal } = task
    if (this.early?.task === entry.task) return this.early
    const { tab, task: of, run } = await this.held() ?? {}
    if (tab === undefined || of !== entry.task || run === undefined) return undefined
    try {
      const outcome = this.outcome(run, signal, () => {})
      outcome.catch(() => {}) // it may end before a caller listens
      if (!await this.noting(task, () => attend(task, this.call(tab, signal, 'busy', entry.task)))) throw gone
      this.started()
      return await this.attend(task, tab, outcome)
    } catch {
      signal.throwIfAborted()
      return undefined
    } finally {
      this.waiter = undefined
    }
  }

  async close(): Promise<void> {
    const held = await this.held()
    if (!held) return
    await chrome.storage.session.remove('tab')
    await chrome.tabs.remove(held.tab).catch(() => {}) // the member has closed it already
  }

  /** Closes the tab of a task that is no longer open. */
  async tidy(open: (task: string) => boolean): Promise<void> {
    const held = await this.held()
    if (held && !(held.task !== undefined && open(held.task))) await this.close()
  }

  /**
   * Handles a message from a page. The answer false ends the run there;
   * undefined: an outcome without a waiting caller.
   */
  async hear(message: FromPage, tab: number): Promise<boolean | undefined> {
    const held = await this.held()
    if (held?.tab !== tab || held.task !== message.task || held.run !== message.run) return false
    const waiter = this.waiter?.run === message.run ? this.waiter : undefined
    if (message.type === 'part') {
      waiter?.part(message)
      return waiter !== undefined
    }
    if (!waiter) {
      this.early = message
      return undefined
    }
    waiter.resolve(message)
    return true
  }

  /** A tab was closed. */
  async removed(tab: number): Promise<void> {
    if (this.loading?.tab === tab) this.loading.fail(gone)
    if ((await this.held())?.tab === tab) this.waiter?.reject(gone)
  }

  /** A tab has changed: it may have loaded, or left the task's page. */
  async updated(tab: number, now: chrome.tabs.Tab): Promise<void> {
    if (this.loading?.tab === tab) return this.loading.check(now)
    const { waiter } = this
    if (now.status !== 'complete' || !waiter?.started) return
    const held = await this.held()
    if (held?.tab !== tab || held.task === undefined) return
    const busy = await this.call(tab, AbortSignal.timeout(stuckMs), 'busy', held.task).catch(() => false)
    if (!busy && this.waiter === waiter) waiter.reject(gone)
  }

  /** Whether the tab belongs to a task. */
  async ours(tab: number): Promise<boolean> { return this.loading?.tab === tab || (await this.held())?.tab === tab }

  private async held(): Promise<Held | undefined> {
    return (await chrome.storage.session.get('tab'))['tab'] as Held | undefined
  }

  /** The tab in which look opened a task's page, if it still exists. */
  private async looked({ entry }: Task): Promise<number | undefined> {
    const held = await this.held()
    if (held?.task !== entry.task || held.run !== undefined) return undefined
    return chrome.tabs.get(held.tab).then(tab => tab.id, () => undefined)
  }

  /** Opens a new tab where a task begins, and injects the page script. */
  private async open(task: Task): Promise<number> {
    const { entry, signal } = task
    const url = new URL(addressesOf(this.adapter()).startOf(entry.task_type as TaskType, entry.input, this.origin()), this.origin()).href
    await this.close()
    signal.throwIfAborted()
    const tab = await (this.silenced === entry.task ? createMinimised(url) : create(url))
    await chrome.storage.session.set({ tab: { tab, task: entry.task } satisfies Held })
    return this.noting(task, async () => {
      await attend(task, this.loaded(tab, task))
      getsOn(task)
      await attend(task, chrome.scripting.executeScript({ target: { tabId: tab }, files: [`page-${this.adapter()}.js`] }).catch((failure: unknown) => {
        throw new Fault('timeout', `the network's page did not load: ${message(failure)}`)
      }))
      return tab
    })
  }

  /** Waits until a tab shows a page of the network. */
  private async loaded(tab: number, task: Task): Promise<void> {
    let begun = false, mine: typeof this.loading
    try {
      await until<void>(task.signal, (resolve, reject) => {
        const check = (now: chrome.tabs.Tab) => {
          const there = addressesOf(this.adapter()).originsOf(this.origin()).some(origin => now.url?.startsWith(origin + '/'))
          if (there && !begun) getsOn(task) // the network has begun to answer
          begun ||= there
          if (now.status !== 'complete') return
          // Without permission for a page the browser does not reveal its
          // address. Firefox hides that of the empty page too, which every
          // tab begins with.
          if (now.url === undefined && now.pendingUrl === undefined && !inFirefox()) reject(new Fault('page_not_understood', 'the tab was led away from the network'))
          else if (there) resolve()
        }
        this.loading = mine = { tab, check, fail: reject }
        // Its events may have come earlier.
        chrome.tabs.get(tab).then(check, reject)
      })
    } catch (failure) {
      task.signal.throwIfAborted()
      throw failure instanceof Fault || failure === gone ? failure : new Fault('timeout', 'the network\'s page did not load')
    } finally {
      if (this.loading === mine) this.loading = undefined
    }
  }

  private async begin(tab: number, task: Task, part: (p: PartMessage) => void): Promise<OutcomeMessage> {
    const { entry, signal } = task, run = crypto.randomUUID()
    this.early = undefined
    await chrome.storage.session.set({ tab: { tab, task: entry.task, run } satisfies Held })
    try {
      const outcome = this.outcome(run, signal, p => {
        task.moved()
        part(p)
      })
      outcome.catch(() => {}) // it may end before a caller listens
      await this.noting(task, () => attend(task, this.call(tab, signal, 'start', entry.task, run, entry.task_type as TaskType, entry.input, entry.account)))
      this.started()
      const answer = await this.attend(task, tab, outcome, entry.begun ? stuckWriteMs : stuckMs)
      task.moved()
      return answer
    } finally {
      this.waiter = undefined
    }
  }

  /** Waits for work of the page script, which is asked whether it still works. */
  private attend<T>(task: Task, tab: number, work: Promise<T>, stuck = stuckMs): Promise<T> {
    const ask = async (): Promise<Pulse> => {
      const pulse = await this.call(tab, task.signal, 'pulse')
      if (!pulse) throw gone // it went to another page
      return pulse
    }
    return this.noting(task, () => attend(task, work, ask, stuck))
  }

  /** Notes a page that falls silent: the next one of the task opens elsewhere. */
  private async noting<T>({ entry }: Task, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (failure) {
      if (failure === silent) this.silenced = entry.task
      throw failure
    }
  }

  private started(): void {
    if (this.waiter) this.waiter.started = true
  }

  private outcome(run: string, signal: AbortSignal, part: (p: PartMessage) => void): Promise<OutcomeMessage> {
    return until(AbortSignal.any([signal, AbortSignal.timeout(runMs)]), (resolve, reject) => { this.waiter = { run, started: false, part, resolve, reject } })
  }

  /** Calls a method of the page script; null when the page has none. */
  private async call<M extends 'look' | 'start' | 'busy' | 'pulse'>(
    tab: number, signal: AbortSignal, method: M, ...args: Parameters<PageAgent[M]>
  ): Promise<Awaited<ReturnType<PageAgent[M]>> | null | undefined> {
    type Answer = Awaited<ReturnType<PageAgent[M]>>
    const [frame] = await until<chrome.scripting.InjectionResult<Answer | null>[]>(signal, (resolve, reject) => {
      chrome.scripting.executeScript({
        target: { tabId: tab },
        // The browser runs the function's source in the page, without its
        // closure.
        func: (name: string, given: unknown[]) => {
          const agent = globalThis.pageAgent as unknown as Record<string, (...a: unknown[]) => unknown> | undefined
          return agent?.[name]?.(...given) ?? null
        },
        args: [method, args as unknown[]],
      }).then(found => resolve(found as never), () => reject(gone))
    })
    return frame?.result as Answer | null | undefined
  }
}

/**
 * Notes that a page loads. A write that has begun gets on only by what the page
 * says of it: pages that load and say nothing would keep the others waiting.
 */
function getsOn(task: Task): void {
  if (!task.entry.begun) task.moved()
}

/** Opens a background tab in a group that says whose it is; without a window, a minimised one. */
async function create(url: string): Promise<number> {
  const tab = await chrome.tabs.create({ url, active: false }).catch(() => undefined)
  if (!tab) return createMinimised(url)
  if (tab.id === undefined) throw new Fault('timeout', 'the browser opened no tab')
  await label(tab.id).catch(() => {}) // a browser without groups
  return tab.id
}

/** Opens a minimised window: the member cannot collapse it, and no browser freezes it. */
async function createMinimised(url: string): Promise<number> {
  const window = await chrome.windows.create({ url, focused: false, state: 'minimized' })
  const id = window?.tabs?.[0]?.id
  if (id === undefined) throw new Fault('timeout', 'the browser opened no tab')
  return id
}

/**
 * Puts a tab into a group that says whose it is. The group stays open: Chromium
 * freezes the tabs of collapsed groups within seconds, and their tasks with them.
 */
async function label(tab: number): Promise<void> {
  const group = await chrome.tabs.group({ tabIds: tab })
  await chrome.tabGroups.update(group, { title: 'Watchpost', color: 'grey' })
}

const message = (failure: unknown) => failure instanceof Error ? failure.message : String(failure)
