import type { ErrorCode, TaskError } from './protocol'

/** A failure on the network, which becomes the error of a result. */
export class Fault extends Error {
  constructor(
    readonly code: ErrorCode,
    message: string,
    /** False when a write may have been applied anyway. */
    readonly sure = true,
    /** A network_limit without a limit: the network asks to slow down. */
    readonly slowDown = false,
  ) {
    super(message)
  }

  /** The failure that a page has reported. */
  static of({ code, message, acted, slow_down: slowDown }: TaskError): Fault { return new Fault(code, message, acted !== null, slowDown === true) }
}

/** The reported error of a failure. A failed read changed nothing. */
export function taskError(failure: unknown, write: boolean): TaskError {
  if (!(failure instanceof Fault)) return { code: 'internal', message: String(failure), acted: write ? null : false }
  return { code: failure.code, message: failure.message, acted: write && !failure.sure ? null : false, ...failure.slowDown && { slow_down: true } }
}
