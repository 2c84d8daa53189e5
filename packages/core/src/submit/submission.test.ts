import { describe, expect, test } from 'vitest'
import { checkName, checkText } from '../check/check-value.ts'
import { PunctualError } from '../errors/errors.ts'
import { defaults, limits } from '../errors/limits.ts'
import type { SubmitOptions } from './run-options.ts'
import { type CompiledOptions, compileOptions } from './submission.ts'

const YEAR_9999 = 253_402_300_799_999

const angry = () => {
  throw new Error('do not look at me')
}

test('every option has a default', () => {
  expect(compileOptions('send-email')).toEqual({
    handler: 'send-email',
    queue: defaults.queue,
    priority: defaults.priority,
    dueMs: null,
    delayMs: null,
    maxAttempts: defaults.maxAttempts,
    timeoutMs: defaults.timeoutMs,
    key: null,
    conflict: null,
    labels: null,
    createdBy: null,
    trace: null,
    policy: null,
    traits: 0,
    strict: false,
    flow: null,
  })
})

test('an undefined option counts as not given', () => {
  const names = Object.keys(compileOptions('h'))
  const options = Object.fromEntries(
    [...names, 'runAt', 'concurrency', 'rate']
      .filter((n) => !['handler', 'dueMs', 'traits', 'policy', 'flow', 'conflict'].includes(n))
      .map((n) => [n, undefined]),
  )
  expect(compileOptions('h', options)).toEqual(compileOptions('h'))
})

test('the compiled form is frozen', () => {
  expect(() => Object.assign(compileOptions('h'), { priority: 10 })).toThrow(TypeError)
})

const accepted: [SubmitOptions, Partial<CompiledOptions>][] = [
  [{ priority: 0 }, { priority: 0 }],
  [{ priority: 10 }, { priority: 10 }],
  [{ maxAttempts: 1 }, { maxAttempts: 1 }],
  [{ maxAttempts: limits.attemptsMax }, { maxAttempts: limits.attemptsMax }],
  [{ timeoutMs: 1 }, { timeoutMs: 1 }],
  [{ timeoutMs: limits.timeoutMsMax }, { timeoutMs: limits.timeoutMsMax }],
  [{ delayMs: 0 }, { delayMs: 0, dueMs: null }],
  [{ delayMs: 0.5 }, { delayMs: 0.5 }],
  [{ delayMs: limits.delayMsMax }, { delayMs: limits.delayMsMax }],
  [{ runAt: 0 }, { dueMs: 0, delayMs: null }],
  [{ runAt: 1.9 }, { dueMs: 1 }],
  [{ runAt: new Date(5) }, { dueMs: 5 }],
  [{ runAt: new Date(YEAR_9999) }, { dueMs: YEAR_9999 }],
  [{ runAt: YEAR_9999 }, { dueMs: YEAR_9999 }],
  [{ runAt: '9999-12-31T23:59:59.999Z' }, { dueMs: YEAR_9999 }],
  [{ runAt: '1970-01-01' }, { dueMs: 0 }],
  [{ runAt: '2024-02-29' }, { dueMs: 1_709_164_800_000 }],
  [{ runAt: '1970-01-01T01:00+01:00' }, { dueMs: 0 }],
  [{ runAt: '1970-01-01T01:00:00+0100' }, { dueMs: 0 }],
  [{ runAt: '1970-01-01T00:00:00.123456Z' }, { dueMs: 123 }],
  [{ queue: 'q' }, { queue: 'q' }],
  [{ queue: 'x'.repeat(limits.nameLength) }, { queue: 'x'.repeat(limits.nameLength) }],
  [{ key: 'k'.repeat(limits.keyLength) }, { key: 'k'.repeat(limits.keyLength), traits: 1 }],
  [{ key: '😀 né שלום' }, { key: '😀 né שלום', traits: 1 }],
  [{ createdBy: 'c'.repeat(256) }, { createdBy: 'c'.repeat(256) }],
  [{ trace: 't'.repeat(512) }, { trace: 't'.repeat(512) }],
  [{ labels: {} }, { labels: null }],
  [{ labels: { a: '' } }, { labels: '{"a":""}' }],
  [{ labels: Object.assign(Object.create(null), { a: 'b' }) }, { labels: '{"a":"b"}' }],
  [{ strict: true }, { strict: true }],
  [{ strict: false }, { strict: false }],
]

