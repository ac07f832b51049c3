import { conditionOf, toneOf, type Condition, type Tone } from '../shared/condition'
import type { FromPage } from '../shared/messages'
import { pauseEnds, type PauseFor } from '../shared/pace'
import type { Browser, Pace } from '../shared/protocol'
import type { FromUI, Pairing, State } from '../shared/state'
import { accessTo } from '../shared/access'
import { nobody } from '../network/account'
import { AccountWatch } from './account'
import { ActivityLog, deedOf } from './activity_log'
import { tellableBrowser } from '../shared/browser'
import { Consent, questionOn } from './consent'
import { Journal, type Store } from './journal'
import { Link } from './link'
import { Runner } from './runner'
import { Session } from './session'
import { SignOut } from './sign_out'
import { StallSpacing, type Spacing } from './spacing'
import { slowMs } from './attend'
import { BrowserTabs } from './tabs'
import { until, wait } from './task'

/** Interval of account checks apart from tasks and the member's own visits. */
const accountMs = 5 * 60_000
/** How long a new version waits for the task in work. After that it is recovered from the journal, as after a crash. */
const updateMs = 2 * 60_000

const store = chrome.storage.local as unknown as Store

/** Connects the parts of the worker. */
export class Watchpost {
  private pairing: Pairing | undefined
  private paused = false
  /** When the pause ends by itself. */
  private pausedUntil: number | undefined
  private pace = 0
  private writes: Pace = {}
  private ended: 'revoked' | 'replaced' | undefined
  private unpaired: State['unpaired']
  /** The network of an ended pairing, whose access is to be given back. */
  private left: string | undefined
  /** Whether the member lets the extension read the network's pages. */
  private access = true
  /** This browser, as far as the service may know it. */
  private browser: Browser | undefined
  /** The state shown last, and when it began. */
  private shown: { kind: string; since: number } | undefined
  private readonly signOut = new SignOut(store)

  readonly tabs = new BrowserTabs(() => this.network, () => this.account.adapter)
  private readonly session: Session
  private readonly runner: Runner
  private readonly link: Link
  /** Aborted when a new version takes over. */
  private readonly retired = new AbortController()
  /** Ends with the last task of this version. */
  private works: Promise<void> = Promise.resolve()

  private constructor(
    journal: Journal, private readonly account: AccountWatch, private readonly log: ActivityLog, private readonly consent: Consent, spacing: Spacing,
  ) {
    this.session = new Session(
      journal, () => account.now, chrome.runtime.getManifest().version, () => this.changed(), Date.now, () => this.browser, { pace: () => this.writes, consent },
    )
    this.runner = new Runner(this.session, this.tabs, account, entry => void log.write(entry), wait, Date.now, spacing)
    this.link = new Link({
      target: () => this.paused || this.ended ? undefined : this.pairing,
      hello: token => this.session.hello(token),
      welcome: (frame, send) => this.session.welcome(frame, send),
      receive: frame => this.session.receive(frame),
      farewell: () => this.session.farewell(),
      tick: () => this.tick(),
      busy: () => this.session.busy,
      beat: () => this.session.beat(),
      over: end => this.over(end),
      changed: () => this.changed(),
    })
  }

