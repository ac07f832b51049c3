import { Fault } from '../shared/fault'

/** The kinds of fields that inputs have, by what they are when absent. */
interface Kinds { text: string; number: number; texts: string[] }

type Shape = Record<string, keyof Kinds>

/**
 * Reads the fields of an input; what is absent is "", 0 or []. Fault
 * invalid_input names the field that is of another kind.
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

/** Fault invalid_input for a text that must be there. */
export function required(value: string, field: string): string {
  if (value === '') throw new Fault('invalid_input', `no ${field}`)
  return value
}
