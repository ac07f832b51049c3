import type { ErrorCode, TaskError } from './protocol'

/** Why something at the network did not work: it becomes the error of a result. */
export class Fault extends Error {
  constructor(
    readonly code: ErrorCode,
    message: string,
    /** False when a write may have been applied all the same. */
    readonly sure = true,
  ) {
    super(message)
  }
}

/** How a failure is reported. A read changes nothing whatever happens to it. */
export function taskError(failure: unknown, write: boolean): TaskError {
  if (!(failure instanceof Fault)) return { code: 'internal', message: String(failure), acted: write ? null : false }
  return { code: failure.code, message: failure.message, acted: write && !failure.sure ? null : false }
}
