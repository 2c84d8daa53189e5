/** What the auditor finds of damage done to the tables, what it puts right, and what it leaves alone. */
import type { AuditFinding } from '@punctual/core'
import { Auditor } from '@punctual/engine'
import { ManualClock, succeeded, TestStore } from '@punctual/testkit'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { cursorOf, ledgerOf, planAll, plannerOf } from './planning-kit.ts'

let t: TestStore
beforeAll(async () => {
  t = await TestStore.open()
})
afterAll(() => t.close())
beforeEach(async () => {
  for (const table of ['jobs', 'cursors', 'slots', 'job_holds', 'parked', 'queue', 'planners'])
    await t.sql.query(`delete from punctual.${table}`)
})

/** An auditor that is driven by hand: a round looks at every job. */
function anAuditor({ store = t.store, clock = new ManualClock(), pageSize = 1_000 } = {}) {
  let results: { findings: readonly AuditFinding[]; roundEnded: boolean }[] = []
  const auditor = new Auditor({
    ...{ store: store.schedules.audit, clock, pageSize },
    onAudited: (result) => void results.push(result),
  })
  return async (): Promise<AuditFinding[]> => {
    results = []
    while (!results.at(-1)?.roundEnded) await auditor.tick()
    return results.flatMap(({ findings }) => findings)
  }
}

const shown = (findings: readonly AuditFinding[]) =>
  findings.map(({ kind, repaired }) => (repaired ? `${kind}, repaired` : kind)).sort()

/** A job that has fired every second for so long, and is planned ahead. */
async function aPlannedJob(ageMs = 10_000, options: Parameters<TestStore['job']>[0] = {}) {
  const id = await t.job(options)
  if (ageMs > 0) await t.age(id, ageMs)
  await planAll(plannerOf({ store: t.store }))
  return id
}

/** A slot of it that is past. */
async function aPastSlot(id: string) {
  const past = (await ledgerOf(t, id)).filter(({ slotMs }) => slotMs < Date.now() - 2_000)
  return past.at(-2) as NonNullable<(typeof past)[number]>
}

const at = (ms: number) => new Date(ms).toISOString()
const sql = (text: string, values: unknown[] = []) => t.sql.query(text, values)

async function insertSlot(id: string, slotMs: number, fromMs: number | null = null): Promise<void> {
  await sql(
    `insert into punctual.slots (slot_at, job_id, from_at, decided_at, slots, tenant_id, decision, reason)
     values ($1, $2, $3, now(), 1, 1, 2, 4)`,
    [at(slotMs), id, fromMs === null ? null : at(fromMs)],
  )
}

describe('a system in order', () => {
  const kinds = {
    'every second': {},
    'at a fixed rate': { every: '3s', misfire: 'latest' },
    'in a zone': { cron: '*/5 * * * * *', timezone: 'Europe/Berlin' },
    'with a start ahead': { startAt: new Date(Date.now() + 3_600_000) },
    'with an end': { endAt: new Date(Date.now() + 5_000) },
    'with few runs': { maxRuns: 3 },
    'after its run': { everyAfterEnd: '1s' },
    'once, ahead': { delayMs: 3_600_000 },
    'once, soon': { delayMs: 1 },
    'once, long ago': { at: '2020-01-01T00:00:00Z' },
    'a repetition that ends': { every: `R2/${new Date(Date.now() + 2_000).toISOString()}/PT1S` },
  } as const

  it.each(Object.entries(kinds))('is left as it is: a job %s', async (_, options) => {
    const id = await t.job(options)
    const round = anAuditor()
    expect(shown(await round())).toEqual([])
    await planAll(plannerOf({ store: t.store }))
    const before = await cursorOf(t, id)
    expect(shown([...(await round()), ...(await round())])).toEqual([])
    expect(await cursorOf(t, id)).toEqual(before)
  })

  it('is left as it is after an outage, whatever becomes of what was missed', async () => {
    const rules = ['all', 'latest', 'none', { policy: 'all', maxCount: 3 }] as const
    for (const [i, misfire] of rules.entries()) {
      const id = await t.job({ name: `job ${i}`, misfire })
      await t.age(id, 600_000)
    }
    expect(shown(await anAuditor()())).toEqual([])
    await planAll(plannerOf({ store: t.store }))
    expect(shown(await anAuditor()())).toEqual([])
  })

  it('is left as it is while jobs are edited, paused, resumed and skipped', async () => {
    const id = await aPlannedJob()
    const { steering } = t.store.schedules
    const round = anAuditor()
    const steps = [
      () => t.job({ payload: 2 }),
      () => steering.pause('job', null, 1),
      () => t.job({ cron: '*/2 * * * * *' }),
      () => steering.resume('job', 1),
      () => planAll(plannerOf({ store: t.store })),
      async () => steering.skip('job', (await cursorOf(t, id)).nextMs as number, null, 1),
      () => t.job({ every: '3s' }),
      () => planAll(plannerOf({ store: t.store })),
      () => steering.trigger('job', null, 1),
      () => t.job({ startAt: new Date(Date.now() + 60_000) }),
      () => steering.pause('job', null, 1),
      () => steering.resume('job', 1),
      () => t.job({ cron: '* * * * * *', maxRuns: 1_000 }),
      () => planAll(plannerOf({ store: t.store })),
    ]
    for (const step of steps) {
      await step()
      expect(shown(await round())).toEqual([])
    }
  })
})

