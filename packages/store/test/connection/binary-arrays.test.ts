/** Binary arrays reach PostgreSQL unchanged. */
import { TestStore } from '@punctual/testkit'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  int2Array,
  int4Array,
  int8Array,
  int8ArrayOfNumbers,
  jsonbArray,
  sumOfInt8Array,
  textArray,
  uuidArray,
} from '../../src/connection/binary-arrays.ts'

let t: TestStore
beforeAll(async () => {
  t = await TestStore.open()
})
afterAll(() => t.close())

async function echo(type: string, buffer: Buffer): Promise<unknown[]> {
  const { rows } = await t.sql.query(`select to_jsonb($1::${type}[]::text[]) as back`, [buffer])
  return rows[0].back
}

const texts = fc.array(
  fc.option(fc.string({ unit: 'binary' }).filter((s) => !s.includes('\u0000') && s.isWellFormed())),
  { maxLength: 20 },
)

it('arrays of strings and nulls reach PostgreSQL unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(texts, async (values) => {
      expect(await echo('text', textArray(values))).toEqual(values)
    }),
    { numRuns: 50 },
  )
})

it('arrays of integers of every size reach PostgreSQL unchanged', async () => {
  const big = fc.array(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), { maxLength: 20 })
  await fc.assert(
    fc.asyncProperty(big, async (values) => {
      expect(await echo('int8', int8Array(values))).toEqual(values.map(String))
      const sum = values.reduce((total, value) => total + value, 0n)
      expect(sumOfInt8Array(int8Array(values))).toBe(sum.toString())
    }),
    { numRuns: 30 },
  )
  const safe = fc.array(fc.option(fc.nat({ max: Number.MAX_SAFE_INTEGER })), { maxLength: 20 })
  await fc.assert(
    fc.asyncProperty(safe, async (values) => {
      expect(await echo('int8', int8ArrayOfNumbers(values))).toEqual(
        values.map((v) => (v === null ? null : String(v))),
      )
    }),
    { numRuns: 30 },
  )
  expect(await echo('int4', int4Array([-1, 0, 2_147_483_647]))).toEqual(['-1', '0', '2147483647'])
  expect(await echo('int2', int2Array([-32_768, 7]))).toEqual(['-32768', '7'])
})

it('arrays of UUIDs and JSON documents reach PostgreSQL unchanged', async () => {
  const ids = ['01a1de95-4352-7000-8007-7bc07e26849b', 'ffffffff-ffff-ffff-ffff-ffffffffffff']
  expect(await echo('uuid', uuidArray(ids))).toEqual(ids)
  expect(await echo('jsonb', jsonbArray(['{"a":1}', null]))).toEqual(['{"a": 1}', null])
})

it('empty arrays reach PostgreSQL unchanged', async () => {
  for (const [type, empty] of [
    ['text', textArray([])],
    ['uuid', uuidArray([])],
    ['int8', int8ArrayOfNumbers([])],
  ] as const)
    expect(await echo(type, empty)).toEqual([])
})

it('an array of strings of 80 MB in total reaches PostgreSQL complete', async () => {
  const value = 'ü'.repeat(1_000_000)
  const { rows } = await t.sql.query('select sum(length(x))::int as n from unnest($1::text[]) x', [
    textArray(new Array(40).fill(value)),
  ])
  expect(rows[0].n).toBe(40_000_000)
})
