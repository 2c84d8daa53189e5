import { expect, expectTypeOf, test } from 'vitest'
import { fromWire, toWire } from './snake.ts'

test('a value in wire format has the names and the types of the wire', () => {
  const labels: Readonly<Record<string, string>> = { teamName: 'a' }
  const run = {
    ...{ runId: 'a', dueAt: new Date(0), fence: 7n, labels, error: null },
    attempts: [{ endedAt: new Date(1) }] as const,
  }
  const wire = toWire(run)
  expectTypeOf(wire).toEqualTypeOf<{
    run_id: string
    due_at: string
    fence: string
    labels: Readonly<Record<string, string>>
    error: null
    attempts: { ended_at: string }[]
  }>()
  expect(wire).toEqual({
    ...{ run_id: 'a', due_at: '1970-01-01T00:00:00.000Z', fence: '7', error: null },
    ...{ labels: { teamName: 'a' }, attempts: [{ ended_at: '1970-01-01T00:00:00.001Z' }] },
  })
})

test('members that only some values of a union have stay optional or absent', () => {
  const wire = toWire<{ state: 'done'; finishedAt: Date } | { state: 'live'; nextAt?: Date }>({
    state: 'live',
  })
  expectTypeOf(wire).toEqualTypeOf<
    { state: 'done'; finished_at: string } | { state: 'live'; next_at?: string }
  >()
  expect(wire).toEqual({ state: 'live' })
})

test('options of the library have its names, and user data is unchanged', () => {
  const options = fromWire({ log_bytes_per_run: 1, labels: { team_name: 'a' } })
  expectTypeOf(options).toEqualTypeOf<{ logBytesPerRun: number; labels: { team_name: string } }>()
  expect(options).toEqual({ logBytesPerRun: 1, labels: { team_name: 'a' } })
})
