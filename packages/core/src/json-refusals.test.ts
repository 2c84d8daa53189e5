import { describe, expect, test } from 'vitest'
import { encodeJson } from './check/json-value.ts'
import { PunctualError } from './errors/errors.ts'

const angry = () => {
  throw new Error('do not look at me')
}

class Tagged {
  readonly [Symbol.toStringTag] = 'Empty'
}

/** Values that JSON would silently change, or cannot write. */
const refused: [string, unknown, RegExp][] = [
  ['NaN', Number.NaN, /is NaN, which JSON cannot hold/],
  ['Infinity', Number.POSITIVE_INFINITY, /is Infinity/],
  ['-Infinity', Number.NEGATIVE_INFINITY, /is -Infinity/],
  ['a bigint', 10n, /is a bigint.*string/],
  ['a function', () => 1, /is a function, which JSON would drop/],
  ['a class', class {}, /is a function/],
  ['a symbol', Symbol('x'), /is a symbol/],
  ['a Map', new Map([[1, 2]]), /of type Map/],
  ['a Set', new Set([1]), /of type Set/],
  ['a WeakMap', new WeakMap(), /of type WeakMap/],
  ['a WeakSet', new WeakSet(), /of type WeakSet/],
  ['a Promise', Promise.resolve(), /of type Promise/],
  ['an Error', new Error('x'), /of type Error/],
  ['an Error with properties', Object.assign(new Error('x'), { code: 'E' }), /of type Error/],
  ['a RegExp', /x/, /of type RegExp/],
  ['bytes', new Uint8Array(3), /of type Uint8Array/],
  ['a buffer of bytes', new ArrayBuffer(3), /of type ArrayBuffer/],
  ['search parameters', new URLSearchParams('a=b'), /of type URLSearchParams/],
  ['an iterator', [1][Symbol.iterator](), /of type Array Iterator/],
  ['an object of nothing but a tag', new Tagged(), /of type Empty/],
  ['a number object', Object(5), /of type Number/],
  ['a bigint object', Object(5n), /of type BigInt/],
  ['a symbol object', Object(Symbol('x')), /of type Symbol/],
  ['an invalid Date', new Date(Number.NaN), /is an invalid Date/],
  ['a toJSON that throws', { toJSON: angry }, /cannot be read: do not look at me/],
  ['a toJSON that returns undefined', { toJSON: () => undefined }, /returns undefined/],
  ['a toJSON that returns NaN', { toJSON: () => Number.NaN }, /is NaN/],
  ['a toJSON that returns a Map', { toJSON: () => new Map() }, /of type Map/],
  ['a toJSON that returns a function', { toJSON: () => angry }, /is a function/],
  ['a toJSON that returns a bigint', { toJSON: () => 1n }, /is a bigint/],
  ['an array with a toJSON that throws', Object.assign([1], { toJSON: angry }), /do not look/],
  ['a proxy that throws', new Proxy({}, { ownKeys: angry, get: angry }), /do not look at me/],
]

describe.each(refused)('%s is refused', (_, value, message) => {
  test.for([
    ['alone', value, 'payload'],
    ['in an object', { a: { b: value } }, 'payload.a.b'],
    ['in an array', [0, [value]], 'payload[1][0]'],
    ['after other values', { fine: [1, 'x', null, {}], bad: value }, 'payload.bad'],
    ['under a name that is not an identifier', { 'a b': value }, 'payload["a b"]'],
    ['under an empty name', { '': { '': value } }, 'payload[""][""]'],
    [
      'in an object of a class',
      new (class {
        at = [value]
      })(),
      'payload.at[0]',
    ],
    ['in the result of a toJSON', { a: { toJSON: () => ({ b: value }) } }, 'payload.a.b'],
  ] as [string, unknown, string][])('%s, with its path', ([, whole, field]) => {
    const error = refusal(whole)
    expect(error).toBeInstanceOf(PunctualError)
    expect(error).toMatchObject({ code: 'invalid_payload', field })
    expect(error.message).toMatch(message)
    expect(error.message.startsWith(field)).toBe(true)
  })
})

test('a getter that throws is refused with its path, and its error is the cause', () => {
  const cause = new TypeError('no')
  const value = {
    list: [
      {
        get secret() {
          throw cause
        },
      },
    ],
  }
  expect(refusal(value)).toMatchObject({
    code: 'invalid_payload',
    field: 'payload.list[0].secret',
    cause,
  })
})

test('a getter that throws a non-Error is refused like any other', () => {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  for (const thrown of [undefined, null, 'text', 5n, Symbol('s'), proxy])
    expect(
      refusal({
        get a() {
          throw thrown
        },
      }),
    ).toMatchObject({ code: 'invalid_payload', field: 'payload.a' })
})

