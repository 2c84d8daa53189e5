/** `verify` finds damage to the ledger and nothing else, also during any activity. */
import { readFileSync } from 'node:fs'
import { type AuditFinding, auditKinds, type JobOptions } from '@punctual/core/job'
import { Auditor, Planner } from '@punctual/engine'
import { systemClock, systemRandom } from '@punctual/store'
import { eventually, migratedDatabase, type TestDatabase } from '@punctual/testkit'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LatenessDigest } from '../../src/metrics/lateness-digest.ts'
import { Punctual } from '../../src/punctual.ts'
import { both, cli } from '../kit/cli-process.ts'

const HOUR_MS = 3_600_000
let database: TestDatabase
let punctual: Punctual
let sql: pg.Client

beforeAll(async () => {
  database = await migratedDatabase()
  punctual = await Punctual.start({ databaseUrl: database.url, roles: [] })
  sql = new pg.Client({ connectionString: database.url })
  await sql.connect()
})
afterAll(async () => {
  await sql.end()
  await punctual.stop()
  await database.drop()
})

let jobs = 0

/** A job of the test that has existed for an hour, with all of its slots decided. */
async function aPlannedJob(options: Partial<JobOptions> = {}) {
  const job = await anOldJob(options)
  await plan()
  return job
}

/** A job that was never planned. */
async function anOldJob(options: Partial<JobOptions> = {}) {
  const name = `job ${++jobs}`
  const job = { name, handler: 'work', misfire: { maxAgeMs: 30 * HOUR_MS, maxCount: 10_000 } }
  const rhythm = options.every === undefined ? { cron: '*/10 * * * * *' } : {}
  const { id } = await punctual.jobs.upsert({ ...job, ...rhythm, ...options })
  const hour = `interval '1 hour'`
  await sql.query(
    `update punctual.cursors
     set next_at = next_at - ${hour}, cursor_at = cursor_at - ${hour}, anchor_at = anchor_at - ${hour}
     where job_id = $1`,
    [id],
  )
  await sql.query(`update punctual.jobs set created_at = created_at - ${hour} where id = $1`, [id])
  return { id, name }
}

async function plan(): Promise<void> {
  const planner = new Planner({
    ...{ store: punctual.store.schedules.plan, clock: systemClock, id: systemRandom.token() },
    ...{ aheadMs: 20_000, ttlMs: 8_000, hintsArrive: () => false },
  })
  while ((await planner.tick()) === 0);
  await planner.retire()
}

/** The n-th slot before now. */
async function slotBefore(id: string, n: number) {
  const { rows } = await sql.query(
    'select slot_at, run_id from punctual.slots where job_id = $1 and slot_at < now() order by slot_at desc',
    [id],
  )
  return { at: rows[n].slot_at as Date, runId: rows[n].run_id as string }
}

function insertSlot(id: string, at: Date, from: Date | null = null) {
  return sql.query(
    `insert into punctual.slots (slot_at, job_id, from_at, decided_at, slots, tenant_id, decision, reason)
     values ($1, $2, $3, now(), 1, 1, 2, 4)`,
    [at, id, from],
  )
}

const verify = (job: string, options = {}) => punctual.verify({ job, from: daysAgo(2), ...options })
const daysAgo = (days: number) => new Date(Date.now() - days * 24 * HOUR_MS)
const earlier = (at: Date, ms: number) => new Date(at.getTime() - ms)

describe('an intact ledger', () => {
  test('an intact ledger is clean, and the numbers are those of its slots', async () => {
    const { name } = await aPlannedJob()
    const result = await verify(name)
    expect(result).toMatchObject({ jobs: 1, pending: 0, clean: true, findings: [], lateness: null })
    expect(result.slots).toBeGreaterThanOrEqual(360)
    expect(result.slots).toBeLessThanOrEqual(362)
    expect(result.runs).toBe(result.slots)
  })

  test('a ledger is clean where slots were missed and skipped together', async () => {
    const { name } = await aPlannedJob({ misfire: 'none' })
    const result = await verify(name)
    expect(result).toMatchObject({ clean: true, holes: 0, skips: { misfire: expect.any(Number) } })
    expect((result.skips.misfire as number) + result.runs).toBe(result.slots)
    const half = await verify(name, { to: earlier(new Date(), HOUR_MS / 2) })
    expect(half).toMatchObject({ clean: true, runs: 0 })
    expect(half.slots).toBeGreaterThan(170)
  })

  test('a ledger is clean through edits, pauses and an end, by the rules of each time', async () => {
    const { name } = await aPlannedJob({ every: '7s' })
    const job = { name, handler: 'work' }
    await punctual.jobs.pause(name)
    await punctual.jobs.upsert({ ...job, cron: '*/3 * * * * *' })
    await punctual.jobs.resume(name)
    await plan()
    await punctual.jobs.upsert({ ...job, every: '11s', maxRuns: 2 })
    await plan()
    expect(await verify(name)).toMatchObject({ clean: true })
  })

  test('undecided slots without a planner are not holes', async () => {
    const { name } = await anOldJob()
    const { pending, holes } = await verify(name)
    expect(pending).toBeGreaterThan(350)
    expect(holes).toBe(0)
    await punctual.jobs.delete(name)
  })
})