  /** Continues from the state of the previous worker. */
  static async start(): Promise<Watchpost> {
    let worker: Watchpost | undefined
    const changed = () => worker?.changed()
    const journal = await Journal.open(store)
    const account = await AccountWatch.open(store, () => worker?.network ?? NETWORK_ORIGIN, () => worker?.accountChanged())
    const log = await ActivityLog.open(store, changed, () => worker?.session.now() ?? Date.now())
    const spacing = await StallSpacing.open(store, () => (worker?.pace ?? 0) * 1000, () => worker?.session.status?.waiting ?? 0)
    worker = new Watchpost(journal, account, log, await Consent.open(store), spacing)
    const { pairing, paused, paused_until: until, revoked, pace, writes, left } = await store.get(null) as Stored
    const { replaced, shown } = await chrome.storage.session.get(null) as { replaced?: boolean; shown?: { kind: string; since: number } }
    worker.shown = shown
    worker.pace = pace ?? 0
    worker.writes = writes ?? {}
    worker.pausedUntil = until
    worker.pairing = pairing
    worker.left = left
    await worker.accessChanged()
    worker.paused = worker.session.closed = paused === true
    worker.ended = replaced ? 'replaced' : revoked ? 'revoked' : undefined
    await worker.tabs.tidy(task => worker.session.tasks.get(task)?.entry.state !== 'done' && worker.session.tasks.has(task))
    worker.works = worker.runner.work(worker.retired.signal)
    setInterval(() => worker.timePasses(), 2000)
    await worker.wake()
    worker.changed()
    return worker
  }

  /** Makes sure that an alarm is set and the link runs. */
  async wake(): Promise<void> {
    // The browser may drop alarms on updates and restarts.
    if (!await chrome.alarms.get('wake')) await chrome.alarms.create('wake', { periodInMinutes: WAKE_SECONDS / 60 })
    await this.resumeWhenDue()
    if (this.pairing && !this.paused) void this.account.check(accountMs)
    this.link.ensure()
    void this.signOut.retry()
  }

  /**
   * Asks the browser whether the extension may read the network's pages.
   * Without access no account counts as signed in, so that the service sends no
   * tasks.
   */
  async accessChanged(): Promise<void> {
    const before = this.access
    this.browser = await tellableBrowser()
    this.access = this.network === '' || await chrome.permissions.contains({ origins: accessTo(this.network) })
    this.changed()
    if (this.access === before || !this.pairing) return
    if (this.access) await this.account.check()
    else await this.account.saw(nobody)
  }

  /** Opens the options page for a new user. */
  async installed(): Promise<void> {
    if (!this.pairing) await chrome.runtime.openOptionsPage()
  }

  /** A tab has changed: a task's, or one in which the member may have signed in or out. */
  async tabChanged(id: number, tab: chrome.tabs.Tab): Promise<void> {
    if (await this.tabs.ours(id)) return this.tabs.updated(id, tab)
    if (tab.status === 'complete' && this.network && tab.url?.startsWith(this.network + '/') && this.pairing && !this.paused) await this.account.visited()
  }

  async onPageMessage(message: FromPage, tab: number | undefined): Promise<boolean> {
    if (tab === undefined) return false
    const heard = await this.tabs.hear(message, tab)
    if (heard === undefined && message.type === 'outcome') await this.runner.adopt(message)
    return heard !== false
  }

  async onUIMessage(message: FromUI): Promise<State> {
    switch (message.type) {
      case 'pair': {
        const { type: _, ...pairing } = message
        this.pairing = pairing
        this.unpaired = this.left = undefined
        await store.remove('left')
        this.paused = this.session.closed = false
        await this.log.begin(pairing.team.id)
        await this.end(undefined)
        await store.set({ pairing, paused: false })
        await this.pauseUntil(undefined)
        await this.accessChanged()
        await chrome.runtime.setUninstallURL(`${pairing.service}/extension/removed`)
        await Promise.race([this.account.check(), new Promise(resolve => setTimeout(resolve, 3000))])
        this.link.renew()
        break
      }
      case 'decline':
        await this.signOut.end({ service: message.service, token: message.token })
        break
      case 'unpair':
        await this.unpair()
        break
      case 'forget_log':
        await this.log.clear()
        break
      case 'pace':
        this.pace = message.seconds
        await store.set({ pace: message.seconds })
        break
      case 'bind':
        this.session.bind()
        break
      case 'skip':
        await this.session.skip()
        break
      case 'retry':
        if (this.link.transport) this.session.retry()
        else this.link.renew()
        break
      case 'pause':
        await (message.on ? this.pause(message.how) : this.resume())
        break
      case 'writes':
        this.writes = message.pace
        await store.set({ writes: message.pace })
        if (!message.pace.ask) await this.consent.clear()
        this.session.beat()
        break
      case 'answer':
        await this.session.answer(message.task, message.allow)
        break
      case 'reconnect':
        await this.end(undefined)
        this.link.renew()
        break
      case 'state':
        return this.state() // the caller gets the state; a broadcast would make it ask again
    }
    this.changed()
    return this.state()
  }

