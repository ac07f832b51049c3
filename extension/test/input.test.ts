import { expect, it } from 'vitest'
import { fields, required } from '../src/page/input'

const shape = { a: 'text', n: 'number', list: 'texts' } as const

it('reads present fields and treats absent ones as empty', () => {
  expect(fields({ a: 'x', n: 3, list: ['y'], more: true }, shape)).toEqual({ a: 'x', n: 3, list: ['y'] })
  expect(fields({ a: null }, shape)).toEqual({ a: '', n: 0, list: [] })
})

it('refuses other types and names the field', () => {
  for (const [input, field] of [[{ a: 1 }, 'a'], [{ n: '1' }, 'n'], [{ n: 1.5 }, 'n'], [{ list: 'x' }, 'list'], [{ list: [1] }, 'list'], [null, 'object'], [[], 'object'], ['x', 'object']] as const) {
    expect(() => fields(input, shape)).toThrow(expect.objectContaining({ code: 'invalid_input', message: expect.stringContaining(field) }))
  }
  expect(() => required('', 'text')).toThrow(expect.objectContaining({ code: 'invalid_input' }))
})
