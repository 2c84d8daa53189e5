/** Stored values that fail the statement of a claim: only their own runs wait. */
import { compileOptions, makeSubmission } from '@punctual/core/submit'
import { TestStore } from '@punctual/testkit'
import { afterEach, beforeEach, expect, it } from 'vitest'

let t: TestStore
let faults: string[]
beforeEach(async () => {
  t = await TestStore.open()
  faults = []
  t.store.database.onFault.push((where, error) =>
    faults.push(`${where}: ${error instanceof Error ? error.message : error}`),
  )
})
afterEach(() => t.close())

/** A run whose rate has an interval that no statement can multiply. */
async function poisoned(queue: string): Promise<string> {
  const rate = { key: 'bad', limit: 1, burst: 5 }
  const [run] = await t.store.submit([makeSubmission(compileOptions('test', { queue, rate }), '1')])
  await t.sql.query(
    'update punctual.gated set rate_interval_us = 9223372036854775807 where run_id = $1',
    [run?.id],
  )
  return run?.id as string
}

const waitsMs = async (id: string): Promise<number> => {
  const { rows } = await t.sql.query(
    `select ((pos >> 20) - extract(epoch from clock_timestamp()) * 1000)::float8 as ms
     from punctual.queue where run_id = $1`,
    [id],
  )
  return rows[0].ms
}

it('a run that fails the claim goes back to the queue, and runs of all lanes start', async () => {
  const session = await t.session()
  const before = await t.submit({ queue: 'mixed' })
  const bad = await poisoned('mixed')
  const others = [before, await t.submit({ queue: 'mixed' })]
  for (const queue of ['a', 'b', 'c', 'd']) others.push(await t.submit({ queue }))
  const { runs, more } = await t.claim(session, 100)
  const again = more ? await t.claim(session, 100) : { runs: [] }
  const started = [...runs, ...again.runs].map(({ id }) => id)
  expect(started.toSorted()).toEqual(others.toSorted())
  expect(await waitsMs(bad)).toBeGreaterThan(50_000)
  expect(faults).toEqual(['claim: bigint out of range'])
})

it('the fences of a claim in parts differ, and each holds its run', async () => {
  const session = await t.session()
  await poisoned('mixed')
  for (const queue of ['a', 'b', 'mixed']) await t.submit({ queue })
  const { runs } = await t.claim(session, 100)
  expect(new Set(runs.map(({ fence }) => fence)).size).toBe(3)
  const { rows } = await t.sql.query('select run_id, fence from punctual.leases')
  const held = new Map(rows.map(({ run_id: id, fence }) => [id, fence]))
  for (const { id, fence } of runs) expect(held.get(id)).toBe(String(fence))
})

it('a lane at fault is claimed separately afterwards and gets no more than the limit', async () => {
  const session = await t.session()
  await poisoned('mixed')
  await t.submit({ queue: 'mixed' })
  await t.claim(session, 100)
  const sent: number[] = []
  const { claim } = t.store.database
  const send = claim.runPinned.bind(claim)
  claim.runPinned = (call) => {
    sent.push(1)
    return send(call)
  }
  for (let i = 0; i < 6; i++) await t.submit({ queue: i % 2 ? 'mixed' : 'other' })
  const { runs, more } = await t.claim(session, 4)
  expect(runs).toHaveLength(4)
  expect(more).toBe(true)
  expect(sent.length).toBeLessThanOrEqual(2)
})

it('runs that fail the claim are set aside ten at a time', async () => {
  const session = await t.session()
  for (let i = 0; i < 12; i++) await poisoned('bad')
  const good = await t.submit({ queue: 'good' })
  const first = await t.claim(session, 100)
  expect(first.runs.map(({ id }) => id)).toEqual([good])
  expect(first.more).toBe(true)
  expect((await t.claim(session, 100)).runs).toEqual([])
  const { rows } = await t.sql.query(
    `select count(*)::integer as due from punctual.queue
     where pos >> 20 <= extract(epoch from clock_timestamp()) * 1000`,
  )
  expect(rows[0].due).toBe(0)
})
