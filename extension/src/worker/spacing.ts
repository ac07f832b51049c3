import { apart, piledUp } from '../shared/pace'
import { slowMs } from './attend'
import type { Store } from './journal'
import type { Task } from './task'

/** What keeps tasks apart. */
export interface Spacing {
  /** A task begins. */
  begins(): void
  /** A task has ended: returns how long to wait before the next one, in milliseconds. */
  ends(task: Task): number
}

/** No pause between tasks. */
export const closeTogether: Spacing = { begins() {}, ends: () => 0 }

/**
 * Keeps tasks apart as the member has chosen, and those that have piled up while
 * nothing could be done, so that they do not go out in a burst. When the last task
 * ended is stored: a browser that was closed overnight has stalled, too.
 */
export class StallSpacing implements Spacing {
  /** Number of tasks still kept apart. */
  private left = 0

  private constructor(
    private readonly store: Store, private endedAt: number | undefined, private readonly chosenMs: () => number, private readonly waiting: () => number,
    private readonly clock: () => number, private readonly chance: () => number,
  ) {}

  static async open(
    store: Store, chosenMs: () => number, waiting: () => number, clock: () => number = Date.now, chance: () => number = Math.random,
  ): Promise<StallSpacing> {
    const { worked } = await store.get('worked')
    return new StallSpacing(store, typeof worked === 'number' ? worked : undefined, chosenMs, waiting, clock, chance)
  }

  begins(): void {
    this.left = piledUp(this.left, { waiting: this.waiting(), idleMs: this.endedAt === undefined ? undefined : this.clock() - this.endedAt })
  }

  ends(task: Task): number {
    this.endedAt = this.clock()
    void this.store.set({ worked: this.endedAt }).catch(() => {}) // then a stall of a closed browser is not noticed
    if (task.quiet >= slowMs) this.left = piledUp(this.left + 1, { waiting: this.waiting(), slow: true })
    return apart(this.left, this.chosenMs(), this.chance())
  }
}
