/** Many planners with wrong clocks, killed at random, make exactly one decision for each slot. */
import { ownedShards, type Planner, SHARDS } from '@punctual/engine'
import { eventually, TestStore } from '@punctual/testkit'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  cursorOf,
  faultsOf,
  killConnection,
  ledgerOf,
  planAll,
  plannerOf,
  skewedClock,
} from '../kit/planning-kit.ts'

let t: TestStore
beforeAll(async () => {
  t = await TestStore.open()
})
// No slot of an earlier test is planned by a later one.
afterEach(() => t.sql.query('update punctual.cursors set next_at = null'))
afterAll(() => t.close())

const ROUNDS = 120
const rhythms = [
  { cron: '* * * * * *' },
  { cron: '*/3 * * * * *', misfire: 'latest' },
  { every: '7s', misfire: 'none' },
  { cron: '0 * * * * *', misfire: { policy: 'all', maxCount: 2 } },
  { every: '2s', maxRuns: 40 },
] as const

async function jobsOf(prefix: string, count: number): Promise<Map<string, number>> {
  const firsts = new Map<string, number>()
  for (let i = 0; i < count; i++) {
    const id = await t.job({ name: `${prefix} ${i}`, ...rhythms[i % rhythms.length] })
    firsts.set(id, (await cursorOf(t, id)).nextMs as number)
  }
  return firsts
}

/** Advances mostly by seconds, sometimes by an outage of ten minutes. */
function* times(startMs: number): Generator<number> {
  let nowMs = startMs
  for (let round = 0; round < ROUNDS; round++) {
    nowMs += round % 20 === 13 ? 600_000 : Math.floor(Math.random() * 15_000)
    yield nowMs
  }
}

async function expectCompleteLedger(jobs: ReadonlyMap<string, number>): Promise<void> {
  for (const [id, firstMs] of jobs) expect(await faultsOf(t, id, firstMs)).toEqual([])
}

describe.each([2, 5])('%i planners on all shards', (count) => {
  it('racing planners with clocks minutes apart decide each slot once (cases 4, 31-34)', async () => {
    const jobs = await jobsOf(`race of ${count}`, 25)
    let nowMs = Date.now()
    const planners = Array.from({ length: count }, (_, i) => {
      const skewMs = (i - 2) * 300_000
      const clock = skewedClock(skewMs)
      const store = t.another(clock)
      return plannerOf({ store, clock, skewMs, alone: true, nowMs: () => nowMs, batch: 9 })
    })
    for (nowMs of times(nowMs)) await Promise.all(planners.map((planner) => planAll(planner)))
    await expectCompleteLedger(jobs)
    const made = await Promise.all([...jobs.keys()].map((id) => ledgerOf(t, id)))
    expect(made.flat().length).toBeGreaterThan(300)
  })

  it('planners that are killed and restarted at random decide each slot once (cases 1, 3, 5)', async () => {
    const jobs = await jobsOf(`kills of ${count}`, 25)
    let nowMs = Date.now()
    const start = () => plannerOf({ store: t.another(), alone: true, nowMs: () => nowMs, batch: 9 })
    const planners = Array.from({ length: count }, start)
    let kills = 0
    for (nowMs of times(nowMs)) {
      const ticks = planners.map((planner) => planAll(planner).catch(() => undefined))
      if (Math.random() < 0.7) {
        await killConnection(t)
        kills++
      }
      await Promise.all(ticks)
      // The process is replaced, and its memory is lost.
      if (Math.random() < 0.2) planners[Math.floor(Math.random() * count)] = start()
    }
    expect(kills).toBeGreaterThan(10)
    await planAll(start())
    await expectCompleteLedger(jobs)
    for (const id of jobs.keys()) {
      const { nextMs, runsLeft } = await cursorOf(t, id)
      if (runsLeft !== 0) expect(nextMs).toBeGreaterThan(nowMs + 20_000)
    }
  })
})

it('every slot is planned once while the database clock jumps back and forth (case 37)', async () => {
  const jobs = await jobsOf('steps', 5)
  const startMs = Date.now()
  let nowMs = startMs
  const planner = plannerOf({ store: t.store, alone: true, nowMs: () => nowMs })
  for (const stepMs of [0, 60_000, -3_600_000, 5_000, 3_600_000, -30_000, 120_000]) {
    nowMs += stepMs
    await planAll(planner)
  }
  await expectCompleteLedger(jobs)
})

describe('planner membership', () => {
  beforeEach(async () => void (await t.sql.query('delete from punctual.planners')))

  it('live planners divide the shards, and take over those of a dead one within the ttl', async () => {
    const [a, b] = [t.another(), t.another()]
    const ttlMs = 1_500
    await a.schedules.plan.announcePlanner('11', ttlMs)
    const both = await b.schedules.plan.announcePlanner('12', ttlMs)
    const owned = ['11', '12'].map((id) => ownedShards(id, both.planners))
    expect(new Set(owned.flat()).size).toBe(SHARDS)
    expect(owned.flat()).toHaveLength(SHARDS)
    // waits: the ttl is database time, and the test needs a silent planner
    await eventually('the silent planner counts as dead', async () => {
      const { planners } = await b.schedules.plan.announcePlanner('12', ttlMs)
      return ownedShards('12', planners).length === SHARDS
    })
  })

  it('the shards of a retired planner are taken over at once', async () => {
    await t.store.schedules.plan.announcePlanner('21', 60_000)
    await t.store.schedules.plan.announcePlanner('22', 60_000)
    await t.store.schedules.plan.retirePlanner('21')
    const { planners } = await t.store.schedules.plan.announcePlanner('22', 60_000)
    expect(planners).toEqual(['22'])
    await t.store.schedules.plan.retirePlanner('22')
  })

  it('two planners that know of each other plan each job once between them', async () => {
    const ids = new Set<string>()
    for (let i = 0; i < 64; i++) ids.add(await t.job({ name: `shared ${i}`, every: '1h' }))
    const planned = [0, 0]
    const planners = [0, 1].map((i) =>
      plannerOf({
        store: t.another(),
        onPlanned: ({ jobs }) => {
          planned[i] = (planned[i] as number) + jobs
        },
      }),
    )
    const [first, second] = planners as [Planner, Planner]
    await second.retire()
    // Both planners are announced before either one plans everything.
    await Promise.all([first.tick(), second.tick()])
    await planAll(first)
    await planAll(second)
    expect((planned[0] as number) + (planned[1] as number)).toBe(64)
    for (const id of ids) expect(await ledgerOf(t, id)).toHaveLength(1)
  })
})
