import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { NonRetryableError, PunctualError, RetryAfterError } from './errors.ts'
import {
  type Failure,
  failureFrom,
  fingerprint,
  isNonRetryable,
  retryAfterMs,
  shown,
  storableText,
} from './failure.ts'
import { limits } from './limits.ts'

const angry = () => {
  throw new Error('do not look at me')
}

/** A Proxy whose every trap throws. */
function angryProxy(target: object = {}): object {
  const traps = Object.getOwnPropertyNames(Reflect).map((name) => [name, angry])
  return new Proxy(target, Object.fromEntries(traps))
}

function revokedProxy(): object {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

function circularCause(): Error {
  const inner = new Error('inner')
  const outer = new Error('outer', { cause: inner })
  inner.cause = outer
  return outer
}

function sharedForEver(): unknown {
  let value: unknown = ['ha']
  for (let i = 0; i < 60; i++) value = [value, value]
  return value
}

const anything = fc.anything({
  withBigInt: true,
  withDate: true,
  withMap: true,
  withNullPrototype: true,
  withSet: true,
  withSparseArray: true,
  withTypedArray: true,
  stringUnit: 'binary',
})

const hostile: [string, unknown, Partial<Failure>][] = [
  ['undefined', undefined, { name: 'NonError', message: expect.stringMatching(/: undefined$/) }],
  ['null', null, { name: 'NonError', message: expect.stringMatching(/: null$/) }],
  ['nothing at all', '', { name: 'NonError' }],
  ['a string', 'disk full', { name: 'NonError', message: expect.stringMatching(/: disk full$/) }],
  ['a number', 42, { name: 'NonError', message: expect.stringMatching(/: 42$/) }],
  ['NaN', Number.NaN, { name: 'NonError', message: expect.stringMatching(/: NaN$/) }],
  ['a bigint', 10n, { name: 'NonError', message: expect.stringMatching(/: 10$/) }],
  ['a symbol', Symbol('s'), { name: 'NonError', message: expect.stringMatching(/: Symbol\(s\)$/) }],
  ['a function', () => 1, { name: 'NonError', message: expect.stringContaining('=> 1') }],
  [
    'a promise',
    Promise.resolve(),
    { name: 'NonError', message: expect.stringContaining('Promise') },
  ],
  [
    'an object',
    { why: 'x' },
    { name: 'NonError', message: expect.stringContaining('{"why":"x"}') },
  ],
  ['an object without prototype', Object.create(null), { name: 'NonError' }],
  ['an array', [1, [2]], { name: 'NonError', message: expect.stringContaining('[1,[2]]') }],
  ['references without end', sharedForEver(), { name: 'NonError' }],
  ['a frozen error', Object.freeze(new Error('cold')), { name: 'Error', message: 'cold' }],
  ['something like an error', { message: 'like' }, { name: 'Error', message: 'like' }],
  ['an error without message', new Error(), { name: 'Error', message: '' }],
  ['an error without name', Object.assign(new Error('x'), { name: '' }), { name: 'Error' }],
  ['an error with a null message', { message: null }, { message: '' }],
  ['an error whose message is a number', { message: 5 }, { message: '5' }],
  ['an error whose message is a symbol', { message: Symbol('m') }, { message: 'Symbol(m)' }],
  ['an error whose message has no text', { message: Object.create(null) }, { name: 'Error' }],
  [
    'an error whose message cannot be converted',
    { message: { toString: angry, toJSON: angry } },
    {},
  ],
  ['an error whose message is a proxy', { message: angryProxy() }, { name: 'Error' }],
  ['an error whose properties have other types', { message: 'm', name: 5, stack: 6 }, {}],
  ['a code that is a number', { message: 'm', code: 404 }, { code: '404' }],
  ['a code that is an object', { message: 'm', code: {} }, { message: 'm' }],
  ['a proxy whose every trap throws', angryProxy(), { name: 'NonError' }],
  ['a proxied error whose every trap throws', angryProxy(new Error('x')), { name: 'NonError' }],
  ['a proxied function whose every trap throws', angryProxy(() => 1), { name: 'NonError' }],
  ['a proxy that was revoked', revokedProxy(), { name: 'NonError' }],
  ['a circular cause', circularCause(), { name: 'Error', message: 'outer' }],
  ['several errors', new AggregateError([1, 2], 'many'), { name: 'AggregateError' }],
  ['an abort', new DOMException('stop', 'AbortError'), { name: 'AbortError', message: 'stop' }],
  [
    'a PunctualError',
    new PunctualError('stopped', 'm'),
    { name: 'PunctualError', code: 'stopped' },
  ],
  [
    'getters that throw',
    Object.defineProperties(new Error('x'), {
      stack: { get: angry },
      message: { get: angry },
      name: { get: angry },
      code: { get: angry },
    }),
    { name: 'Error', message: '' },
  ],
]

describe('any thrown value becomes a record', () => {
  test.for(hostile)('%s', ([, thrown, expected]) => {
    const failure = failureFrom(thrown)
    expect(failure).toMatchObject(expected)
    expectStorable(failure)
    expect(typeof fingerprint(failure)).toBe('string')
    expect(isNonRetryable(thrown)).toBe(false)
    expect(retryAfterMs(thrown)).toBe(null)
  })

  test('any generated value', () => {
    fc.assert(fc.property(anything, (thrown) => expectStorable(failureFrom(thrown))))
  })

  test('an error with any strings in its properties', () => {
    const text = fc.string({ unit: 'binary', maxLength: 300 })
    fc.assert(
      fc.property(text, text, text, text, (message, name, stack, code) => {
        const failure = failureFrom({ message, name, stack, code })
        expectStorable(failure)
        expectWellFormed(fingerprint(failure))
      }),
    )
  })

  test('NUL and halves of surrogate pairs are replaced in every property', () => {
    const bad = 'a\u0000b\ud800c\udfffd😀'
    const error = Object.assign(new Error(bad), { name: bad, stack: bad, code: bad })
    const good = 'a\ufffdb\ufffdc\ufffdd😀'
    expect(failureFrom(error)).toEqual({ name: good, message: good, stack: good, code: good })
    expect(failureFrom(bad).message).toContain(good)
  })

  test('a string that is too long is cut and marked as truncated', () => {
    const long = 'x'.repeat(1_000_000)
    const error = Object.assign(new Error(long), { name: long, stack: long, code: long })
    const { name, message, stack, code } = failureFrom(error)
    for (const [text, max] of [
      [name, limits.nameLength],
      [message, limits.errorMessageLength],
      [stack, limits.errorStackLength],
      [code, limits.nameLength],
    ] as const) {
      expect(text).toHaveLength(max)
      expect(text).toMatch(/^x+… \(truncated\)$/)
    }
  })

  test('a stack overflow is recorded within the limits', () => {
    const fall = (): never => fall()
    let thrown: unknown
    try {
      fall()
    } catch (error) {
      thrown = error
    }
    expect(failureFrom(thrown)).toMatchObject({ name: 'RangeError' })
  })
})

function expectStorable(failure: Failure): void {
  expectWellFormed(JSON.stringify(failure))
  for (const text of Object.values(failure)) expectWellFormed(text)
  expect(failure.name.length).toBeLessThanOrEqual(limits.nameLength)
  expect(failure.message.length).toBeLessThanOrEqual(limits.errorMessageLength)
  expect(failure.stack?.length ?? 0).toBeLessThanOrEqual(limits.errorStackLength)
}

function expectWellFormed(text: string): void {
  expect(text.isWellFormed()).toBe(true)
  expect(text).not.toContain('\u0000')
}

describe('a string for the database', () => {
  test('is unchanged when PostgreSQL can store it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 50 }), (text) => {
        fc.pre(!text.includes('\u0000'))
        expect(storableText(text, 500)).toBe(text)
      }),
    )
  })

  test('never exceeds the limit, and is well-formed where the cut splits a surrogate pair', () => {
    for (let length = 14; length < 40; length++) {
      const cut = storableText('😀'.repeat(50), length)
      expect(cut.length).toBe(length)
      expectWellFormed(cut)
    }
    expect(storableText('x'.repeat(40), 40)).toBe('x'.repeat(40))
  })

  test('represents any value within the limit', () => {
    expect(shown('x'.repeat(500)).length).toBeLessThanOrEqual(80)
    expect(shown({ big: 'x'.repeat(500) }).length).toBeLessThanOrEqual(80)
    expect(shown(new Date(Number.NaN))).toContain('Invalid Date')
    expect(shown(angryProxy())).toBe('a value that cannot be shown')
    expect(shown('line\u2028\n\u001b[31m')).toBe('"line\u2028\\n\\u001b[31m"')
  })
})

