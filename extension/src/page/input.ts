import { Fault } from '../shared/fault'

/** The kinds of input fields, with their values when absent. */
interface Kinds { text: string; number: number; texts: string[] }

type Shape = Record<string, keyof Kinds>

/**
 * Reads the fields of an input; absent ones are "", 0 or []. Fault
 * invalid_input names a field of another type.
 */
export function fields<S extends Shape>(input: unknown, shape: S): { [F in keyof S]: Kinds[S[F]] } {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) throw new Fault('invalid_input', 'input: no object')
  const read = Object.entries(shape).map(([field, kind]) => [field, valueOf((input as Record<string, unknown>)[field], kind, field)])
  return Object.fromEntries(read) as { [F in keyof S]: Kinds[S[F]] }
}

function valueOf(value: unknown, kind: keyof Kinds, field: string): unknown {
  const absent = value === undefined || value === null
  if (kind === 'text' && (absent || typeof value === 'string')) return value ?? ''
  if (kind === 'number' && (absent || Number.isSafeInteger(value))) return value ?? 0
  if (kind === 'texts' && (absent || Array.isArray(value) && value.every(one => typeof one === 'string'))) return value ?? []
  throw new Fault('invalid_input', `input: ${field}`)
}

/** Fault invalid_input for a missing text. */
export function required(value: string, field: string): string {
  if (value === '') throw new Fault('invalid_input', `no ${field}`)
  return value
}