  /** Deletes everything about the pairing and ends its session at the service. */
  private async unpair(): Promise<void> {
    const { pairing } = this
    await this.leave()
    await this.end(undefined)
    this.link.renew()
    await this.session.forgetAll()
    await this.log.clear()
    await this.consent.clear()
    if (pairing) this.unpaired = await this.signOut.end(pairing) ? 'revoked' : 'later'
    await this.giveBack()
  }

  /** Deletes the pairing and all data of the account. The access to the network goes next, also after a crash. */
  private async leave(): Promise<void> {
    this.left = this.network
    this.pairing = undefined
    await store.set({ left: this.left })
    await store.remove('pairing')
    await this.account.forget()
    this.session.status = undefined
    await chrome.runtime.setUninstallURL('')
  }

  /**
   * Gives the access to the network of an ended pairing back, once no write needs
   * it to its end. A build for one network cannot: the browser grants it with the
   * extension.
   */
  private async giveBack(): Promise<void> {
    const { left } = this
    if (left === undefined || this.pairing || this.session.running?.entry.begun) return
    this.left = undefined
    if (NETWORK_ORIGIN === '' && left !== '') await chrome.permissions.remove({ origins: accessTo(left) }).catch(() => {}) // it was not granted
    await store.remove('left')
  }

  /** A paused browser receives no tasks: it finishes the running one, and disconnects. */
  private async pause(how: PauseFor): Promise<void> {
    this.paused = this.session.closed = true
    await store.set({ paused: true })
    await this.pauseUntil(pauseEnds(how, Date.now()))
  }

  private async resume(): Promise<void> {
    this.paused = this.session.closed = false
    await store.set({ paused: false })
    await this.pauseUntil(undefined)
    this.link.renew()
  }

  /** Stores when the pause ends by itself, and wakes the worker then. */
  private async pauseUntil(until: number | undefined): Promise<void> {
    this.pausedUntil = until
    await (until === undefined ? store.remove('paused_until') : store.set({ paused_until: until }))
    await (until === undefined ? chrome.alarms.clear('resume') : chrome.alarms.create('resume', { when: until }))
  }

  private async resumeWhenDue(): Promise<void> {
    if (this.paused && this.pausedUntil !== undefined && Date.now() >= this.pausedUntil) {
      await this.resume()
      this.changed()
    }
  }

  /** The member's shortcut: pauses, or resumes. */
  async command(name: string): Promise<void> {
    if (name !== 'pause' || !this.pairing) return
    await (this.paused ? this.resume() : this.pause('ever'))
    this.changed()
  }

  /**
   * Makes room for a new version: without the reload the browser would keep this
   * one, because a connected worker is never idle. The task in work ends first. The
   * new version does those that wait, from the journal.
   */
  async update(): Promise<void> {
    this.retired.abort()
    await until<void>(AbortSignal.timeout(updateMs), resolve => void this.works.then(resolve)).catch(() => {}) // time is up
    chrome.runtime.reload()
  }

  private tick(): void {
    void this.account.check(accountMs)
    void chrome.storage.session.get('tab') // any browser API call keeps the worker alive
  }

  private accountChanged(): void {
    this.session.beat()
    this.changed()
  }

