import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { limits } from '../errors/limits.ts'
import { encodeJson } from './json-value.ts'

/** Values that JSON can represent and PostgreSQL stores unchanged. */
const jsonValue = fc
  .jsonValue({ stringUnit: 'grapheme', maxDepth: 8 })
  .map((value) => JSON.parse(JSON.stringify(value)) as unknown)
  .filter((value) => !JSON.stringify(value).includes('\\u0000'))

function nested(levels: number, wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = 1
  for (let i = 0; i < levels; i++) value = wrap(value)
  return value
}

describe('a value that JSON can represent', () => {
  test('parses back equal, and its text is as short as JSON allows', () => {
    fc.assert(
      fc.property(jsonValue, (value) => {
        const text = encodeJson(value)
        expect(JSON.parse(text)).toEqual(value)
        expect(text).toBe(JSON.stringify(value))
      }),
      { numRuns: 500 },
    )
  })

  test('is written the same from an instance of a class and an object without prototype', () => {
    class Point {
      x = 1
      y = { z: [2] }
    }
    const bare = Object.assign(Object.create(null), { x: 1, y: { z: [2] } })
    for (const value of [new Point(), bare, { x: 1, y: { z: [2] } }])
      expect(encodeJson(value)).toBe('{"x":1,"y":{"z":[2]}}')
  })

  test.for([
    [undefined, 'null'],
    [null, 'null'],
    [true, 'true'],
    [0, '0'],
    [-0, '0'],
    [1e21, '1e+21'],
    [Number.MAX_VALUE, '1.7976931348623157e+308'],
    [Number.MIN_VALUE, '5e-324'],
    ['', '""'],
    [{}, '{}'],
    [[], '[]'],
    [{ a: undefined, b: 1 }, '{"b":1}'],
    [[undefined, 1], '[null,1]'],
    [new Array(2), '[null,null]'],
    [new Date(0), '"1970-01-01T00:00:00.000Z"'],
    [{ at: new Date(0) }, '{"at":"1970-01-01T00:00:00.000Z"}'],
    [new URL('http://a.b/?c=d'), '"http://a.b/?c=d"'],
    [{ toJSON: 5 }, '{"toJSON":5}'],
    [{ toJSON: () => null }, 'null'],
    [{ a: { toJSON: (key: string) => `at ${key}` } }, '{"a":"at a"}'],
    [[{ toJSON: (key: string) => `at ${key}` }], '["at 0"]'],
    [Object.create({ inherited: () => 1 }), '{}'],
    [Object.assign(Object.create({ inherited: Number.NaN }), { own: 1 }), '{"own":1}'],
    [{ [Symbol('hidden')]: 1, seen: 2 }, '{"seen":2}'],
  ] as [unknown, string][])('case %#: %j becomes %s', ([value, text]) => {
    expect(encodeJson(value)).toBe(text)
  })

  test('may have a toJSON that returns itself', () => {
    const value = { a: 1, toJSON: (): unknown => value }
    // A method of the class, because a function among the object's own properties is refused.
    class Self {
      a = 1
      toJSON(): unknown {
        return this
      }
    }
    expect(encodeJson(new Self())).toBe('{"a":1}')
    expect(() => encodeJson(value)).toThrow(expect.objectContaining({ field: 'payload.toJSON' }))
  })

  test('may have properties named __proto__, constructor and prototype', () => {
    const text = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"a":[{}]}'
    const value = JSON.parse(text)
    expect(encodeJson(value)).toBe(text)
    expect(JSON.parse(encodeJson(value))).toEqual(value)
    expect(({} as { polluted?: number }).polluted).toBe(undefined)
  })

  test('is written the same when Object.prototype is polluted', () => {
    const shared = Object.prototype as { polluted?: unknown }
    shared.polluted = () => 'oops'
    try {
      expect(encodeJson({ a: { b: 1 }, c: [{}] })).toBe('{"a":{"b":1},"c":[{}]}')
    } finally {
      delete shared.polluted
    }
  })

  test('may contain one object in many places', () => {
    const shared = { a: 1 }
    expect(encodeJson([shared, { shared }])).toBe('[{"a":1},{"shared":{"a":1}}]')
  })
})

