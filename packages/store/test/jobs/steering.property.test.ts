/**
 * Random histories of one job on the real store: planned, edited, paused, resumed, skipped, with
 * time passing and outages between. After every step the ledger has no missing and no duplicate
 * slot, by the rules that were valid at each slot.
 *
 * The clock of the database cannot be moved. Instead all times of the job are moved back.
 */
import type { JobOptions } from '@punctual/core/job'
import { TestStore } from '@punctual/testkit'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { cursorOf, holesOf, ledgerOf, planAll, plannerOf } from '../kit/planning-kit.ts'

const MINUTE = 60_000

let t: TestStore
beforeAll(async () => {
  t = await TestStore.open()
})
afterAll(() => t.close())

/** Lets minutes pass, not seconds, so that the slots of cron expressions stay aligned. */
async function pass(id: string, minutes: number): Promise<void> {
  const back = `interval '${minutes} minutes'`
  const moved = (columns: readonly string[]) =>
    columns.map((column) => `${column} = ${column} - ${back}`).join()
  const tables = {
    cursors: ['next_at', 'cursor_at', 'anchor_at', 'end_at'],
    job_versions: ['until_at', 'anchor_at', 'end_at'],
  }
  for (const [table, columns] of Object.entries(tables))
    await t.sql.query(`update punctual.${table} set ${moved(columns)} where job_id = $1`, [id])
  // The sort makes the delete end before the insert begins: moved slots may not meet unmoved ones.
  await t.sql.query(
    `with gone as (delete from punctual.slots where job_id = $1 returning *)
     insert into punctual.slots (slot_at, job_id, run_id, from_at, decided_at, slots, tenant_id, decision, reason)
     select slot_at - ${back}, job_id, run_id, from_at - ${back}, decided_at, slots, tenant_id, decision, reason
     from gone order by slot_at`,
    [id],
  )
  await t.sql.query(
    `with gone as (delete from punctual.slot_skips where job_id = $1 returning *)
     insert into punctual.slot_skips (job_id, slot_at, tenant_id, asked_by)
     select job_id, slot_at - ${back}, tenant_id, asked_by from gone order by slot_at`,
    [id],
  )
  await t.sql.query(`update punctual.jobs set created_at = created_at - ${back} where id = $1`, [
    id,
  ])
  // A worker has claimed the runs that became due meanwhile.
  await t.sql.query(
    `delete from punctual.queue q using punctual.slots s
     where q.job_id = $1 and s.job_id = $1 and s.run_id = q.run_id and s.slot_at <= clock_timestamp()`,
    [id],
  )
}

const rhythm = fc.constantFrom<Partial<JobOptions>>(
  { cron: '*/10 * * * * *' },
  { cron: '* * * * *' },
  { every: '7s' },
  { every: '45s' },
)
const rules = fc
  .record({
    rhythm,
    misfire: fc.constantFrom('all' as const, 'latest' as const, 'none' as const),
    maxRuns: fc.option(fc.integer({ min: 1, max: 30 })),
    calendar: fc.boolean(),
  })
  .map(({ rhythm: when, misfire, maxRuns, calendar }) => ({
    ...{ ...when, misfire },
    ...(maxRuns !== null && { maxRuns }),
    ...(calendar && { calendars: ['half hours'] }),
  }))
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('plan' as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('pass' as const),
      minutes: fc.constantFrom(1, 2, 30, 180),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('edit' as const), to: rules }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('touch' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('pause' as const) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('resume' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('skip' as const), nth: fc.nat(6) }) },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

interface World {
  readonly id: string
  readonly name: string
  current: Partial<JobOptions>
  touched: number
}

async function perform(world: World, action: Step): Promise<void> {
  const { steering, slots, jobs } = t.store.schedules
  const { id, name } = world
  switch (action.kind) {
    case 'plan':
      await planAll(plannerOf({ store: t.store, alone: true }))
      return
    case 'pass':
      return pass(id, action.minutes)
    case 'edit':
      world.current = action.to
      await t.job({ name, ...action.to })
      return
    case 'touch':
      await t.job({ name, ...world.current, description: String(world.touched++) })
      return
    case 'pause':
      await steering.pause(id, null, 1)
      return
    case 'resume':
      await steering.resume(id, 1)
      return
    case 'skip': {
      const job = await jobs.find(id, 1)
      if (!job) return
      // A margin: the slot must still be in the future when the store checks it.
      const nowMs = Date.now() + 3_000
      const slotMs = slots.backfillable(job, nowMs, nowMs + 10 * MINUTE, 7)[action.nth]
      if (slotMs !== undefined) await steering.skip(id, slotMs, null, 1)
    }
  }
}

async function expectCompleteLedger(world: World): Promise<void> {
  expect(await holesOf(t, world.id)).toEqual([])
  let lastMs = Number.NEGATIVE_INFINITY
  for (const { fromMs, slotMs, decision, runId } of await ledgerOf(t, world.id)) {
    expect(fromMs).toBeGreaterThan(lastMs)
    expect(runId !== null).toBe(decision === 'run')
    lastMs = slotMs
  }
  const { nextMs, cursorMs, runsLeft } = await cursorOf(t, world.id)
  if (nextMs !== null) expect(nextMs).toBeGreaterThan(Math.min(lastMs, cursorMs))
  if (runsLeft !== null) expect(runsLeft).toBeGreaterThanOrEqual(0)
}

it('the ledger of a job stays complete through random histories', async () => {
  const hours = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, '0'))
  const windows = hours.map((hour) => ({ from: `${hour}:00`, to: `${hour}:30` }))
  await t.store.schedules.calendars.set('half hours', { windows }, 1)
  let n = 0
  await fc.assert(
    fc.asyncProperty(
      rules,
      fc.array(step, { minLength: 3, maxLength: 14 }),
      async (first, steps) => {
        const name = `job ${n++}`
        const id = await t.job({ name, ...first })
        const world: World = { id, name, current: first, touched: 0 }
        for (const action of steps) {
          await perform(world, action)
          await expectCompleteLedger(world)
        }
        const job = await t.store.schedules.jobs.find(id, 1)
        expect(job?.planningError).toBeNull()
        await t.store.schedules.steering.delete(id, 1)
      },
    ),
    { numRuns: 100 },
  )
})
