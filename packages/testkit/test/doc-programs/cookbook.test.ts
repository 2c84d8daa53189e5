/** Every recipe of the cookbook does what its page says. */
import { migratedDatabase, type TestDatabase } from '@punctual/testkit'
import { Punctual } from 'punctual'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { readSource } from '../tidy/source-files.ts'
import { runDocProgram } from './doc-program.ts'

const PAGE = 'docs/cookbook.md'
let database: TestDatabase
let punctual: Punctual

beforeAll(async () => {
  database = await migratedDatabase()
  punctual = await Punctual.start({ databaseUrl: database.url })
  vi.stubGlobal('punctual', punctual)
})
afterAll(async () => {
  vi.unstubAllGlobals()
  await punctual.stop()
  await database.drop()
})

const recipes: Readonly<Record<string, readonly string[]>> = {
  transaction: ['confirmed o-1'],
  once: ['false true'],
  remind: ['cancelled'],
  'put-off': ['saved in a minute', 'rescheduled'],
  'retry-after': ['done in attempt 2'],
  'dead-letter': ['dead 1', 'posted to bob@example.com'],
  'exactly-once': ['counted'],
  checkpoint: ['attempt 1: a', 'attempt 1: b', 'attempt 2: c', 'attempt 2: d'],
  schedule: ['2027-01-01T09:00:00-05:00', '2027-01-04T09:00:00-05:00'],
  wait: ['still at it'],
  'fan-out': ['30'],
  context: ['[clean-up] cleaning'],
}

test('the cookbook has exactly twelve recipes', () => {
  const named = [...readSource(PAGE).matchAll(/^\/\/ recipe-(.+)\.ts$/gm)].map(([, name]) => name)
  expect(named).toEqual(Object.keys(recipes))
  expect(named).toHaveLength(12)
})

test.for(Object.entries(recipes))('the recipe %s', async ([name, printed]) => {
  expect(await runDocProgram(PAGE, `recipe-${name}.ts`)).toEqual(printed)
})
