// The member's own pace: how long a pause lasts, and which tasks are kept apart.

/** For how long the member pauses the extension. */
export type PauseFor = 'hour' | 'tomorrow' | 'ever'

/** The hour at which a pause until tomorrow ends. */
const morning = 8
/** A pause until tomorrow is a night at least. */
const nightMs = 6 * 3600_000

/** When a pause ends that begins now, in milliseconds since 1970; undefined: when the member resumes. */
export function pauseEnds(how: PauseFor, now: number): number | undefined {
  if (how === 'ever') return undefined
  if (how === 'hour') return now + 3600_000
  const at = new Date(now)
  at.setHours(morning, 0, 0, 0)
  while (at.getTime() < now + nightMs) at.setDate(at.getDate() + 1)
  return at.getTime()
}

/** Nothing was done for so long: what waits then has piled up, in milliseconds. */
export const stallMs = 60_000
/** Bounds of the random pause between tasks that have piled up, in milliseconds. */
const apartMs = [4000, 12_000] as const

/** The facts that are known when a task begins or ends. */
export interface Moment {
  /** Number of tasks that wait. */
  waiting: number
  /** For how long nothing was done before, in milliseconds; undefined: nothing was ever done. */
  idleMs?: number | undefined
  /** The task's page has kept it waiting for long. */
  slow?: boolean
}

/** How many of the next tasks are kept apart: those that had piled up. */
export const piledUp = (left: number, { waiting, idleMs = 0, slow }: Moment): number =>
  Math.max(left - 1, slow === true || idleMs >= stallMs ? waiting : 0, 0)

/** How long to wait before the next task, in milliseconds. */
export const apart = (left: number, chosenMs: number, chance: number): number =>
  Math.max(chosenMs, left > 0 ? apartMs[0] + chance * (apartMs[1] - apartMs[0]) : 0)
