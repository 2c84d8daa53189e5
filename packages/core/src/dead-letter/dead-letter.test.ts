import { expect, test } from 'vitest'
import { compileDeadLetterFilter, deadLetterStateOf, isEmptyFilter } from './dead-letter.ts'

test('a filter without conditions is empty, and one with any condition is not', () => {
  expect(isEmptyFilter(compileDeadLetterFilter({}))).toBe(true)
  for (const filter of [{ queue: 'a' }, { diedFrom: 0 }, { fingerprint: 'Error: x' }])
    expect(isEmptyFilter(compileDeadLetterFilter(filter))).toBe(false)
})

test('times are compiled to instants from any accepted form', () => {
  const at = '2030-01-31T12:00:00Z'
  const filter = compileDeadLetterFilter({ diedFrom: at, diedBefore: new Date('2030-02-01') })
  expect(filter).toMatchObject({ fromMs: Date.parse(at), beforeMs: Date.parse('2030-02-01') })
})

test('a fingerprint may contain control characters of a message; a name may not', () => {
  expect(compileDeadLetterFilter({ fingerprint: 'Error: a\u0001b' }).fingerprint).toBe(
    'Error: a\u0001b',
  )
  expect(() => compileDeadLetterFilter({ queue: 'a\u0001b' })).toThrow(
    /queue must be free of control/,
  )
})

test('an invalid filter is refused with the field name', () => {
  const refused = (filter: unknown, message: RegExp) =>
    expect(() => compileDeadLetterFilter(filter as never)).toThrow(message)
  refused(null, /filter must be an object/)
  refused([], /filter must be an object/)
  refused({ queues: 'a' }, /filter must be an object with queue, handler, job/)
  refused({ queue: '' }, /queue must be a string of 1 to 128/)
  refused({ fingerprint: 'x'.repeat(301) }, /fingerprint must be a string of 1 to 300/)
  refused({ fingerprint: 'a\u0000b' }, /fingerprint must be free of NUL/)
  refused({ diedFrom: 'soon' }, /diedFrom must be a Date/)
  refused({ diedFrom: 2_000, diedBefore: 1_000 }, /diedBefore must be later than diedFrom/)
  expect(() => deadLetterStateOf('new')).toThrow(/state must be open or handled or all/)
  expect(deadLetterStateOf()).toBe('open')
})
