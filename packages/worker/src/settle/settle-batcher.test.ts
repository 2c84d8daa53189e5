import type { ClaimedRun, Settlement } from '@punctual/core/ports'
import { ManualClock } from '@punctual/testkit'
import { expect, it } from 'vitest'
import { RunLogs } from '../reports/run-logs.ts'
import { SettleBatcher } from './settle-batcher.ts'

const run = (id: string) => ({ id, fence: 1n }) as ClaimedRun
const success = (id: string): Settlement => ({
  kind: 'succeeded',
  run: run(id),
  startedAgoMs: 1,
  output: null,
})

function make(settle: (batch: readonly Settlement[]) => Promise<readonly string[]>) {
  const clock = new ManualClock()
  const settled: [string, string, boolean][] = []
  const errors: unknown[] = []
  const logs = new RunLogs(
    { appendLogs: async () => undefined, logBytes: async () => new Map() },
    clock,
    () => undefined,
  )
  const settler = new SettleBatcher({
    clock,
    logs,
    sessionId: () => '1',
    mayRepeat: () => true,
    store: { settle: (_, batch) => settle(batch) },
    events: {
      onSettled: (s, accepted) => settled.push([s.run.id, s.kind, accepted]),
      onError: (error) => errors.push(error),
    },
  })
  return { settler, clock, settled, errors }
}

it('outcomes that arrive together are settled in one batch', async () => {
  const batches: number[] = []
  const { settler, settled } = make(async (batch) => {
    batches.push(batch.length)
    return []
  })
  for (let i = 0; i < 10; i++) settler.add(success(String(i)))
  await settler.idle()
  expect(batches).toEqual([10])
  expect(settled.length).toBe(10)
})

it('a single outcome is settled at once, and in a burst those of the next turns join the batch', async () => {
  const batches: number[] = []
  const { settler } = make(async (batch) => {
    batches.push(batch.length)
    return []
  })
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  settler.add(success('alone'))
  await turn()
  await settler.idle()
  expect(batches).toEqual([1])
  for (const part of ['a', 'b']) {
    for (let i = 0; i < 60; i++) settler.add(success(`${part}${i}`))
    await turn()
  }
  await settler.idle()
  expect(batches).toEqual([1, 120])
})

it('each outcome is reported as accepted or refused', async () => {
  const { settler, settled } = make(async () => ['b'])
  for (const id of ['a', 'b', 'c']) settler.add(success(id))
  await settler.idle()
  expect(settled).toEqual([
    ['a', 'succeeded', true],
    ['b', 'succeeded', false],
    ['c', 'succeeded', true],
  ])
})

it('two attempts of one run are settled separately, so that each has its own answer (case 28)', async () => {
  const batches: string[][] = []
  const { settler, settled } = make(async (batch) => {
    batches.push(batch.map((s) => `${s.run.id}${s.run.fence}`))
    return batch.filter((s) => s.run.id === 'a' && s.run.fence === 1n).map((s) => s.run.id)
  })
  const again = { ...success('a'), run: { id: 'a', fence: 2n } as ClaimedRun }
  for (const settlement of [success('a'), success('b'), again, success('c')])
    settler.add(settlement)
  await settler.idle()
  expect(batches).toEqual([
    ['a1', 'b1'],
    ['a2', 'c1'],
  ])
  expect(settled.map(([id, , accepted]) => [id, accepted])).toEqual([
    ['a', false],
    ['b', true],
    ['a', true],
    ['c', true],
  ])
})

it('the one outcome that cannot be stored is settled as dead, and the others unchanged', async () => {
  const { settler, settled } = make(async (batch) => {
    if (batch.some((s) => s.run.id === 'poison' && s.kind === 'succeeded'))
      throw Object.assign(new Error('unsupported Unicode escape sequence'), { code: '22P05' })
    return []
  })
  for (const id of ['a', 'b', 'poison', 'c', 'd']) settler.add(success(id))
  await settler.idle()
  expect(settled.toSorted()).toEqual([
    ['a', 'succeeded', true],
    ['b', 'succeeded', true],
    ['c', 'succeeded', true],
    ['d', 'succeeded', true],
    ['poison', 'dead', true],
  ])
})

it('settling is retried while the database is unreachable, and loses nothing', async () => {
  let away = true
  const { settler, settled, errors, clock } = make(async () => {
    if (away) throw Object.assign(new Error('away'), { code: 'ECONNREFUSED' })
    return []
  })
  settler.add(success('a'))
  await new Promise((resolve) => setImmediate(resolve))
  await clock.advance(60_000)
  expect(settled).toEqual([])
  expect(errors.length).toBeGreaterThan(5)
  away = false
  await clock.advance(10_000)
  await settler.idle()
  expect(settled).toEqual([['a', 'succeeded', true]])
})

it('two attempts of one run, one of them stale, are not settled together: answers name runs', async () => {
  const batches: bigint[][] = []
  const { settler, settled } = make(async (batch) => {
    batches.push(batch.map((s) => s.run.fence))
    return batch.some((s) => s.run.fence === 1n) ? ['a'] : []
  })
  settler.add(success('a'))
  settler.add({ ...success('a'), run: { ...run('a'), fence: 2n } })
  await settler.idle()
  expect(batches).toEqual([[1n], [2n]])
  expect(settled).toEqual([
    ['a', 'succeeded', false],
    ['a', 'succeeded', true],
  ])
})

it('after giving up, nothing is retried: the reaper returns the runs', async () => {
  const { settler, settled, errors, clock } = make(async () => {
    throw Object.assign(new Error('away'), { code: 'ECONNREFUSED' })
  })
  settler.add(success('a'))
  await new Promise((resolve) => setImmediate(resolve))
  await clock.advance(1_000)
  settler.giveUp()
  await settler.idle()
  const tries = errors.length
  await clock.advance(60_000)
  expect(errors.length).toBe(tries)
  expect(settled).toEqual([])
})