test.for(accepted)('%j is accepted', ([options, expected]) => {
  expect(compileOptions('h', options)).toEqual({ ...compileOptions('h'), ...expected })
})

test('a policy is compiled to JSON', () => {
  const { policy } = compileOptions('h', { retry: { backoff: { kind: 'fixed' } } })
  expect(JSON.parse(policy as string)).toEqual({
    backoff: { kind: 'fixed', delayMs: 1_000, jitter: 0 },
    retryOn: ['failed', 'timed_out', 'crashed'],
  })
})

const notIntegers: unknown[] = [
  -1,
  0.5,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  '5',
  5n,
  null,
  true,
  [5],
  {},
]
const notTexts: unknown[] = [
  '',
  5,
  null,
  true,
  [],
  {},
  Symbol('s'),
  5n,
  { toString: angry },
  Object.create(null),
]
const notStorable = [
  '\u0000',
  'a\u0000b',
  '\n',
  '\r\n',
  '\t',
  '\u001b[31m',
  '\u007f',
  '\u009b31m',
  '\ud800',
  'a\udfff',
]
const notTimes: unknown[] = [
  new Date(Number.NaN),
  new Date('tomorrow'),
  Number.NaN,
  Number.POSITIVE_INFINITY,
  -1,
  YEAR_9999 + 1,
  8_640_000_000_000_000,
  new Date(8_640_000_000_000_000),
  new Date('+294277-01-01T00:00:00Z'),
  new Date(-1),
  '294277-01-01T00:00:00Z',
  '+010000-01-01T00:00:00Z',
  '1969-12-31T23:59:59Z',
  '2026-02-30',
  '2026-02-29T12:00:00Z',
  '2026-13-01',
  '2026-00-10',
  '2026-01-00',
  '2026-01-01T25:00:00Z',
  '2026-01-01T00:60:00Z',
  '2026-01-01T00:00:00+25:00',
  'tomorrow',
  'Jan 5 2026',
  '5',
  '1767225600000',
  '2026-1-5',
  '',
  ' 2026-01-01',
  '2026-01-01\n',
  null,
  true,
  5n,
  Symbol('s'),
  [2026],
  ['2026-01-01'],
  {},
  { valueOf: () => 5 },
  () => 5,
]

const refused: Record<string, unknown[]> = {
  priority: [...notIntegers, 11, -2147483649, 2 ** 53],
  maxAttempts: [...notIntegers, 0, limits.attemptsMax + 1, 32_768],
  timeoutMs: [...notIntegers, 0, limits.timeoutMsMax + 1, 2 ** 31],
  delayMs: [...notIntegers.filter((n) => n !== 0.5), limits.delayMsMax + 1, Number.MAX_VALUE],
  runAt: notTimes,
  queue: [...notTexts, ...notStorable, 'x'.repeat(limits.nameLength + 1)],
  key: [...notTexts, ...notStorable, 'x'.repeat(limits.keyLength + 1), 'x'.repeat(8_193)],
  createdBy: [...notTexts, ...notStorable, 'x'.repeat(limits.createdByLength + 1)],
  trace: [...notTexts, ...notStorable, 'x'.repeat(limits.traceLength + 1)],
  labels: ['a', 5, true, ['a'], new Map([['a', 'b']]), new Date(0), () => 1],
  strict: ['yes', 1, 0, null, {}],
  retry: [null, 'x', 5, []],
}

describe.each(Object.entries(refused))('%s', (field, values) => {
  test('of the wrong type or out of range is refused with its name', () => {
    for (const value of values) expect(refusal({ [field]: value })).toMatchObject({ field })
  })

  test('is refused with a bounded message that shows the received value', () => {
    for (const value of values) {
      const { message } = refusal({ [field]: value })
      expect(message).toMatch(/ must be .+; got .+\.$/su)
      expect(message.length).toBeLessThan(400)
      expect(message).not.toMatch(/\p{Cc}/u)
      expect(message.isWellFormed()).toBe(true)
    }
  })
})

test('the name of a handler is checked like any other name', () => {
  for (const name of [...notTexts, ...notStorable, 'x'.repeat(limits.nameLength + 1)])
    expect(() => compileOptions(name as string)).toThrow(
      expect.objectContaining({ code: 'invalid_option', field: 'handler' }),
    )
  expect(compileOptions('"; drop table runs; --').handler).toBe('"; drop table runs; --')
  expect(checkName('handler', '../../etc/passwd')).toBe('../../etc/passwd')
})