describe('a retry instruction of a handler', () => {
  test('is recognised by its class, by a subclass, and by its name', () => {
    class Hopeless extends NonRetryableError {}
    const copied = Object.assign(new Error('x'), { name: 'NonRetryableError' })
    for (const thrown of [new NonRetryableError('x'), new Hopeless('x'), copied])
      expect(isNonRetryable(thrown)).toBe(true)
    const copy = Object.assign(new Error('x'), { name: 'RetryAfterError', retryAfterMs: 5 })
    expect(retryAfterMs(copy)).toBe(5)
  })

  test('is not read from values that only resemble it', () => {
    expect(isNonRetryable({ name: 'NonRetryableError' })).toBe(false)
    expect(retryAfterMs({ name: 'RetryAfterError', retryAfterMs: 5 })).toBe(null)
    expect(retryAfterMs(Object.assign(new Error('x'), { retryAfterMs: 5 }))).toBe(null)
  })

  test.for([
    [0, 0],
    [0.5, 0.5],
    [1_000, 1_000],
    [limits.delayMsMax + 1, limits.delayMsMax],
    [Number.MAX_VALUE, limits.delayMsMax],
    [-1, null],
    [Number.NaN, null],
    [Number.POSITIVE_INFINITY, null],
    ['1000', null],
    [5n, null],
    [undefined, null],
  ] as [number, number | null][])('a delay of %s counts as %s', ([delayMs, expected]) => {
    expect(retryAfterMs(new RetryAfterError(delayMs))).toBe(expected)
  })
})