describe('a cursor', () => {
  it('that points nowhere is put back where it was', async () => {
    const id = await aPlannedJob()
    const before = await cursorOf(t, id)
    await sql('update punctual.cursors set next_at = null')
    expect(shown(await anAuditor()())).toEqual(['cursor-lost, repaired'])
    expect(await cursorOf(t, id)).toEqual(before)
    expect(shown(await anAuditor()())).toEqual([])
  })

  it('of a job that is paused, set aside or has had its runs points nowhere rightly', async () => {
    await aPlannedJob(0, { name: 'paused' })
    await t.store.schedules.steering.pause('paused', null, 1)
    await aPlannedJob(0, { name: 'aside' })
    await sql(`update punctual.jobs set planning_error = 'x' where name = 'aside'`)
    await sql(`update punctual.cursors set next_at = null
      where job_id = (select id from punctual.jobs where name = 'aside')`)
    await aPlannedJob(0, { name: 'done', maxRuns: 1 })
    expect(shown(await anAuditor()())).toEqual([])
  })

  it.each([
    ['between two slots', 300],
    ['a day ahead', 86_400_000],
    ['behind what is decided', -5_000],
  ])('that points %s is put right', async (_, byMs) => {
    const id = await aPlannedJob()
    const before = await cursorOf(t, id)
    await sql(`update punctual.cursors set next_at = next_at + $1 * interval '1 ms'`, [byMs])
    expect(shown(await anAuditor()())).toEqual(['cursor-stray, repaired'])
    expect(await cursorOf(t, id)).toEqual(before)
  })

  it('that is wrong in a zone is told: nodes with other zone data may think otherwise', async () => {
    const id = await aPlannedJob(0, { timezone: 'Europe/Berlin' })
    await sql(`update punctual.cursors set next_at = next_at + interval '300 ms'`)
    const before = await cursorOf(t, id)
    expect(shown(await anAuditor()())).toEqual(['cursor-stray'])
    expect(await cursorOf(t, id)).toEqual(before)
  })

  it('that lies far back is told once planners have had time to catch up', async () => {
    const id = await t.job()
    await t.age(id, 600_000)
    const clock = new ManualClock()
    const round = anAuditor({ clock })
    await clock.advance(120_000)
    expect(shown(await round())).toEqual([])
    await sql(`insert into punctual.planners values (1, now() + interval '1 hour')`)
    expect(shown(await round())).toEqual([])
    await clock.advance(120_000)
    expect(shown(await round())).toEqual(['planning-behind'])
  })

  it('without its job is removed, and a job without its cursor is told', async () => {
    const [gone, left] = [await t.job({ name: 'gone' }), await t.job({ name: 'left' })]
    await sql('delete from punctual.jobs where id = $1', [gone])
    await sql('delete from punctual.cursors where job_id = $1', [left])
    expect(shown(await anAuditor()())).toEqual(['cursor-missing', 'job-missing, repaired'])
    expect(await t.count('cursors')).toBe(0)
    expect(shown(await anAuditor()())).toEqual(['cursor-missing'])
  })
})