test('a string is counted in UTF-16 units, and its limit is exact', () => {
  expect(checkText('f', '😀'.repeat(5), 10)).toHaveLength(10)
  expect(() => checkText('f', '😀'.repeat(5), 9)).toThrow(/a string of 1 to 9 characters/)
})

test('runAt and delayMs exclude each other', () => {
  expect(refusal({ runAt: 5, delayMs: 5 })).toMatchObject({ field: 'runAt' })
})

describe('invalid options', () => {
  test.for([null, 5, 'text', true, [], () => 1])('%s is refused', (options) => {
    expect(refusal(options)).toMatchObject({ field: 'options' })
  })

  test.for([
    ['maxRetries', { maxRetries: 3 }],
    ['Priority', { Priority: 3 }],
    ['tx', { tx: { query: angry } }],
    ['__proto__', JSON.parse('{"__proto__":{"priority":9}}')],
    ['constructor', { constructor: 1 }],
    ['toString', { toString: () => 'x' }],
    ['x'.repeat(80), { ['x'.repeat(10_000)]: 1 }],
  ] as [string, object][])('an unknown one is refused with its name: %s', ([field, options]) => {
    const error = refusal(options)
    expect(error).toMatchObject({ field })
    expect(error.message).toMatch(/is not an option of submit\. Known: runAt, delayMs, .*trace\.$/)
    expect(error.message.length).toBeLessThan(400)
  })

  test('an inherited property is not an option', () => {
    const shared = Object.prototype as { polluted?: unknown }
    shared.polluted = 1
    try {
      expect(compileOptions('h', { priority: 3 }).priority).toBe(3)
    } finally {
      delete shared.polluted
    }
  })
})

describe('labels', () => {
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`label${i}`, `${i}`]))

  test('may be 16, but not 17', () => {
    expect(JSON.parse(compileOptions('h', { labels: many(16) }).labels as string)).toEqual(many(16))
    expect(refusal({ labels: many(17) })).toMatchObject({
      field: 'labels',
      message: expect.stringContaining('at most 16 labels; got 17'),
    })
    expect(refusal({ labels: many(100_000) })).toMatchObject({ field: 'labels' })
  })

  test('may have names of 64 and values of 256 characters, but not one more', () => {
    const largest = { ['n'.repeat(64)]: 'v'.repeat(256) }
    expect(compileOptions('h', { labels: largest }).labels).toBe(JSON.stringify(largest))
    expect(refusal({ labels: { ['n'.repeat(65)]: 'v' } }).field).toMatch(/^labels key "n+"$/)
    expect(refusal({ labels: { name: 'v'.repeat(257) } })).toMatchObject({ field: 'labels.name' })
  })

  test('accept only strings', () => {
    for (const value of notTexts.filter((v) => v !== ''))
      expect(refusal({ labels: { name: value } })).toMatchObject({ field: 'labels.name' })
    for (const value of notStorable)
      expect(refusal({ labels: { name: value } })).toMatchObject({ field: 'labels.name' })
  })

  test('accept neither empty names nor names with control characters', () => {
    for (const name of ['', ...notStorable])
      expect(refusal({ labels: { [name]: 'v' } }).field).toMatch(/^labels key /)
  })

  test('may be called __proto__ or constructor', () => {
    const labels = JSON.parse('{"__proto__":"p","constructor":"c","toJSON":"j"}')
    expect(compileOptions('h', { labels }).labels).toBe(JSON.stringify(labels))
  })

  test('are read once and unchanged: an inherited toJSON has no effect', () => {
    const labels = Object.assign(Object.create({ toJSON: () => 5 }), { a: 'b' })
    expect(compileOptions('h', { labels }).labels).toBe('{"a":"b"}')
    let reads = 0
    const fickle = {
      get a() {
        return ++reads === 1 ? 'b' : ('\u0000' as string)
      },
    }
    expect(compileOptions('h', { labels: fickle }).labels).toBe('{"a":"b"}')
  })
})

function refusal(options: unknown): PunctualError {
  try {
    compileOptions('h', options as SubmitOptions)
  } catch (error) {
    expect(error).toBeInstanceOf(PunctualError)
    expect(error).toMatchObject({ code: 'invalid_option' })
    return error as PunctualError
  }
  throw new Error('it was accepted')
}
