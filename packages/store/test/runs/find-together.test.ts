/** Reads of single runs that are asked for at the same time. */
import { TestStore } from '@punctual/testkit'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { RunFinder } from '../../src/runs/finder.ts'

let t: TestStore
let other = 0
beforeAll(async () => {
  t = await TestStore.open()
  other = (await t.store.tenants.create('other', { by: null, note: null }, {})).id
})
afterAll(() => t.close())
afterEach(() => {
  vi.restoreAllMocks()
})

it('callers that ask at the same time share one transaction, and each gets its run', async () => {
  const ids = []
  for (let i = 0; i < 20; i++) ids.push(await t.submit())
  const sent = vi.spyOn(t.store.database.control, 'pinned')
  const runs = await Promise.all([...ids, ...ids].map((id) => t.store.runs.find(id, 1)))
  expect(runs.map((run) => run?.id)).toEqual([...ids, ...ids])
  expect(sent).toHaveBeenCalledTimes(1)
})

it('a caller of another tenant does not get the run, also when both ask at the same time', async () => {
  const id = await t.submit()
  const find = (tenantId: number) =>
    t.store.asTenant(tenantId, () => t.store.runs.find(id, tenantId))
  const [own, foreign] = await Promise.all([find(1), find(other)])
  expect(own?.id).toBe(id)
  expect(foreign).toBeNull()
})

it('a caller in a transaction sees its own changes, and no other caller does', async () => {
  const id = await t.submit()
  const [during, outside] = await t.store.transaction(async () => {
    await t.store.steering.cancel([id], 'test', 1)
    const without = t.store.database.ambient.outside(() => t.store.runs.find(id, 1))
    return Promise.all([t.store.runs.find(id, 1), without])
  })
  expect(during?.state).toBe('cancelled')
  expect(outside?.state).toBe('queued')
})

it('text that is no id, an unknown id and an id in capitals disturb no other caller', async () => {
  const id = await t.submit()
  const names = ['not an id', '00000000-0000-7000-8000-000000000000', id.toUpperCase(), id]
  const runs = await Promise.all(names.map((each) => t.store.runs.find(each, 1)))
  expect(runs.map((run) => run?.id ?? null)).toEqual([null, null, id, id])
})

it('an answer that is lost is asked for again, for every caller', async () => {
  const ids = [await t.submit(), await t.submit()]
  const { control } = t.store.database
  const lost = Object.assign(new Error('the connection ended'), { code: '08006' })
  vi.spyOn(control, 'pinned').mockRejectedValueOnce(lost)
  const runs = await Promise.all(ids.map((id) => t.store.runs.find(id, 1)))
  expect(runs.map((run) => run?.id)).toEqual(ids)
})

describe('what one statement loads is bounded', () => {
  const rowsOf = (spy: ReturnType<typeof reading>) =>
    Promise.all(spy.mock.results.map(async ({ value }) => ((await value) as unknown[][])[0]))
  const reading = () => vi.spyOn(t.store.database.reads, 'runTogether')

  it('runs with large payloads are read in parts, and each caller gets its run', async () => {
    const payload = 'x'.repeat(1_000)
    const ids = []
    for (let i = 0; i < 5; i++) ids.push(await t.submit({ payload }))
    const missing = 'ffffffff-ffff-7fff-bfff-ffffffffffff'
    const spy = reading()
    const finder = new RunFinder(t.store.database, 2_500)
    const runs = await Promise.all([...ids, missing].map((id) => finder.find(id, 1)))
    expect(runs.map((run) => run?.id ?? null)).toEqual([...ids, null])
    for (const id of ids) expect(runs.find((run) => run?.id === id)?.payload).toBe(payload)
    const parts = (await rowsOf(spy)).map((rows) => rows?.length)
    expect(parts).toEqual([2, 2, 1, 0])
  })

  it('one run is read whatever it has, and alone', async () => {
    const ids = [await t.submit({ payload: 'x'.repeat(1_000) }), await t.submit()]
    const spy = reading()
    const finder = new RunFinder(t.store.database, 1)
    const runs = await Promise.all(ids.map((id) => finder.find(id, 1)))
    expect(runs.map((run) => run?.id)).toEqual(ids)
    expect(spy).toHaveBeenCalledTimes(2)
    spy.mockClear()
    expect((await finder.find(ids[0] as string, 1))?.payload).toHaveLength(1_000)
    expect(spy).toHaveBeenCalledTimes(1)
  })

  it('runs whose attempts have large errors are read in parts, with all of their attempts', async () => {
    const ids = [await t.submit(), await t.submit()].sort()
    for (const id of ids)
      await t.sql.query(
        `insert into punctual.attempts
           (run_id, fence, session_id, started_at, ended_at, tenant_id, attempt, outcome, error)
         select $1, n, 1, now(), now(), 1, n, 2,
           jsonb_build_object('name', 'Error', 'message', repeat('m', 100), 'stack', repeat('s', 1000))
         from generate_series(1, 3) n`,
        [id],
      )
    const finder = new RunFinder(t.store.database, 2_500)
    const runs = await Promise.all(ids.map((id) => finder.find(id, 1)))
    for (const run of runs) {
      expect(run?.attempts.map(({ attempt }) => attempt)).toEqual([1, 2, 3])
      // Beyond the bytes the stack is left out.
      const stacks = run?.attempts.map(({ error }) => error?.stack?.length ?? null)
      expect(stacks).toEqual([1_000, 1_000, null])
      expect(run?.attempts[2]?.error?.message).toHaveLength(100)
    }
  })
})