describe('a job that waits for its run to end', () => {
  async function itsRunIsClaimed() {
    await t.job({ everyAfterEnd: '1s' })
    await planAll(plannerOf({ store: t.store }))
    const session = await t.session()
    const { runs } = await t.claim(session)
    expect(runs).toHaveLength(1)
    return { session, runs }
  }

  it('is left alone while its run waits, runs, and once it has set the job going', async () => {
    const round = anAuditor()
    const { session, runs } = await itsRunIsClaimed()
    expect(shown(await round())).toEqual([])
    await t.store.work.settle(
      session,
      runs.map((run) => succeeded(run)),
    )
    expect(shown(await round())).toEqual([])
  })

  it('is set going when its run has ended and did not do so', async () => {
    const { session, runs } = await itsRunIsClaimed()
    await t.store.work.settle(
      session,
      runs.map((run) => succeeded(run)),
    )
    await sql('update punctual.cursors set next_at = null, anchor_at = null')
    const rounds = await Promise.all([anAuditor()(), anAuditor({ store: t.another() })()])
    expect(shown(rounds.flat())).toEqual(['rearm-lost, repaired'])
    await planAll(plannerOf({ store: t.store }))
    expect(await t.count('slots')).toBe(2)
    expect(shown(await anAuditor()())).toEqual([])
  })

  it.each([
    ['once', { at: '2020-01-01T00:00:00Z' }],
    ['at a fixed rate', { every: '1h' }],
  ])('and fires %s before its run has ended is not set going by it', async (_, rules) => {
    const { session, runs } = await itsRunIsClaimed()
    const id = await t.job(rules)
    await planAll(plannerOf({ store: t.store }))
    const before = await t.sql.query('select anchor_at, next_at from punctual.cursors')
    const settled = runs.map((run) => succeeded(run))
    await t.store.work.settle(session, settled)
    expect((await t.sql.query('select anchor_at, next_at from punctual.cursors')).rows).toEqual(
      before.rows,
    )
    await planAll(plannerOf({ store: t.store }))
    expect((await ledgerOf(t, id)).length).toBe(2)
    expect(shown(await anAuditor()())).toEqual([])
  })

  it('is set going when its run is lost', async () => {
    await itsRunIsClaimed()
    await sql('delete from punctual.leases')
    await sql('delete from punctual.job_holds')
    expect(shown(await anAuditor()())).toEqual(['rearm-lost, repaired'])
  })
})

describe('the ledger', () => {
  it('with a slot that has no decision has a hole, and its run is nobody’s', async () => {
    const id = await aPlannedJob()
    const { slotMs, runId } = await aPastSlot(id)
    await sql('delete from punctual.slots where run_id = $1', [runId])
    const findings = await anAuditor()()
    expect(shown(findings)).toEqual(['hole', 'run-unplanned'])
    expect(findings.find(({ kind }) => kind === 'hole')?.at?.getTime()).toBe(slotMs)
    expect(findings.find(({ kind }) => kind === 'run-unplanned')?.runId).toBe(runId)
  })

  it('with a range around a decision has a double', async () => {
    const id = await aPlannedJob()
    const { slotMs, runId } = await aPastSlot(id)
    await sql('delete from punctual.slots where run_id = $1', [runId])
    await sql('delete from punctual.queue where run_id = $1', [runId])
    await insertSlot(id, slotMs, slotMs - 1_000)
    const findings = await anAuditor()()
    expect(shown(findings)).toEqual(['double'])
    expect(findings[0]?.at?.getTime()).toBe(slotMs - 1_000)
  })

  it('with a range that ends beyond what was looked at has no hole', async () => {
    const id = await t.job({ misfire: 'none' })
    await t.age(id, 3_000_000)
    await planAll(plannerOf({ store: t.store }))
    expect((await ledgerOf(t, id))[0]?.slots).toBeGreaterThan(2_900)
    expect(shown(await anAuditor()())).toEqual([])
  })

  it('with a decision between two slots has a stray', async () => {
    const id = await aPlannedJob()
    const { slotMs } = await aPastSlot(id)
    await insertSlot(id, slotMs + 500)
    const findings = await anAuditor()()
    expect(shown(findings)).toEqual(['stray'])
    expect(findings[0]?.at?.getTime()).toBe(slotMs + 500)
  })

  it('with decisions of a job that never was has strays; one that was deleted has none', async () => {
    const id = await aPlannedJob()
    await t.job({ name: 'other', cron: '0 0 1 1 *' })
    await t.store.schedules.steering.delete('job', 1)
    expect(shown(await anAuditor()())).toEqual([])
    await sql('delete from punctual.job_versions where job_id = $1', [id])
    expect(new Set(shown(await anAuditor()()))).toEqual(new Set(['stray']))
  })

  it('with a run that is in no place has lost it', async () => {
    const id = await aPlannedJob()
    const { runId, slotMs } = await aPastSlot(id)
    await sql('delete from punctual.queue where run_id = $1', [runId])
    const findings = await anAuditor()()
    expect(shown(findings)).toEqual(['run-lost'])
    expect(findings[0]).toMatchObject({ jobId: id, runId, at: new Date(slotMs) })
  })
})

