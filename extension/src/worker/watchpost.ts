import type { FromPage } from '../shared/messages'
import type { FromUI, Pairing, State } from '../shared/state'
import { AccountWatch } from './account'
import { about, ActivityLog } from './activity_log'
import { Journal, type Store } from './journal'
import { Link } from './link'
import { Runner } from './runner'
import { Session } from './session'
import { BrowserTabs } from './tabs'

/** Interval of account checks apart from tasks and the member's own visits. */
const accountMs = 5 * 60_000

const store = chrome.storage.local as unknown as Store

/** Connects the parts of the worker. */
export class Watchpost {
  private pairing: Pairing | undefined
  private paused = false
  private ended: State['ended']

  readonly tabs = new BrowserTabs(NETWORK_ORIGIN)
  private readonly session: Session
  private readonly runner: Runner
  private readonly link: Link

  private constructor(journal: Journal, private readonly account: AccountWatch, private readonly log: ActivityLog) {
    this.session = new Session(journal, () => account.now, chrome.runtime.getManifest().version, () => this.changed())
    this.runner = new Runner(this.session, this.tabs, account, entry => void log.write(entry))
    this.link = new Link({
      target: () => this.paused || this.ended ? undefined : this.pairing,
      hello: token => this.session.hello(token),
      welcome: (frame, send) => this.session.welcome(frame, send),
      receive: frame => this.session.receive(frame),
      farewell: () => this.session.farewell(),
      beat: () => this.beat(),
      over: end => this.over(end),
      changed: () => this.changed(),
    })
  }

  /** Continues from the state of the previous worker. */
  static async start(): Promise<Watchpost> {
    let worker: Watchpost | undefined
    const changed = () => worker?.changed()
    const journal = await Journal.open(store)
    const account = await AccountWatch.open(store, NETWORK_ORIGIN, () => worker?.accountChanged())
    const log = await ActivityLog.open(store, changed, () => worker?.session.now() ?? Date.now())
    worker = new Watchpost(journal, account, log)
    const { pairing, paused, revoked } = await store.get(null) as { pairing?: Pairing; paused?: boolean; revoked?: boolean }
    const { replaced } = await chrome.storage.session.get('replaced')
    worker.pairing = pairing
    worker.paused = worker.session.closed = paused === true
    worker.ended = replaced ? 'replaced' : revoked ? 'revoked' : undefined
    await worker.tabs.tidy(task => worker.session.tasks.get(task)?.entry.state !== 'done' && worker.session.tasks.has(task))
    void worker.runner.work(new AbortController().signal)
    await worker.wake()
    worker.changed()
    return worker
  }

  /** Makes sure that an alarm is set and the link runs. */
  async wake(): Promise<void> {
    // The browser may drop alarms on updates and restarts.
    if (!await chrome.alarms.get('wake')) await chrome.alarms.create('wake', { periodInMinutes: WAKE_SECONDS / 60 })
    if (this.pairing && !this.paused) void this.account.check(accountMs)
    this.link.ensure()
  }

  /** Opens the options page for a new user. */
  async installed(): Promise<void> {
    if (!this.pairing) await chrome.runtime.openOptionsPage()
  }

  /** A tab has changed: a task's, or one in which the member may have signed in or out. */
  async tabChanged(id: number, tab: chrome.tabs.Tab): Promise<void> {
    if (await this.tabs.ours(id)) return this.tabs.updated(id, tab)
    if (tab.status === 'complete' && tab.url?.startsWith(NETWORK_ORIGIN + '/') && this.pairing && !this.paused) await this.account.check()
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
        this.paused = this.session.closed = false
        await this.end(undefined)
        await store.set({ pairing, paused: false })
        await Promise.race([this.account.check(), new Promise(resolve => setTimeout(resolve, 3000))])
        this.link.renew()
        break
      }
      case 'unpair':
        this.pairing = undefined
        await store.remove('pairing')
        await this.end(undefined)
        this.link.renew()
        await this.session.forgetAll()
        await this.log.clear()
        break
      case 'pause':
        await this.pause(message.on)
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

  /** A paused browser receives no tasks: it finishes the running one, and disconnects. */
  private async pause(on: boolean): Promise<void> {
    this.paused = on
    this.session.closed = on
    await store.set({ paused: on })
    if (!on) this.link.renew()
  }

  private beat(): void {
    this.session.beat()
    void this.account.check(accountMs)
    void chrome.storage.session.get('tab') // any browser API call keeps the worker alive
  }

  private accountChanged(): void {
    this.session.beat()
    this.changed()
  }

  /**
   * The service has ended the session. The journal stays: a later session of
   * the same member may still report its entries.
   */
  private async over(end: 'revoked' | 'replaced'): Promise<void> {
    if (end === 'revoked') {
      this.pairing = undefined
      await store.remove('pairing')
    }
    await this.end(end)
  }

  /**
   * Stores why the connection ended. After a restart the browser may take a
   * replaced session back.
   */
  private async end(how: State['ended']): Promise<void> {
    this.ended = how
    await store.set({ revoked: how === 'revoked' })
    await chrome.storage.session.set({ replaced: how === 'replaced' })
    this.changed()
  }

  /** Refreshes the state shown to the member. */
  private changed(): void {
    if (this.paused && this.link.transport && !this.session.busy) this.link.renew()
    const { text, title, colour } = this.badge()
    void chrome.action.setBadgeText({ text })
    void chrome.action.setBadgeBackgroundColor({ color: colour })
    void chrome.action.setTitle({ title: `Watchpost: ${title}` })
    chrome.runtime.sendMessage({ type: 'changed' }).catch(() => {}) // no page is listening
  }

  private badge(): { text: string; title: string; colour: string } {
    if (this.ended) return { text: '!', title: this.ended === 'revoked' ? 'the pairing has ended' : 'connected elsewhere', colour: '#c0362c' }
    if (!this.pairing) return { text: '', title: 'not paired yet', colour: '#667085' }
    if (this.paused) return { text: 'II', title: 'paused', colour: '#667085' }
    if (this.link.transport && !this.account.now.signed_in) return { text: '!', title: 'not signed in to the network', colour: '#b35900' }
    return { text: '', title: this.link.transport ? 'connected' : 'connecting', colour: '#667085' }
  }

  private state(): State {
    const running = [...this.session.tasks.values()].find(t => t.running && t.entry.state !== 'done')?.entry
    const state: State = {
      version: chrome.runtime.getManifest().version, network: NETWORK_ORIGIN,
      paused: this.paused, account: this.account.now, uses: this.log.uses(), deeds: this.log.deeds,
    }
    if (this.pairing) {
      const { token: _, ...pairing } = this.pairing
      state.pairing = pairing
    }
    if (this.ended) state.ended = this.ended
    if (this.link.transport) state.connected = this.link.transport
    if (running) state.running = { task_type: running.task_type, about: about(running.input), since: running.at }
    return state
  }
}
