import type { Pulse } from '../shared/messages'
import { Fault } from '../shared/fault'
import { wait, type Task } from './task'

/** A page that gives no sign for so long counts as gone, in milliseconds. */
export const silentMs = 20_000
/** A task that does not get on for so long is given up, in milliseconds: others wait behind it. */
export const stuckMs = 55_000
/** The same for the page of a write that has begun: the rest of the time is for looking what became of it. */
export const stuckWriteMs = 30_000

/** A task that its page has kept waiting for so long counts as slow, in milliseconds. */
export const slowMs = 10_000

const tickMs = 1000
/** Interval of the questions to a page, in milliseconds. */
const askMs = 2000

/** The page gave no sign in time: the browser has frozen it, or it never loads. */
export const silent = new Error('the page did not answer in time')

/**
 * Waits for work of a task on a page. Rejects with silent when the page gives no
 * sign for silentMs, and with a Fault when the task does not get on for stuckMs.
 * A sign is an answer to ask, or that the task gets on; a frozen page gives none.
 * Time is counted in ticks of this worker, so that a computer that slept has lost
 * none.
 */
export async function attend<T>(task: Task, work: Promise<T>, ask?: () => Promise<Pulse>, stuck = stuckMs): Promise<T> {
  const over = new AbortController()
  try {
    return await Promise.race([work, watch(task, over.signal, stuck, ask)])
  } finally {
    over.abort()
  }
}

function watch(task: Task, over: AbortSignal, stuck: number, ask?: () => Promise<Pulse>): Promise<never> {
  return new Promise((_, reject) => {
    let unanswered = 0, sinceAsked = 0, asking = false, steps = 0
    const heard = (pulse: Pulse) => {
      asking = false
      unanswered = 0
      if (pulse.steps > steps) task.moved()
      steps = pulse.steps
    }
    const tick = () => {
      task.quiet += tickMs
      unanswered = Math.min(unanswered + tickMs, task.quiet)
      sinceAsked += tickMs
      if (task.quiet >= stuck) return reject(new Fault('timeout', 'the network did not answer in time'))
      if (unanswered >= silentMs) return reject(silent)
      if (ask && !asking && sinceAsked >= askMs) {
        asking = true
        sinceAsked = 0
        ask().then(heard, reject)
      }
      next()
    }
    const next = () => void wait(tickMs, over).then(tick, () => {})
    next()
  })
}