describe('a job that is held', () => {
  it('by a run that has ended is freed, and its next run goes on', async () => {
    const id = await aPlannedJob()
    const session = await t.session()
    const { runs } = await t.claim(session, 1)
    await t.store.work.settle(
      session,
      runs.map((run) => succeeded(run)),
    )
    await sql('insert into punctual.job_holds values ($1, $2)', [id, runs[0]?.id])
    const { runId } = await aPastSlot(id)
    await park(runId as string)
    expect(shown(await anAuditor()())).toEqual(['hold-stale, repaired'])
    expect(await t.places(runId as string)).toEqual(['queue'])
    expect(await t.count('job_holds')).toBe(0)
  })

  it('by a run that goes on, or waits for another attempt, stays held', async () => {
    await aPlannedJob()
    const session = await t.session()
    const { runs } = await t.claim(session, 1)
    expect(shown(await anAuditor()())).toEqual([])
    const failure = { name: 'Error', message: 'failed on purpose' }
    const retry = { kind: 'retry', startedAgoMs: 1, outcome: 'failed', failure, delayMs: 90_000 }
    await t.store.work.settle(
      session,
      runs.map((run) => ({ ...retry, run }) as never),
    )
    expect(shown(await anAuditor()())).toEqual([])
    expect(await t.count('job_holds')).toBe(1)
  })

  it('by nobody lets a run go that has waited for it, seen twice', async () => {
    const id = await aPlannedJob()
    const { runId } = await aPastSlot(id)
    await park(runId as string)
    const round = anAuditor()
    expect(shown(await round())).toEqual([])
    expect(shown(await round())).toEqual(['parked-free, repaired'])
    expect(await t.places(runId as string)).toEqual(['queue'])
  })

  async function park(runId: string): Promise<void> {
    await sql(
      `with q as (delete from punctual.queue where run_id = $1 returning *)
       insert into punctual.parked
       select run_id, now() - interval '2 minutes', job_id, tenant_id, lane, attempt, crashes, traits from q`,
      [runId],
    )
  }
})

describe('a run in the queue', () => {
  it('that was triggered or backfilled needs no slot', async () => {
    const id = await aPlannedJob()
    const { steering } = t.store.schedules
    await steering.trigger('job', null, 1)
    const { slotMs } = await aPastSlot(id)
    await steering.backfill('job', [slotMs - 3_600_000], new Set(), 0, 1)
    expect(shown(await anAuditor()())).toEqual([])
  })
})

describe('many jobs', () => {
  it('are walked in pages, and two auditors at once repair each of them once', async () => {
    for (let i = 0; i < 25; i++) await t.job({ name: `job ${i}`, cron: `${i} * * * * *` })
    await sql('update punctual.cursors set next_at = null')
    const rounds = await Promise.all([
      anAuditor({ pageSize: 10 })(),
      anAuditor({ pageSize: 7, store: t.another() })(),
    ])
    const repaired = rounds.flat().map(({ jobId }) => jobId)
    expect(repaired).toHaveLength(25)
    expect(new Set(repaired).size).toBe(25)
    const { rows } = await sql(
      'select count(*)::int as n from punctual.cursors where next_at is null',
    )
    expect(rows[0].n).toBe(0)
    expect(shown(await anAuditor({ pageSize: 10 })())).toEqual([])
  })
})