describe('nesting', () => {
  const inArrays = (inner: unknown) => [inner]
  const inObjects = (inner: unknown) => ({ a: inner })

  test.for([
    ['arrays', inArrays],
    ['objects', inObjects],
    ['both', (inner: unknown) => (Array.isArray(inner) ? { a: inner } : [inner])],
  ] as [string, (inner: unknown) => unknown][])(
    'of %s may be 100 levels deep, but not 101',
    ([, wrap]) => {
      const deepest = nested(limits.payloadDepth, wrap)
      expect(JSON.parse(encodeJson(deepest))).toEqual(deepest)
      expect(() => encodeJson(wrap(deepest))).toThrow(
        expect.objectContaining({ code: 'payload_too_deep' }),
      )
    },
  )

  test.for([
    ['arrays', inArrays, /^payload(?:\[0\])+/],
    ['objects', inObjects, /^payload(?:\.a)+/],
  ] as [string, (inner: unknown) => unknown, RegExp][])(
    'of 100,000 %s is refused with a bounded path, not by a stack overflow',
    ([, wrap, path]) => {
      const error = refusal(nested(100_000, wrap))
      expect(error).toMatchObject({ code: 'payload_too_deep', field: expect.stringMatching(path) })
      expect(error.field.length).toBeLessThan(250)
      expect(error.message.length).toBeLessThan(400)
    },
  )

  test('added by a toJSON counts too', () => {
    const endless = { toJSON: () => ({ more: endless }) }
    expect(refusal(endless)).toMatchObject({ code: 'payload_too_deep' })
    expect(refusal({ toJSON: () => nested(101, inArrays) })).toMatchObject({
      code: 'payload_too_deep',
    })
  })
})

describe('the size limit', () => {
  test.for([
    ['a', 1],
    ['é', 2],
    ['€', 3],
    ['😀', 4],
    ['"', 2],
    ['\u0001', 6],
  ] as const)('is exact for strings of %j, which takes %i bytes', ([character, bytes]) => {
    const count = 1_000
    const text = character.repeat(count)
    const size = bytes * count + 2
    expect(encodeJson(text, 'payload', size)).toBe(JSON.stringify(text))
    expect(refusal(text, size - 1)).toMatchObject({ code: 'payload_too_large', field: 'payload' })
  })

  test('is exact for any value', () => {
    fc.assert(
      fc.property(jsonValue, (value) => {
        const size = Buffer.byteLength(JSON.stringify(value))
        fc.pre(value !== null)
        expect(encodeJson(value, 'payload', size)).toBe(JSON.stringify(value))
        expect(refusal(value, size - 1)).toMatchObject({ code: 'payload_too_large' })
      }),
    )
  })

  test('accepts 1 MiB by default, and not one byte more', () => {
    const largest = 'x'.repeat(limits.payloadBytes - 2)
    expect(encodeJson(largest)).toHaveLength(limits.payloadBytes)
    expect(refusal(`${largest}x`)).toMatchObject({
      code: 'payload_too_large',
      message: expect.stringContaining(String(limits.payloadBytes)),
    })
  })

  test('counts the escapes that JSON adds', () => {
    expect(refusal('\n'.repeat(limits.payloadBytes / 2))).toMatchObject({
      code: 'payload_too_large',
    })
  })

  test.for([
    ['a string of 100 MB', () => 'x'.repeat(100_000_000)],
    ['a sparse array of four billion', () => new Array(2 ** 32 - 1)],
    ['references that double 90 times', () => nested(90, (inner) => [inner, inner])],
    ['names that double 90 times', () => nested(90, (inner) => ({ a: inner, b: inner }))],
    ['a large string in many places', () => new Array(100_000).fill('x'.repeat(1_000_000))],
    ['a large name in many places', () => new Array(100_000).fill({ ['x'.repeat(100_000)]: 1 })],
    ['a large array in many places', () => new Array(100_000).fill(new Array(100_000).fill(1))],
    ['a toJSON that doubles', () => nested(90, (inner) => ({ toJSON: () => [inner, inner] }))],
    ['a megabyte of bytes', () => Buffer.alloc(1_000_000)],
  ] as [string, () => unknown][])('refuses %s without walking or writing all of it', ([, make]) => {
    expect(refusal(make())).toMatchObject({ code: 'payload_too_large', field: 'payload' })
  })
})

function refusal(value: unknown, maxBytes?: number): Error & { code: string; field: string } {
  try {
    encodeJson(value, 'payload', maxBytes)
  } catch (error) {
    return error as Error & { code: string; field: string }
  }
  throw new Error('it was accepted')
}
