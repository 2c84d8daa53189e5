/** Limits of queues and tenants hold under concurrent claims. */
import type { ClaimedRun } from '@punctual/core/ports'
import { postgresMajors, succeeded, TestStore } from '@punctual/testkit'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'

const NONE = { concurrency: null, rate: null, ageingMs: null, weight: null }

describe.each(postgresMajors)('limits on PostgreSQL %s', (major) => {
  let t: TestStore
  beforeAll(async () => {
    t = await TestStore.open({ major })
  })
  afterAll(() => t.close())
  afterEach(async () => {
    await t.sql.query(
      'truncate punctual.queue, punctual.leases, punctual.sessions, punctual.limits',
    )
  })

  it('concurrent claims never exceed a concurrency limit, and together reach it', async () => {
    await t.store.limits.set('narrow', { ...NONE, concurrency: 7 }, null)
    const stores = Array.from({ length: 5 }, () => t.another())
    for (let round = 0; round < 10; round++) {
      for (let n = 0; n < 20; n++) await t.submit({ queue: 'narrow', priority: n % 3 })
      const sessions = await Promise.all(stores.map((store) => t.session(30_000, store)))
      const taken: ClaimedRun[] = []
      for (let turn = 0; turn < 50 && taken.length < 7; turn++) {
        const claims = stores.map((store, i) => t.claim(sessions[i] as string, 3, store))
        for (const { runs } of await Promise.all(claims)) taken.push(...runs)
      }
      expect(taken).toHaveLength(7)
      expect(new Set(taken.map(({ id }) => id)).size).toBe(7)
      await t.sql.query('truncate punctual.queue, punctual.leases')
    }
  })

  it('a used-up rate does not block other lanes, and the claim returns when it allows a run', async () => {
    const rate = { limit: 1, perMs: 60_000, burst: 1 }
    await t.store.limits.set('paced', { ...NONE, rate }, null)
    const [first, second] = [await t.submit({ queue: 'paced' }), await t.submit({ queue: 'paced' })]
    const session = await t.session()
    expect((await t.claim(session, 10)).runs.map(({ id }) => id)).toEqual([first])
    const other = await t.submit({ queue: 'free' })
    expect((await t.claim(session, 10)).runs.map(({ id }) => id)).toEqual([other])
    const { runs, more, nextDueInMs } = await t.claim(session, 10)
    expect([runs, more]).toEqual([[], false])
    expect(nextDueInMs).toBeGreaterThan(50_000)
    expect(nextDueInMs).toBeLessThanOrEqual(60_001)
    await t.store.limits.remove('paced')
    expect((await t.claim(session, 10)).runs.map(({ id }) => id)).toEqual([second])
  })

  it('a run skipped because of a limit is claimed once the limit allows it, after many claims', async () => {
    const session = await t.session()
    const [held, waits] = [await t.submit({ queue: 'narrow' }), await t.submit({ queue: 'narrow' })]
    await t.store.limits.set('narrow', { ...NONE, concurrency: 1 }, null)
    const { runs } = await t.claim(session, 10)
    expect(runs.map(({ id }) => id)).toEqual([held])
    for (let n = 0; n < 30; n++) expect((await t.claim(session, 10)).runs).toEqual([])
    await t.store.work.settle(
      session,
      runs.map((run) => succeeded(run)),
    )
    expect((await t.claim(session, 10)).runs.map(({ id }) => id)).toEqual([waits])
  })

  it('the limit of a tenant does not apply to other tenants', async () => {
    await t.sql.query(
      "insert into punctual.tenants (id, name) values (8, 'limited') on conflict do nothing",
    )
    await t.store.limits.set(null, { ...NONE, concurrency: 1 }, null, 8)
    await t.submit()
    await t.submit()
    expect((await t.claim(await t.session(), 10)).runs).toHaveLength(2)
  })
})
