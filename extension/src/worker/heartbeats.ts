import { HEARTBEAT_S } from '../shared/protocol'

/**
 * Says when a session sends heartbeats. Time is counted in ticks of HEARTBEAT_S: a tick
 * is also what keeps the worker alive. The service asks for an interval; while there are
 * tasks every tick has a heartbeat, because leases are short.
 *
 * A proxy may end connections that are idle for less than that. So a connection that is
 * cut while it is idle for longer than it ever was halves the interval, until the worker
 * starts again.
 */
export class Heartbeats {
  /** Ticks between two, as the service asks. */
  private asked = 1
  /** Ticks between two, at most. */
  private most = Infinity
  /** Ticks since the last one, and the most that the connection has survived. */
  private idle = 0
  private survived = 0

  /** Begins a connection. */
  begin(): void { this.idle = this.survived = 0 }

  /** Takes the interval that the service asks for, in seconds. */
  ask(seconds: number): void { this.asked = Math.max(1, Math.floor(seconds / HEARTBEAT_S)) }

  /** Counts a tick, and reports whether it has a heartbeat. */
  tick(busy: boolean): boolean {
    if (++this.idle < this.every && !busy) return false
    this.survived = Math.max(this.survived, this.idle)
    this.idle = 0
    return true
  }

  /** Takes note that the connection ended without a word of the service. */
  cut(): void {
    if (this.idle > this.survived) this.most = Math.max(1, Math.floor(this.every / 2))
  }

  private get every(): number { return Math.min(this.asked, this.most) }
}