describe('a fingerprint', () => {
  const fingerprintOf = (message: string, name = 'Error', code?: string) =>
    fingerprint({ name, message, ...(code !== undefined && { code }) })

  test.for([
    ['order 1 failed', 'order 982374 failed'],
    ['took 1.5 s', 'took 20 s'],
    ['connect ECONNREFUSED 10.0.0.1:5432', 'connect ECONNREFUSED 192.168.12.9:6543'],
    ['no run 0190a1b2-c3d4-7000-8000-0123456789ab', 'no run FFFFFFFF-ffff-7fff-bfff-ffffffffffff'],
    ['no document 507f1f77bcf86cd799439011', 'no document 65a1b2c3d4e5f60718293a4b'],
    ['request 12345678 failed', 'request 1a2b3c4d failed'],
    ['at 0xdeadbeef', 'at 0x1'],
    ['user42 is gone', 'user7 is gone'],
    ['two\n\n  lines', 'two lines'],
    ['due 2026-01-01T00:00:00Z', 'due 2027-12-31T23:59:59Z'],
  ] as const)('is the same for %j and %j', ([one, other]) => {
    expect(fingerprintOf(one)).toBe(fingerprintOf(other))
  })

  test('is the same for long messages that differ only in ids, wherever the cut falls', () => {
    const message = (id: string) => `${id} `.repeat(200)
    expect(fingerprintOf(message('0190a1b2-c3d4-7000-8000-0123456789ab'))).toBe(
      fingerprintOf(message('0190ffff-eeee-7ddd-8ccc-bbbbbbbbbbbb')),
    )
  })

  test.for([
    [fingerprintOf('no such user'), fingerprintOf('no such order')],
    [fingerprintOf('x', 'TypeError'), fingerprintOf('x', 'RangeError')],
    [fingerprintOf('x', 'Error', 'ENOENT'), fingerprintOf('x', 'Error', 'EACCES')],
    [fingerprintOf('x', 'Error', 'ENOENT'), fingerprintOf('x')],
    [fingerprintOf('the facade is dead beef'), fingerprintOf('the cafe is dead beef')],
  ])('differs between %j and %j', ([one, other]) => {
    expect(one).not.toBe(other)
  })

  test('is short and storable', () => {
    for (let length = 280; length < 310; length++) {
      const text = fingerprintOf(`${'x'.repeat(length)}😀😀😀`)
      expect(text.length).toBeLessThanOrEqual(300)
      expectWellFormed(text)
    }
  })

  test('is computed in linear time', () => {
    for (const evil of ['f', '0x', '1.', '-', ' \n', 'a1', '00000000-'])
      expect(
        fingerprintOf(evil.repeat(limits.errorMessageLength / evil.length)).length,
      ).toBeLessThan(301)
  })
})
