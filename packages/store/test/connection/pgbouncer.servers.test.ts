import { compileOptions } from '@punctual/core/submit'
import { PostgresStore, systemClock, systemRandom } from '@punctual/store'
import {
  createTestDatabase,
  describeWithServer,
  startPgBouncer,
  succeeded,
  systemRandomToken,
} from '@punctual/testkit'
import { afterAll, beforeAll, expect, it } from 'vitest'

describeWithServer('pgbouncer', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>
  let bouncer: Awaited<ReturnType<typeof startPgBouncer>>
  let store: PostgresStore
  beforeAll(async () => {
    database = await createTestDatabase()
    bouncer = await startPgBouncer({ upstreamUrl: database.url, poolMode: 'transaction' })
    store = new PostgresStore({
      url: bouncer.url,
      clock: systemClock,
      random: systemRandom,
      node: 'n',
    })
  })
  afterAll(async () => {
    await store.close()
    await bouncer.stop()
    await database.drop()
  })

  it('PgBouncer is detected, and no named statements are used (case 55)', async () => {
    await store.migrate()
    await store.check()
    expect(store.database.pooled).toBe(true)
    expect(store.database.prepared).toBe(false)
  })

  it('submit, keys, claim, settle, reap and reads work through PgBouncer (case 55)', async () => {
    const submit = (options = {}) =>
      store.submit([{ options: compileOptions('test', options), payload: '{"a":1}' }])
    const all = await Promise.all(Array.from({ length: 50 }, () => submit()))
    const [keyed] = await submit({ key: 'k' })
    expect(await submit({ key: 'k' })).toMatchObject([{ id: keyed?.id, created: false }])
    const sessionId = systemRandom.token()
    await store.work.openSession({
      id: sessionId,
      host: 'h',
      pid: 1,
      version: '0',
      handlers: ['test'],
      queues: [],
      labels: {},
      capacity: 1,
      leaseMs: 30_000,
    })
    const lanes = await store.work.lanes(['test'], [])
    const { runs } = await store.work.claim({
      sessionId,
      fence: systemRandomToken(),
      limit: 100,
      lanes,
    })
    expect(runs.length).toBe(51)
    expect(
      await store.work.settle(
        sessionId,
        runs.map((run) => succeeded(run)),
      ),
    ).toEqual([])
    expect(await store.runs.find(all[0]?.[0]?.id as string)).toMatchObject({
      state: 'succeeded',
      payload: { a: 1 },
    })
    expect((await store.upkeep.expiredSessions()).sessionIds).toEqual([])
    await store.upkeep.promote(60_000, 10)
    expect(await store.work.renewSession(sessionId)).toEqual({ drains: false })
  })

  it('submissions during a restart of PgBouncer are retried (case 56)', async () => {
    const submitting = Promise.all(
      Array.from({ length: 20 }, () =>
        store.submit([{ options: compileOptions('test'), payload: '1' }]),
      ),
    )
    await bouncer.restart()
    const accepted = (await submitting).flat()
    expect(new Set(accepted.map((run) => run.id)).size).toBe(20)
    for (const { id } of accepted)
      expect(await store.runs.find(id)).toMatchObject({ state: 'queued' })
  })
})