describe('a value that contains itself is refused at the reference that closes the cycle', () => {
  test.for([
    [
      'an object',
      () => {
        const a: Record<string, unknown> = {}
        a.self = a
        return a
      },
      'payload.self',
    ],
    [
      'an array',
      () => {
        const a: unknown[] = []
        a.push(1, a)
        return a
      },
      'payload[1]',
    ],
    [
      'a cycle of three',
      () => {
        const a: Record<string, unknown> = { b: { c: [] as unknown[] } }
        ;(a.b as { c: unknown[] }).c.push(a)
        return { start: a }
      },
      'payload.start.b.c[0]',
    ],
    [
      'a cycle next to other values',
      () => {
        const ring: Record<string, unknown> = { x: [1, 2, { y: 'z' }] }
        ring.again = ring
        return [{ fine: true }, ring]
      },
      'payload[1].again',
    ],
  ] as [string, () => unknown, string][])('%s', ([, make, field]) => {
    expect(refusal(make())).toMatchObject({
      code: 'invalid_payload',
      field,
      message: `${field} contains itself, which JSON cannot hold.`,
    })
  })
})

describe('text that PostgreSQL cannot store', () => {
  test.for([
    ['a NUL', '\u0000'],
    ['a NUL in the middle', 'a\u0000b'],
    ['a NUL after a backslash', '\\\u0000'],
    ['a NUL after two backslashes', '\\\\\u0000'],
    ['a NUL after an escaped one', '\\u0000\u0000'],
    ['a high surrogate', '\ud800'],
    ['a low surrogate', '\udfff'],
    ['surrogates in the wrong order', '\udc00\ud800'],
    ['half of a pair after a whole one', '😀\ud83d'],
    ['half of a pair after a backslash', '\\\udead'],
  ] as const)('is refused: %s', ([, text]) => {
    for (const value of [text, { a: [text] }, { [text]: 1 }])
      expect(refusal(value)).toMatchObject({
        code: 'invalid_payload',
        field: 'payload',
        message: expect.stringMatching(/NUL character or half of a surrogate pair/),
      })
  })

  test.for([
    ['the six characters of an escaped NUL', '\\u0000'],
    ['the same after more backslashes', '\\\\\\u0000'],
    ['the six characters of a lone surrogate', '\\ud800'],
    ['other escapes that look alike', '\\u0001\\ud7ff\\ue000 \u0001\u001f'],
    ['whole pairs', '😀𝄞'],
    ['the replacement character', '\ufffd'],
    ['noncharacters', '\ufffe\uffff'],
    ['a byte order mark', '\ufeff'],
    ['right-to-left and zero-width', '\u202egnp.exe\u200b\u200d\u2066'],
    ['line separators', '\u2028\u2029'],
    ['a trailing backslash', 'C:\\'],
  ] as const)('is not: %s', ([, text]) => {
    for (const value of [text, { a: [text] }, { [text]: 1 }])
      expect(JSON.parse(encodeJson(value))).toEqual(value)
  })

  test('is searched for in linear time', () => {
    const text = `\\u0000${'\\'.repeat(500_000)}`
    expect(JSON.parse(encodeJson(text))).toBe(text)
  })
})

test('a path is bounded and printable for any names', () => {
  for (const name of [
    'x'.repeat(100_000),
    '😀'.repeat(1_000),
    '\r\n\u001b[31m\u009b31m\u007f\ud800\u0000',
  ]) {
    const { field, message } = refusal({ a: { [name]: Number.NaN } })
    expect(field.length).toBeLessThan(250)
    expect(message.length).toBeLessThan(400)
    expect(message.isWellFormed()).toBe(true)
    expect(message).not.toMatch(/\p{Cc}/u)
  }
})

test('a value that changes between the check and the encoding is still JSON, or refused', () => {
  let calls = 0
  const fickle = { toJSON: () => (++calls % 2 === 1 ? 1 : undefined) }
  expect(refusal(fickle)).toMatchObject({ code: 'invalid_payload', field: 'payload' })
  const treacherous = { toJSON: () => (++calls % 2 === 0 ? angry() : 1) }
  calls = 0
  expect(refusal(treacherous)).toMatchObject({ code: 'invalid_payload', field: 'payload' })
})

test('the field has the name that the caller passes', () => {
  expect(() => encodeJson({ a: 1n }, 'output')).toThrow(
    expect.objectContaining({ field: 'output.a', message: expect.stringMatching(/^output\.a is/) }),
  )
})

function refusal(value: unknown): Error & { code: string; field: string } {
  try {
    encodeJson(value)
  } catch (error) {
    return error as Error & { code: string; field: string }
  }
  throw new Error('it was accepted')
}
