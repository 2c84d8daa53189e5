/** The auditor reports and repairs damaged slots, job holds and runs. */
import type { ClaimedRun } from '@punctual/core/ports'
import { dead, succeeded, TestStore } from '@punctual/testkit'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  auditorOf,
  emptySchedules,
  pastSlotOf,
  plannedJobOf,
  planOf,
  shown,
} from '../kit/auditing-kit.ts'
import { ledgerOf } from '../kit/planning-kit.ts'

let t: TestStore
beforeAll(async () => {
  t = await TestStore.open()
})
afterAll(() => t.close())
beforeEach(() => emptySchedules(t))

const anAuditor = (settings = {}) => auditorOf(t, settings)
const aPlannedJob = (ageMs?: number, options = {}) => plannedJobOf(t, ageMs, options)
const plan = () => planOf(t)
const aPastSlot = (id: string) => pastSlotOf(t, id)
const sql = (text: string, values: unknown[] = []) => t.sql.query(text, values)

const at = (ms: number) => new Date(ms).toISOString()
async function insertSlot(id: string, slotMs: number, fromMs: number | null = null): Promise<void> {
  await sql(
    `insert into punctual.slots (slot_at, job_id, from_at, decided_at, slots, tenant_id, decision, reason)
     values ($1, $2, $3, now(), 1, 1, 2, 4)`,
    [at(slotMs), id, fromMs === null ? null : at(fromMs)],
  )
}

describe('auditing slots', () => {
  it('the auditor reports a slot without a decision as a hole, and its run as unplanned', async () => {
    const id = await aPlannedJob()
    const { slotMs, runId } = await aPastSlot(id)
    await sql('delete from punctual.slots where run_id = $1', [runId])
    const findings = await anAuditor()()
    expect(shown(findings)).toEqual(['hole', 'run-unplanned'])
    expect(findings.find(({ kind }) => kind === 'hole')?.at?.getTime()).toBe(slotMs)
    expect(findings.find(({ kind }) => kind === 'run-unplanned')?.runId).toBe(runId)
  })

  it('the auditor reports a range that covers a decided slot as a double', async () => {
    const id = await aPlannedJob()
    const { slotMs, runId } = await aPastSlot(id)
    await sql('delete from punctual.slots where run_id = $1', [runId])
    await sql('delete from punctual.queue where run_id = $1', [runId])
    await insertSlot(id, slotMs, slotMs - 1_000)
    const findings = await anAuditor()()
    expect(shown(findings)).toEqual(['double'])
    expect(findings[0]?.at?.getTime()).toBe(slotMs - 1_000)
  })

  it('the auditor reports no hole where a range ends beyond the audited page', async () => {
    const id = await t.job({ misfire: 'none' })
    await t.age(id, 3_000_000)
    await plan()
    expect((await ledgerOf(t, id))[0]?.slots).toBeGreaterThan(2_900)
    expect(shown(await anAuditor()())).toEqual([])
  })

  it('the auditor reports a decision between two slots as a stray', async () => {
    const id = await aPlannedJob()
    const { slotMs } = await aPastSlot(id)
    await insertSlot(id, slotMs + 500)
    const findings = await anAuditor()()
    expect(shown(findings)).toEqual(['stray'])
    expect(findings[0]?.at?.getTime()).toBe(slotMs + 500)
  })

  it('the auditor reports decisions of an unknown job as strays, and not those of a deleted job', async () => {
    const id = await aPlannedJob()
    await t.job({ name: 'other', cron: '0 0 1 1 *' })
    await t.store.schedules.steering.delete('job', 1)
    expect(shown(await anAuditor()())).toEqual([])
    await sql('delete from punctual.job_versions where job_id = $1', [id])
    expect(new Set(shown(await anAuditor()()))).toEqual(new Set(['stray']))
  })

  it('the auditor reports a run that is in no place as lost', async () => {
    const id = await aPlannedJob()
    const { runId, slotMs } = await aPastSlot(id)
    await sql('delete from punctual.queue where run_id = $1', [runId])
    const findings = await anAuditor()()
    expect(shown(findings)).toEqual(['run-lost'])
    expect(findings[0]).toMatchObject({ jobId: id, runId, at: new Date(slotMs) })
  })
})

describe('auditing job holds', () => {
  it('the auditor frees a job held by an ended run and releases the next run', async () => {
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

  it('the auditor keeps a job held by a running or retrying run', async () => {
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

  it('the auditor releases a run parked for a free job when it sees it twice', async () => {
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

describe('auditing queued runs', () => {
  it('the auditor accepts triggered and backfilled runs without a slot', async () => {
    const id = await aPlannedJob()
    const { steering } = t.store.schedules
    await steering.trigger('job', null, 1)
    const { slotMs } = await aPastSlot(id)
    await steering.backfill('job', [slotMs - 3_600_000], new Set(), 0, 1)
    expect(shown(await anAuditor()())).toEqual([])
  })

  it('the auditor accepts the replay of a run without another slot', async () => {
    const id = await aPlannedJob(10_000, { overlap: 'skip' })
    const session = await t.session()
    const [run] = (await t.claim(session, 1)).runs as [ClaimedRun]
    expect(run.slotMs).not.toBeNull()
    await t.store.work.settle(session, [dead(run)])
    const how = { note: null, by: null, fromCheckpoint: false }
    const requests = [{ id: run.id, payload: null }]
    const [answer] = await t.store.deadLetterSteering.replay(requests, how, 1, null)
    const replay = await t.store.runs.find(answer?.result === 'replayed' ? answer.id : '')
    expect(replay?.job).toMatchObject({ id, slotAt: new Date(run.slotMs ?? 0) })
    expect(await anAuditor()()).toEqual([])
  })
})

describe('auditing many jobs', () => {
  it('two concurrent auditors that read jobs in pages repair each job once', async () => {
    // None of their slots passes during the test: without a cursor it would also be a hole.
    for (let i = 0; i < 25; i++) await t.job({ name: `job ${i}`, cron: `${i} 0 0 1 1 *` })
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
