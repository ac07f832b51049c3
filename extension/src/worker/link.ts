import type { FromService, FromSession, Hello, Welcome } from '../shared/protocol'
import { HEARTBEAT_S } from '../shared/protocol'
import { readFrame } from '../shared/schema'
import { Heartbeats } from './heartbeats'
import { openPoll } from './poll'
import { openSocket } from './socket'
import { wait } from './task'
import type { Connection, End, Transport } from './transport'

/** The owner of a link. */
export interface LinkHandler {
  /** The service and token to connect with; undefined when there is none. */
  target(): { service: string; token: string } | undefined
  hello(token: string): Hello
  /** Called after each welcome. */
  welcome(frame: Welcome, send: (frame: FromSession) => void): void
  receive(frame: FromService): Promise<void>
  /** Called when a connection has ended after its welcome. */
  farewell(): void
  /** Called every HEARTBEAT_S while there is a connection. */
  tick(): void
  /** Whether there are tasks. */
  busy(): boolean
  /** Called when a heartbeat is due. */
  beat(): void
  /** Called when the service ended the session. */
  over(end: 'revoked' | 'replaced'): Promise<void>
  changed(): void
}

export const periods = {
  minBackoffMs: 1000,
  maxBackoffMs: 30_000,
  /**
   * Time limit for welcome: a service that accepts the connection and stays
   * silent counts as unreachable.
   */
  welcomeMs: 15_000,
  /** How long a session uses long poll before it tries the socket again. */
  socketRetryMs: 5 * 60_000,
  /** Number of failed socket attempts before long poll. */
  socketTries: 3,
}

/**
 * Keeps a connection with the service. It prefers the socket; after some failed
 * attempts it uses long poll and retries the socket periodically.
 */
export class Link {
  /** The transport in use; undefined before welcome. */
  transport: 'socket' | 'poll' | undefined
  /** When the connection was lost, or the first attempt failed, while attempts fail. */
  lostAt: number | undefined
  private lastSeen: number | undefined
  private running = false
  private connection: Connection | undefined
  private retryNow = new AbortController()
  private readonly heartbeats = new Heartbeats()

  constructor(
    private readonly handler: LinkHandler,
    private readonly transports: Record<'socket' | 'poll', Transport> = { socket: openSocket, poll: openPoll },
    private readonly pause: typeof wait = wait,
    private readonly chance: () => number = Math.random,
  ) {}

  /** Connects unless connected. Every start and alarm of the worker calls this. */
  ensure(): void {
    if (!this.running) void this.run()
  }

  /** Connects at once instead of after the current pause, to the current target. */
  renew(): void {
    this.retryNow.abort()
    this.connection?.close()
    this.ensure()
  }

  private async run(): Promise<void> {
    this.running = true
    let failed = 0, backoff = periods.minBackoffMs
    for (let target = this.handler.target(); target; target = this.handler.target()) {
      this.retryNow = new AbortController()
      const by = failed < periods.socketTries ? 'socket' : 'poll'
      const { welcomed, end } = await this.converse(by, target)
      if (end === 'revoked' || end === 'replaced') {
        await this.handler.over(end)
        continue
      }
      if (welcomed) {
        backoff = periods.minBackoffMs
        this.lastSeen = Date.now()
      } else if (end === 'lost') {
        this.lostAt ??= this.lastSeen ?? Date.now()
        this.handler.changed()
      }
      if (end === 'closed') {
        if (by === 'poll') failed = periods.socketTries - 1 // one try, then long poll again
        continue
      }
      if (by === 'socket') failed = welcomed ? 0 : failed + 1
      else if (!welcomed) failed = periods.socketTries - 1 // the service is unreachable, which proves nothing about sockets
      // Half of the pause is random, so that sessions do not reconnect all at
      // once after a restart of the service.
      await this.pause(backoff / 2 + this.chance() * backoff / 2, this.retryNow.signal).catch(() => {})
      backoff = Math.min(backoff * 2, periods.maxBackoffMs)
    }
    this.running = false
  }

  /** Runs one connection: hello, welcome, then all other frames. */
  private async converse(by: 'socket' | 'poll', { service, token }: { service: string; token: string }): Promise<{ welcomed: boolean; end: End }> {
    let welcomed = false, revoked = false
    let handled = Promise.resolve()
    let ticks: ReturnType<typeof setInterval> | undefined
    const connection = this.transports[by](service, this.handler.hello(token), raw => {
      const frame = readFrame(raw)
      if (!frame) return handled
      if (frame.type === 'revoked') revoked = true
      else if (frame.type === 'welcome' && !welcomed) {
        welcomed = true
        this.lostAt = this.lastSeen = undefined
        clearTimeout(silent)
        this.transport = by
        this.handler.welcome(frame, f => connection.send(f))
        const asked = frame.heartbeat_s ?? HEARTBEAT_S
        this.heartbeats.begin()
        this.heartbeats.ask(asked)
        ticks = setInterval(() => this.tick(), Math.min(asked, HEARTBEAT_S) * 1000)
        this.handler.changed()
      } else if (welcomed) {
        if (frame.type === 'status' && frame.heartbeat_s !== undefined) this.heartbeats.ask(frame.heartbeat_s)
        handled = handled.then(() => this.handler.receive(frame)).catch(err => console.error('frame not handled', frame.type, err))
      }
      return handled
    })
    this.connection = connection
    const silent = setTimeout(() => connection.close(), periods.welcomeMs)
    const retry = by === 'poll' ? setTimeout(() => connection.close(), periods.socketRetryMs) : undefined
    let end = await connection.ended
    if (end === 'cut') {
      if (welcomed) this.heartbeats.cut()
      end = 'lost'
    }
    if (end === 'closed' && !welcomed && !this.retryNow.signal.aborted) end = 'lost'
    clearTimeout(silent)
    clearTimeout(retry)
    clearInterval(ticks)
    this.connection = this.transport = undefined
    if (welcomed) this.handler.farewell()
    this.handler.changed()
    return { welcomed, end: revoked ? 'revoked' : end }
  }

  private tick(): void {
    this.handler.tick()
    if (this.heartbeats.tick(this.handler.busy())) this.handler.beat()
  }
}
