import type { FromPage, LookAnswer, OutcomeMessage, PartMessage } from '../shared/messages'
import { inFirefox } from '../shared/access'
import { Fault } from '../shared/fault'
import { isWrite, SCAN_MS, type TaskType } from '../shared/protocol'
import { addressesOf, type AdapterName } from '../adapters/addresses'
import type { PageAgent } from '../page/agent'
import type { Entry } from './journal'
import type { Tabs } from './runner'
import { until } from './task'

/** Time limit for loading a page. */
const loadMs = 60_000
/** Time limit for a write on its page. */
const writeMs = 90_000
/** Time limit for a read; scans end earlier by themselves. */
const readMs = SCAN_MS + 60_000

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
  /** An outcome without a waiting caller. */
  private early: OutcomeMessage | undefined

  constructor(private readonly origin: () => string, private readonly adapter: () => AdapterName) {}

  async look(entry: Entry, signal: AbortSignal): Promise<LookAnswer> {
    return this.twice(async () =>
      this.call(await this.open(entry, signal), signal, 'look', entry.task_type as TaskType, entry.input))
  }

  async run(entry: Entry, signal: AbortSignal, part: (p: PartMessage) => void): Promise<OutcomeMessage> {
    if (isWrite(entry.task_type)) return this.begin(await this.looked(entry) ?? await this.open(entry, signal), entry, signal, part, writeMs)
    return this.twice(async () => this.begin(await this.open(entry, signal), entry, signal, part, readMs))
  }

  /** Retries a read once when its page disappeared: the member may have closed the tab. */
  private async twice<T>(read: () => Promise<T>): Promise<T> {
    for (let tried = 1; ; tried++) {
      try {
        return await read()
      } catch (failure) {
        if (failure !== gone) throw failure
        if (tried === 2) throw new Fault('timeout', gone.message)
      }
    }
  }

  async rejoin(entry: Entry, signal: AbortSignal): Promise<OutcomeMessage | undefined> {
    if (this.early?.task === entry.task) return this.early
    const { tab, task, run } = await this.held() ?? {}
    if (tab === undefined || task !== entry.task || run === undefined) return undefined
    try {
      const outcome = this.outcome(run, signal, () => {}, writeMs)
      outcome.catch(() => {}) // it may end before a caller listens
      if (!await this.call(tab, signal, 'busy', entry.task)) throw gone
      this.started()
      return await outcome
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
    const busy = await this.call(tab, AbortSignal.timeout(loadMs), 'busy', held.task).catch(() => false)
    if (!busy && this.waiter === waiter) waiter.reject(gone)
  }

  /** Whether the tab belongs to a task. */
  async ours(tab: number): Promise<boolean> { return this.loading?.tab === tab || (await this.held())?.tab === tab }

  private async held(): Promise<Held | undefined> {
    return (await chrome.storage.session.get('tab'))['tab'] as Held | undefined
  }

  /** The tab in which look opened a task's page, if it still exists. */
  private async looked(entry: Entry): Promise<number | undefined> {
    const held = await this.held()
    if (held?.task !== entry.task || held.run !== undefined) return undefined
    return chrome.tabs.get(held.tab).then(tab => tab.id, () => undefined)
  }

  /** Opens a new tab where a task begins, and injects the page script. */
  private async open({ task, task_type, input }: Entry, signal: AbortSignal): Promise<number> {
    const url = new URL(addressesOf(this.adapter()).startOf(task_type as TaskType, input, this.origin()), this.origin()).href
    await this.close()
    signal.throwIfAborted()
    const tab = await create(url)
    await chrome.storage.session.set({ tab: { tab, task } satisfies Held })
    await label(tab).catch(() => {}) // a browser without groups
    await this.loaded(tab, signal)
    try {
      await chrome.scripting.executeScript({ target: { tabId: tab }, files: [`page-${this.adapter()}.js`] })
    } catch (failure) {
      throw new Fault('timeout', `the network's page did not load: ${message(failure)}`)
    }
    return tab
  }

  /**
   * Waits until a tab shows a page of the network. Its events may have come
   * earlier, so this also asks the tab once.
   */
  private async loaded(tab: number, signal: AbortSignal): Promise<void> {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(loadMs)])
    try {
      await until<void>(limit, (resolve, reject) => {
        const check = (now: chrome.tabs.Tab) => {
          if (now.status !== 'complete') return
          // Without permission for a page the browser does not reveal its
          // address. Firefox hides that of the empty page too, which every
          // tab begins with.
          if (now.url === undefined && now.pendingUrl === undefined && !inFirefox()) reject(new Fault('page_not_understood', 'the tab was led away from the network'))
          else if (addressesOf(this.adapter()).originsOf(this.origin()).some(origin => now.url?.startsWith(origin + '/'))) resolve()
        }
        this.loading = { tab, check, fail: reject }
        chrome.tabs.get(tab).then(check, reject)
      })
    } catch (failure) {
      signal.throwIfAborted()
      throw failure instanceof Fault || failure === gone ? failure : new Fault('timeout', 'the network\'s page did not load')
    } finally {
      this.loading = undefined
    }
  }

  private async begin(tab: number, entry: Entry, signal: AbortSignal, part: (p: PartMessage) => void, limitMs: number): Promise<OutcomeMessage> {
    const run = crypto.randomUUID()
    this.early = undefined
    await chrome.storage.session.set({ tab: { tab, task: entry.task, run } satisfies Held })
    try {
      const outcome = this.outcome(run, signal, part, limitMs)
      outcome.catch(() => {}) // it may end before a caller listens
      await this.call(tab, signal, 'start', entry.task, run, entry.task_type as TaskType, entry.input, entry.account)
      this.started()
      return await outcome
    } finally {
      this.waiter = undefined
    }
  }

  private started(): void {
    if (this.waiter) this.waiter.started = true
  }

  private outcome(run: string, signal: AbortSignal, part: (p: PartMessage) => void, limitMs: number): Promise<OutcomeMessage> {
    return until(AbortSignal.any([signal, AbortSignal.timeout(limitMs)]), (resolve, reject) => { this.waiter = { run, started: false, part, resolve, reject } })
  }

  /** Calls a method of the page script. */
  private async call<M extends 'look' | 'start' | 'busy'>(
    tab: number, signal: AbortSignal, method: M, ...args: Parameters<PageAgent[M]>
  ): Promise<Awaited<ReturnType<PageAgent[M]>>> {
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
    if (method === 'look' && !frame?.result) throw new Fault('timeout', 'the page went away while it was read')
    return frame?.result as Answer
  }
}

/** Opens a background tab; without a window it creates a minimised one. */
async function create(url: string): Promise<number> {
  const tab = await chrome.tabs.create({ url, active: false }).catch(async () =>
    (await chrome.windows.create({ url, focused: false, state: 'minimized' }))?.tabs?.[0])
  if (tab?.id === undefined) throw new Fault('timeout', 'the browser opened no tab')
  return tab.id
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