describe('a damaged ledger', () => {
  test('a missing decision is a hole', async () => {
    const { id, name } = await aPlannedJob()
    const { at } = await slotBefore(id, 100)
    await sql.query('delete from punctual.slots where job_id = $1 and slot_at = $2', [id, at])
    expect(await verify(name)).toMatchObject({
      ...{ clean: false, holes: 1, doubles: 0, strays: 0 },
      findings: [{ kind: 'hole', job: name, jobId: id, at }],
    })
  })

  test('a range over other decisions is a double, also far in the past', async () => {
    const { id, name } = await aPlannedJob({ every: '1s' })
    const { at } = await slotBefore(id, 20)
    await sql.query('delete from punctual.slots where job_id = $1 and slot_at = $2', [id, at])
    await insertSlot(id, at, earlier(at, 3_000_000))
    const { holes, doubles, strays } = await verify(name)
    expect({ holes, doubles, strays }).toEqual({ holes: 0, doubles: 3_000, strays: 0 })
  })

  test('a decision without a slot is a stray', async () => {
    const { id, name } = await aPlannedJob()
    const at = earlier((await slotBefore(id, 7)).at, 4_000)
    await insertSlot(id, at)
    expect(await verify(name)).toMatchObject({
      ...{ clean: false, holes: 0, strays: 1 },
      findings: [{ kind: 'stray', job: name, at }],
    })
  })

  test('a run in no place is lost', async () => {
    const { id, name } = await aPlannedJob()
    const { at, runId } = await slotBefore(id, 3)
    await sql.query('delete from punctual.queue where run_id = $1', [runId])
    expect(await verify(name)).toMatchObject({
      ...{ clean: false, lost: 1 },
      findings: [{ kind: 'run-lost', job: name, at, runId }],
    })
  })

  test('a cursor that points nowhere is found, and the slots since are holes', async () => {
    const { id, name } = await aPlannedJob()
    const { at } = await slotBefore(id, 5)
    await sql.query('delete from punctual.slots where job_id = $1 and slot_at > $2', [id, at])
    await sql.query(
      'update punctual.cursors set next_at = null, cursor_at = $2 where job_id = $1',
      [...[id, at]],
    )
    expect(await verify(name)).toMatchObject({ clean: false, cursors: 1, holes: 5 })
  })

  test('without a job name the whole ledger is checked', async () => {
    const { clean, findings, jobs: looked } = await punctual.verify({ from: daysAgo(2) })
    expect(clean).toBe(false)
    expect(looked).toBeGreaterThan(5)
    expect(new Set(findings.map(({ kind }) => kind))).toEqual(
      new Set(['hole', 'double', 'stray', 'run-lost', 'cursor-lost']),
    )
  })
})

describe('the range', () => {
  test('the range must be in order and in the past', async () => {
    for (const options of [{ from: 'soon' }, { from: daysAgo(1), to: daysAgo(2) }])
      await expect(punctual.verify(options)).rejects.toMatchObject({ code: 'invalid_option' })
    await expect(verify('nobody')).rejects.toMatchObject({ code: 'job_not_found' })
  })

  test('the range begins no earlier than the retention', async () => {
    const { from } = await punctual.verify({ from: daysAgo(400) })
    expect(from.getTime()).toBeGreaterThan(daysAgo(92).getTime())
  })
})