  /**
   * The service has ended the session. The journal keeps the tasks that have begun: a
   * later session of the same member may still report it. The log stays until the member
   * deletes it.
   */
  private async over(end: 'revoked' | 'replaced'): Promise<void> {
    if (end === 'revoked') {
      await this.leave()
      await this.session.forgetUnbegun()
    }
    await this.end(end)
  }

  /**
   * Stores why the connection ended. After a restart the browser may take a
   * replaced session back.
   */
  private async end(how: 'revoked' | 'replaced' | undefined): Promise<void> {
    this.ended = how
    await store.set({ revoked: how === 'revoked' })
    await chrome.storage.session.set({ replaced: how === 'replaced' })
    this.changed()
  }

  /** A task becomes slow without an event. */
  private timePasses(): void {
    if (this.condition().kind !== this.shown?.kind) this.changed()
  }

  /** Refreshes the state shown to the member. */
  private changed(): void {
    void this.giveBack()
    if (this.paused && this.link.transport && !this.session.busy) this.link.renew()
    const condition = this.condition()
    if (this.shown?.kind !== condition.kind) {
      this.shown = { kind: condition.kind, since: Date.now() }
      void chrome.storage.session.set({ shown: this.shown })
    }
    const tone = toneOf[condition.kind]
    const { kind } = condition
    void chrome.action.setBadgeText({ text: badges[kind === 'paused' || kind === 'asking' ? kind : tone] })
    void chrome.action.setBadgeBackgroundColor({ color: tone === 'bad' ? '#c0362c' : tone === 'wait' ? '#b35900' : '#667085' })
    void chrome.action.setTitle({ title: `Watchpost: ${chrome.i18n.getMessage(`pill_${condition.kind}`)}` })
    chrome.runtime.sendMessage({ type: 'changed' }).catch(() => {}) // no page is listening
  }

  private condition(): Condition {
    return conditionOf({
      paired: this.pairing !== undefined, ended: this.ended, access: this.access, paused: this.paused, pausedUntil: this.pausedUntil,
      connected: this.link.transport !== undefined, lostAt: this.link.lostAt, account: this.account.now,
      status: this.link.transport ? this.session.status : undefined, working: this.session.running !== undefined,
      askedSince: this.consent.asked[0]?.at, slowSince: this.slowSince,
    })
  }

  /** Origin of the network that the member works on; "" while it is not known. */
  private get network(): string { return NETWORK_ORIGIN || (this.pairing?.network ?? '') }

  /** Since when the running task waits for its page, while that is long. */
  private get slowSince(): number | undefined {
    const { running } = this.session
    return running && running.quiet >= slowMs ? running.movedAt : undefined
  }

  private state(): State {
    const { running, status, bound, skippable } = this.session
    const condition = this.condition()
    const state: State = {
      version: chrome.runtime.getManifest().version, network: this.network,
      condition: { ...this.shown?.kind === condition.kind && { since: this.shown.since }, ...condition },
      paused: this.paused, skippable, pace: this.pace, writes: this.writes, account: this.account.now, waiting: status?.waiting ?? 0, allowances: status?.allowances ?? [], deeds: this.log.deeds,
    }
    if (this.pairing) {
      const { token: _, ...pairing } = this.pairing
      state.pairing = pairing
    }
    if (bound) state.bound = bound
    const [asked] = this.consent.asked
    if (asked) state.question = questionOn(asked, this.account.adapter, this.network)
    if (this.unpaired) state.unpaired = this.unpaired
    if (this.link.transport) state.transport = this.link.transport
    if (running) state.running = deedOf(running.entry, running.entry.at)
    return state
  }
}

/** The text over the extension's icon. */
const badges: Record<Tone | 'paused' | 'asking', string> = { good: '', off: '', wait: '…', bad: '!', paused: 'II', asking: '?' }

/** What the worker itself keeps in chrome.storage.local. */
interface Stored {
  pairing?: Pairing
  paused?: boolean
  paused_until?: number
  revoked?: boolean
  left?: string
  pace?: number
  writes?: Pace
}
