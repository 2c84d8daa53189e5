/**
 * Runs become visible in commit order, not in the order of their positions: submissions that commit
 * after claims have moved beyond their positions must still be found, without reading all dead
 * index entries from the head each time.
 */
import { compileOptions } from '@punctual/core/submit'
import { succeeded, systemRandomToken, TestStore } from '@punctual/testkit'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'

let t: TestStore
beforeAll(async () => {
  t = await TestStore.open()
})
afterAll(() => t.close())

it.each([1, 2])(
  'no run of overlapping late commits is missed with %i concurrent claimers (cases 64, 87)',
  async (claimers) => {
    const session = await t.session(600_000)
    await t.submit()
    const lanes = await t.lanes()
    const clients = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const client = new pg.Client({ connectionString: t.url })
        await client.connect()
        return client
      }),
    )
    const submitted: string[] = []
    let submitting = true
    const submitters = clients.map(async (client, i) => {
      for (let round = 0; round < 40; round++) {
        await client.query('begin')
        const [run] = await t.store.submit([{ options: compileOptions('test'), payload: '1' }], {
          tx: client,
        })
        // Each client delays its commit for a different time: many claims move beyond the latest.
        for (let hold = 0; hold < i * 4; hold++) await client.query('select 1')
        // waits: the test needs a transaction that stays open
        if (i === 5) await client.query('select pg_sleep(0.05)')
        await client.query('commit')
        submitted.push(run?.id as string)
      }
    })
    const found = new Set<string>()
    const claimer = async () => {
      for (let empty = 0; submitting || empty < 40; ) {
        const { runs } = await t.store.work.claim({
          sessionId: session,
          fence: systemRandomToken(),
          limit: 7,
          lanes,
        })
        for (const run of runs) found.add(run.id)
        await t.store.work.settle(
          session,
          runs.map((run) => succeeded(run)),
        )
        empty = runs.length === 0 && !submitting ? empty + 1 : 0
      }
    }
    const claiming = Promise.all(Array.from({ length: claimers }, claimer))
    await Promise.all(submitters)
    submitting = false
    await claiming
    expect(submitted.filter((id) => !found.has(id))).toEqual([])
    expect(await t.count('queue')).toBe(0)
    await Promise.all(clients.map((client) => client.end()))
  },
)

it('a claim reads few index entries after any number of ended runs (case 60)', async () => {
  const session = await t.session(600_000)
  const snapshot = new pg.Client({ connectionString: t.url })
  await snapshot.connect()
  await snapshot.query('begin isolation level repeatable read')
  await snapshot.query('select count(*) from punctual.queue')
  const lanes = await t.lanes()
  const round = async () => {
    await t.store.submit(
      Array.from({ length: 1_000 }, () => ({ options: compileOptions('test'), payload: '1' })),
    )
    for (;;) {
      const { runs } = await t.store.work.claim({
        sessionId: session,
        fence: systemRandomToken(),
        limit: 500,
        lanes,
      })
      if (runs.length === 0) return
      await t.store.work.settle(
        session,
        runs.map((run) => succeeded(run)),
      )
    }
  }
  const reads = async () => {
    await t.sql.query('select pg_stat_force_next_flush()')
    const { rows } = await t.sql.query(
      "select idx_tup_read::int as n from pg_stat_user_indexes where indexrelname = 'queue_lane_pos'",
    )
    return rows[0].n as number
  }
  await round()
  const before = await reads()
  const rounds = 10
  for (let i = 0; i < rounds; i++) await round()
  // From the head, the last round alone would read ten thousand entries a claim.
  expect((await reads()) - before).toBeLessThan(rounds * 1_000 * 12)
  await snapshot.query('rollback')
  await snapshot.end()
})
