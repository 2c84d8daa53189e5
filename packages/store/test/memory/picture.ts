/** The content of PostgreSQL and of the memory in one form; of most times, only their presence. */

import { handlings } from '@punctual/core/dead-letter'
import type { MemoryDatabase } from '@punctual/store/memory'
import type { TestStore } from '@punctual/testkit'

export type Picture = Record<string, string[]>

const CARRIED = 'run_id, lane, attempt, crashes, traits, job_id'
/** Starts of rates are hours apart, and were computed within seconds of each other. */
const TENTH_US = 360_000_000
const ahead = (column: string) =>
  `round((${column} - extract(epoch from clock_timestamp()) * 1000000) / ${TENTH_US})`
const aheadAt = (column: string) => ahead(`(extract(epoch from ${column}) * 1000000)`)

/** The compared columns of each table. A row is a list of strings. */
const QUERIES: Readonly<Record<string, string>> = {
  runs: 'id, lane, traits, max_attempts, payload, key, job_id, slot_at is not null, missed_from is not null, replay_of',
  later: CARRIED,
  queue: `${CARRIED}, gate`,
  parked: `${CARRIED}, gate, gate_limit`,
  leases: `${CARRIED}, fence, session_id, started_at is not null, cancel_reason, gate, gate_slot, queue_limit is not null, tenant_limit is not null`,
  gated: `run_id, gate, gate_limit, rate, ${ahead('booked_us')}`,
  rates: `rate, ${ahead('next_us')}`,
  rate_starts: `rate, ${ahead('used_us')}`,
  limits: `queue, concurrency, rate_interval_us, case when next_us > 0 then ${ahead('next_us')} end`,
  outcomes:
    'run_id, fence, session_id, state, attempt, crashes, attempt_outcome, started_at is not null, output, reason',
  attempts: 'run_id, fence, attempt, outcome, started_at is not null',
  dead_letters: 'run_id, reason, handling, replayed_as',
  stale_settles: 'run_id, fence',
  live_keys: 'key, run_id',
  job_holds: 'job_id, run_id',
  checkpoints: 'run_id, state',
  sessions: 'id, drain_asked_at is not null',
  triggers: 'job_id, run_id',
  slots:
    '(extract(epoch from slot_at) * 1000)::bigint, job_id, run_id, (extract(epoch from from_at) * 1000)::bigint, slots, reason, computed',
  jobs: 'id, name, lane, timing, traits, payload, max_attempts, max_runs, planning_error',
  job_versions: `job_id, version, timing, ${aheadAt('until_at')}, ${aheadAt('anchor_at')}, ${aheadAt('end_at')}`,
  cursors: `job_id, version, timing, ${aheadAt('next_at')}, ${aheadAt('cursor_at')}, ${aheadAt('anchor_at')}, ${aheadAt('end_at')}, runs_left, failures, paused`,
}

export async function pictureOf(t: TestStore): Promise<Picture> {
  const parts = Object.entries(QUERIES).map(
    ([table, columns]) =>
      `'${table}', (select coalesce(json_agg(concat_ws('|', ${columns
        .split(/, (?![^(]*\))/)
        .map((column) => `coalesce((${column})::text, '')`)
        .join(', ')})), '[]') from punctual.${table})`,
  )
  const { rows } = await t.sql.query(`select json_build_object(${parts.join(', ')}) as picture`)
  return sorted(rows[0].picture)
}

type Cell = string | number | bigint | boolean | null

export function pictureOfMemory(db: MemoryDatabase): Picture {
  const text = (cell: Cell) => (cell === null ? '' : String(cell))
  const rows = <T>(table: { entries(): [string, T][] }, cells: (row: T, key: string) => Cell[]) =>
    table.entries().map(([key, row]) => cells(row, key).map(text).join('|'))
  const tenths = (us: number | null) => us && Math.round((us - db.nowUs) / TENTH_US)
  const tenthsMs = (ms: number | null) => tenths(ms && ms * 1_000)
  const carried = (r: { runId: string; lane: number; attempt: number } & Rest): Cell[] => [
    ...[r.runId, r.lane, r.attempt, r.crashes, r.traits, r.jobId],
  ]
  return sorted({
    runs: rows(db.runs, (r) => [
      ...[r.id, r.lane, r.traits, r.maxAttempts, r.payload, r.key, r.jobId],
      ...[r.slotMs !== null, r.missedFromMs !== null, r.replayOf],
    ]),
    later: rows(db.later, carried),
    queue: rows(db.queue, (r) => [...carried(r), r.gate]),
    parked: rows(db.parked, (r) => [...carried(r), r.gate, r.gateLimit]),
    leases: rows(db.leases, (r) => [
      ...[...carried(r), r.fence, r.sessionId, r.startedMs !== null, r.cancelReason],
      ...[r.gate, r.gateSlot, r.queueLimit !== null, r.tenantLimit !== null],
    ]),
    gated: rows(db.gated, (r) => [r.runId, r.gate, r.gateLimit, r.rate, tenths(r.bookedUs)]),
    rates: rows(db.rates, (nextUs, rate) => [rate, tenths(nextUs)]),
    rate_starts: rows(db.rateStarts, (usedUs, rate) => [rate, tenths(usedUs)]),
    limits: rows(db.limits, (r) => [
      ...[r.queue, r.concurrency, r.rate?.intervalUs ?? null, tenths(r.nextUs || null)],
    ]),
    outcomes: rows(db.outcomes, (r) => [
      ...[r.runId, r.fence, r.sessionId, r.state, r.attempt, r.crashes, r.attemptOutcome],
      ...[r.startedMs !== null, r.output, r.reason],
    ]),
    attempts: rows(db.attempts, (r) => [
      ...[r.runId, r.fence, r.attempt, r.outcome, r.startedMs !== null],
    ]),
    dead_letters: rows(db.deadLetters, (r) => [
      ...[r.runId, r.reason, r.handled && handlings[r.handled], r.replayedAs],
    ]),
    stale_settles: rows(db.staleSettles, (_, key) => key.split(' ')),
    live_keys: rows(db.liveKeys, (runId, key) => [key, runId]),
    job_holds: rows(db.holds, (runId, jobId) => [jobId, runId]),
    checkpoints: rows(db.checkpoints, (state, id) => [id, state]),
    sessions: rows(db.sessions, (r) => [r.id, r.drains]),
    triggers: rows(db.triggers, (_, key) => key.split(' ')),
    slots: rows(db.slots, (r) => [
      ...[r.slotMs, r.jobId, r.runId, r.fromMs, r.slots, r.reason, r.computed],
    ]),
    jobs: rows(db.jobs, (r) => [
      ...[r.id, r.name, r.lane, r.timing, r.traits, r.payload, r.maxAttempts, r.maxRuns],
      r.planningError,
    ]),
    job_versions: rows(db.jobVersions, (r) => [
      ...[r.jobId, r.version, r.timing, tenthsMs(r.untilMs), tenthsMs(r.anchorMs)],
      tenthsMs(r.endMs),
    ]),
    cursors: rows(db.cursors, (r) => [
      ...[r.jobId, r.version, r.timing, tenthsMs(r.nextMs), tenthsMs(r.cursorMs)],
      ...[tenthsMs(r.anchorMs), tenthsMs(r.endMs), r.runsLeft, r.failures, r.paused],
    ]),
  })
}

interface Rest {
  readonly crashes: number
  readonly traits: number
  readonly jobId: string | null
}

function sorted(picture: Picture): Picture {
  return Object.fromEntries(Object.entries(picture).map(([table, rows]) => [table, rows.sort()]))
}
