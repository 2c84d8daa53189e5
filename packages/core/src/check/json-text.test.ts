import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { limits } from '../errors/limits.ts'
import { checkJsonText } from './json-text.ts'
import { encodeJson } from './json-value.ts'

const jsonValue = fc
  .jsonValue({ stringUnit: 'grapheme', maxDepth: 8 })
  .map((value) => JSON.parse(JSON.stringify(value)) as unknown)
  .filter((value) => !JSON.stringify(value).includes('\\u0000'))

test('text that Punctual wrote is parsed back unchanged, with any indentation', () => {
  fc.assert(
    fc.property(jsonValue, fc.constantFrom(0, 2, '\t'), (value, indent) => {
      expect(checkJsonText(encodeJson(value))).toEqual(value)
      expect(checkJsonText(JSON.stringify(value, null, indent))).toEqual(value)
    }),
    { numRuns: 500 },
  )
})

test('any double that JSON writes is parsed back', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
      fc.pre(!Object.is(number, -0))
      expect(checkJsonText(JSON.stringify(number))).toBe(number)
    }),
    { numRuns: 2_000 },
  )
})

test('a fraction printed with all 17 digits is parsed as the same double', () => {
  fc.assert(
    fc.property(fc.double({ min: 1e-30, max: 1e9, noNaN: true }), (number) => {
      fc.pre(!Number.isInteger(number))
      expect(checkJsonText(number.toPrecision(17))).toBe(number)
    }),
    { numRuns: 2_000 },
  )
})

test('an integer is parsed exactly, or refused', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }), (number) => {
      const text = number.toString()
      const kept = BigInt(Number(text)) === number && encodeJson(Number(text)) === text
      if (kept) expect(checkJsonText(text)).toBe(Number(text))
      else if (Math.abs(Number(text)) < 1e21)
        expect(() => checkJsonText(text)).toThrow(/which JavaScript would change/)
    }),
    { numRuns: 2_000 },
  )
})

describe('a number that JavaScript would change is refused', () => {
  test.for([
    '1e400',
    '-1e400',
    '1e100000',
    '1e99999999999999999999',
    `1${'0'.repeat(400)}`,
    '1e-400',
    '-1e-400',
    '-0',
    '-0.0',
    '-0e5',
    '9007199254740993',
    '-9007199254740993',
    '9007199254740993.0',
    '9007199254740992.5',
    '9.007199254740993e15',
    '18446744073709551615',
    '123456789012345678901234567890',
    '0.1234567890123456789012345',
    '3.14159265358979323846',
    '1.7976931348623159e308',
  ])('%s', (number) => {
    for (const text of [number, ` ${number} `, `[1,${number}]`, `{"a":{"b":${number}}}`])
      expect(() => checkJsonText(text)).toThrow(
        expect.objectContaining({
          code: 'invalid_payload',
          field: 'payload',
          message: expect.stringContaining(number.slice(0, 40)),
        }),
      )
  })

  test('but not inside a string', () => {
    for (const text of ['"1e400"', '"\\"1e400"', '{"1e400":"-0"}', '["\\\\", "9007199254740993"]'])
      expect(checkJsonText(text)).toEqual(JSON.parse(text))
  })

  test.for([
    ['0', 0],
    ['0.0', 0],
    ['0e100000', 0],
    ['1.0', 1],
    ['1.500', 1.5],
    ['100', 100],
    ['1E2', 100],
    ['1e+21', 1e21],
    ['1e21', 1e21],
    ['100000000000000000000', 1e20],
    ['9007199254740992', 2 ** 53],
    ['9007199254740991', 2 ** 53 - 1],
    ['-9007199254740991', -(2 ** 53) + 1],
    ['0.1', 0.1],
    ['0.10000000000000001', 0.1],
    ['0.30000000000000004', 0.1 + 0.2],
    ['1.7976931348623157e308', Number.MAX_VALUE],
    ['5e-324', Number.MIN_VALUE],
    ['0.000001', 1e-6],
    ['1e-7', 1e-7],
  ] as const)('but %s is accepted', ([text, number]) => {
    expect(checkJsonText(text)).toBe(number)
  })
})

test('900 bytes that PostgreSQL would expand to ten megabytes are refused', () => {
  const bomb = `[${new Array(100).fill('1e100000').join(',')}]`
  expect(bomb.length).toBeLessThan(905)
  expect(() => checkJsonText(bomb)).toThrow(/payload holds the number 1e100000/)
})