describe('the command', () => {
  const env = () => ({ DATABASE_URL: database.url })

  test('the command shows the numbers and exits with 0 when all is well', async () => {
    const { name } = await aPlannedJob()
    const { table, value } = await both(['verify', '--job', name, '--from', '-2h'], { env: env() })
    expect(table.code).toBe(0)
    expect(table.stdout).toMatch(/slots expected +36\d\n/)
    expect(table.stdout).toMatch(/holes +0\n/)
    expect(table.stdout).toContain('Every slot has exactly one decision')
    expect(value).toMatchObject({ jobs: 1, holes: 0, clean: true })
  })

  test('the command names its findings and exits with 1', async () => {
    const { id, name } = await aPlannedJob()
    const { at } = await slotBefore(id, 9)
    await sql.query('delete from punctual.slots where job_id = $1 and slot_at = $2', [id, at])
    const { code, stdout } = await cli(['verify', '--job', name], { env: env() })
    expect(code).toBe(1)
    expect(stdout).toMatch(/holes +1\n/)
    expect(stdout).toContain(at.toISOString())
    expect(stdout).toContain(auditKinds.hole)
    const before = await cli(['verify', '--job', name, '--to', earlier(at, 1).toISOString()], {
      env: env(),
    })
    expect(before.code).toBe(0)
  })
})

describe('lateness', () => {
  test('small lateness is exact, large lateness approximate', () => {
    const digest = new LatenessDigest()
    expect(digest.summary()).toBeNull()
    for (let ms = 1; ms <= 100; ms++) digest.add(ms)
    expect(digest.summary()).toEqual({ p50Ms: 50, p99Ms: 99, maxMs: 100 })
    const long = new LatenessDigest()
    for (let s = 1; s <= 100; s++) long.add(s * 100_000)
    const { p50Ms, maxMs } = long.summary() as { p50Ms: number; maxMs: number }
    expect(Math.abs(p50Ms / 5_000_000 - 1)).toBeLessThan(0.02)
    expect(maxMs).toBe(10_000_000)
  })
})

test('the page of the ledger explains every kind of finding', () => {
  const page = readFileSync(
    new URL('../../../../docs/concepts/ledger.md', import.meta.url),
    'utf8',
  ).split('\n')
  for (const [kind, meaning] of Object.entries(auditKinds))
    expect(page).toContainEqual(expect.stringContaining(`| \`${kind}\` | ${meaning} |`))
})

test('a working system is clean at all times, also while jobs are changed', async () => {
  const own = await migratedDatabase()
  const live = await Punctual.start({ databaseUrl: own.url })
  const done = new Map<string, number>()
  live.handler('work', (job: string) => void done.set(job, (done.get(job) ?? 0) + 1))
  live.handler('slow', () => systemClock.sleep(1_500)) // waits: longer than the period of its job
  const runOf = (name: string) => ({ name, handler: 'work', payload: name })
  await live.jobs.upsert({ ...runOf('cron'), cron: '* * * * * *' })
  await live.jobs.upsert({ ...runOf('after'), everyAfterEnd: '1s', overlap: 'allow' })
  await live.jobs.upsert({ ...runOf('held'), everyAfterEnd: '1s' })
  for (const overlap of ['skip', 'queue-one', 'cancel-previous'] as const)
    await live.jobs.upsert({ name: overlap, handler: 'slow', every: '1s', overlap })
  const findings: AuditFinding[] = []
  const auditors = [1, 2].map(
    () =>
      new Auditor({
        ...{ store: live.store.schedules.audit, clock: systemClock, pageSize: 3 },
        onAudited: (result) => void findings.push(...result.findings),
      }),
  )
  let over = false
  const auditing = auditors.map(async (auditor) => {
    while (!over) await auditor.tick()
  })
  const changes = [
    () => live.jobs.upsert({ ...runOf('cron'), cron: '*/2 * * * * *' }),
    () => live.jobs.pause('after'),
    () => live.jobs.upsert({ ...runOf('cron'), every: '1s' }),
    () => live.jobs.resume('after'),
    () => live.jobs.trigger('cron'),
    () => live.jobs.upsert({ ...runOf('cron'), cron: '* * * * * *' }),
  ]
  for (const [i, change] of changes.entries()) {
    await eventually('jobs run', () => (done.get('cron') ?? 0) > i)
    await change()
    expect((await live.verify()).findings).toEqual([])
  }
  await eventually('all of them run', () => (done.get('held') ?? 0) > 2)
  over = true
  await Promise.all(auditing)
  expect(findings).toEqual([])
  const result = await live.verify()
  expect(result).toMatchObject({ clean: true, jobs: 6, findings: [] })
  expect(result.lateness).not.toBeNull()
  expect(await live.metrics.text()).toContain('punctual_audit_round_age_seconds')
  await live.stop({ drainMs: 0 })
  await own.drop()
}, 60_000)