describe('a name that occurs twice in one object is refused', () => {
  test.for([
    ['{"a":1,"a":2}', 'a'],
    ['{"a":1,"b":{"a":1},"a":2}', 'a'],
    ['[{"x":1},{"x":1,"x":1}]', 'x'],
    ['{"a":1,"\\u0061":2}', 'a'],
    ['{"":1,"":2}', ''],
    ['{"__proto__":1,"__proto__":2}', '__proto__'],
    ['{ "a" : [ "a" , { } ] , "a"\n:\t1 }', 'a'],
  ] as const)('%s', ([text, name]) => {
    expect(() => checkJsonText(text)).toThrow(
      expect.objectContaining({
        code: 'invalid_payload',
        field: 'payload',
        message: expect.stringContaining(`the name ${JSON.stringify(name)} twice`),
      }),
    )
  })

  test.for([
    '{"a":1,"b":{"a":{"a":1}},"c":[{"a":1},{"a":1}]}',
    '{"a":"a","b":["a","a"]}',
    '["a","a",{"a":"b"},"a"]',
    '{"a\\"":1,"a":2}',
    '{"toString":1,"constructor":2,"hasOwnProperty":3,"__proto__":4}',
  ])('but not in another object or as a value: %s', (text) => {
    expect(checkJsonText(text)).toEqual(JSON.parse(text))
  })
})

describe('nesting in text', () => {
  const deep = (levels: number, open: string, close: string) =>
    open.repeat(levels) + (open === '[' ? '' : '1') + close.repeat(levels)

  test.for([
    ['arrays', '[', ']'],
    ['objects', '{"a":', '}'],
  ] as const)('of %s may be 100 levels deep, but not 101', ([, open, close]) => {
    expect(checkJsonText(deep(100, open, close))).toBeDefined()
    expect(() => checkJsonText(deep(101, open, close))).toThrow(
      expect.objectContaining({ code: 'payload_too_deep', field: 'payload' }),
    )
  })

  test.for([
    ['arrays', '[', ']', 500_000],
    ['objects', '{"a":', '}', 100_000],
  ] as const)(
    'of very many %s is refused before the stack overflows',
    ([, open, close, levels]) => {
      expect(() => checkJsonText(deep(levels, open, close))).toThrow(
        expect.objectContaining({ code: 'payload_too_deep' }),
      )
    },
  )

  test('is not counted inside strings', () => {
    const text = JSON.stringify({ ['['.repeat(500)]: '{'.repeat(500) })
    expect(checkJsonText(text)).toEqual(JSON.parse(text))
  })
})

describe('text that is not JSON, or too large', () => {
  test.for([
    '',
    ' ',
    'undefined',
    'NaN',
    'Infinity',
    "{'a':1}",
    '{"a":1,}',
    '[1,]',
    '01',
    '+1',
    '1.',
    '.5',
    '0x10',
    '"\u0000"',
    '"\t"',
    '"open',
    '{"a":1} {"b":2}',
    '\ufeff{}',
    '[',
    ']',
    '"\\x"',
    '"\\u00"',
  ])('%j is refused', (text) => {
    expect(() => checkJsonText(text, 'config')).toThrow(
      expect.objectContaining({
        code: 'invalid_payload',
        field: 'config',
        message: expect.stringMatching(/^config is not JSON: /),
      }),
    )
  })

  test.for(['"\\u0000"', '"\\ud800"', '"\\uDFFF"', '{"\\u0000":1}'])(
    '%s is refused: PostgreSQL cannot store it',
    (text) => {
      expect(() => checkJsonText(text)).toThrow(/NUL character or half of a surrogate pair/)
    },
  )

  test('escaped surrogate pairs and escaped backslashes are accepted', () => {
    expect(checkJsonText('"\\uD83D\\uDE00"')).toBe('😀')
    expect(checkJsonText('"\\\\u0000"')).toBe('\\u0000')
  })

  test('the limit applies to the text and to its bytes', () => {
    const largest = JSON.stringify('x'.repeat(limits.payloadBytes - 2))
    expect(checkJsonText(largest)).toHaveLength(limits.payloadBytes - 2)
    for (const text of [`${largest} `, JSON.stringify('é'.repeat(limits.payloadBytes / 2))])
      expect(() => checkJsonText(text)).toThrow(
        expect.objectContaining({ code: 'payload_too_large', field: 'payload' }),
      )
  })

  test('16 MiB of plain characters, backslashes, quotes or digits are checked quickly', () => {
    const size = limits.payloadBytesCeiling
    for (const text of [
      JSON.stringify('x'.repeat(size - 2)),
      JSON.stringify('\\'.repeat(size / 2 - 1)),
      `"${'\\"'.repeat(size / 2 - 1)}"`,
    ])
      expect(() => checkJsonText(text, 'payload', size)).not.toThrow()
    expect(() => checkJsonText(`0.${'0'.repeat(size / 2)}1${'0'.repeat(99)}`, 'n', size)).toThrow()
    expect(() => checkJsonText(`1${'0'.repeat(size / 2)}1`, 'n', size)).toThrow()
  })
})
