/**
 * Jobs and their slots: cursors, ledger and runs of one transaction (plan/advance-cursors,
 * plan/insert-slots).
 */
import {
  type CompiledJob,
  type DueJob,
  firstSlot,
  type PlannedJob,
  slotReasons,
} from '@punctual/core/job'
import type { DueRequest } from '@punctual/core/ports'
import { traits } from '@punctual/core/run'
import type { TimingCache } from '@punctual/core/schedule'
import { flowFields } from '../../submit/flow-keys.ts'
import { insertGated } from '../parts/gated.ts'
import type { MemoryDatabase } from '../tables/memory-database.ts'
import {
  type CursorRow,
  isExclusive,
  type JobRow,
  QUEUE_ALL_BITS,
  withoutOverlap,
} from '../tables/rows.ts'

export const slotKey = (slotMs: number, jobId: string): string => `${slotMs} ${jobId}`

export function insertJob(
  db: MemoryDatabase,
  { id, job, lane }: { id: string; job: CompiledJob; lane: number },
  timings: TimingCache,
): void {
  const timing = timingOf(db, job.rulesText)
  const nowMs = db.nowMs
  const { nextMs, anchorMs } = firstSlot(job, id, timings, nowMs)
  db.jobs.insert(id, { id, createdMs: nowMs, ...definitionOf(job, lane, timing) })
  db.cursors.insert(id, {
    ...{ jobId: id, tenantId: 1, shard: Number.parseInt(id.slice(-2), 16), timing, version: 1 },
    ...{ nextMs, cursorMs: nowMs - 1, anchorMs, endMs: job.endMs, runsLeft: job.maxRuns },
    ...{ failures: 0, paused: false },
  })
}

/** The columns of a job that its declaration decides. */
export const definitionOf = (job: CompiledJob, lane: number, timing: number) => ({
  ...{ name: job.name, tenantId: 1, lane, timing, traits: job.traits, payload: job.payload },
  ...{ timeoutMs: job.run.timeoutMs, maxAttempts: job.run.maxAttempts, policy: job.run.policy },
  ...{ startMs: job.startMs, maxRuns: job.maxRuns, planningError: null },
  flow: job.flow && flowFields(1, job.flow),
})

/** Equal rules share one number. */
export function timingOf(db: MemoryDatabase, text: string): number {
  const known = db.timings.entries().find(([, spec]) => spec === text)
  if (known) return Number(known[0])
  const timing = db.timings.size + 1
  db.timings.insert(String(timing), text)
  return timing
}

export function dueJobs(db: MemoryDatabase, request: DueRequest): DueJob[] {
  const { fromMs, untilMs, limit } = request
  const shards = new Set(request.shards)
  return db.cursors
    .values()
    .flatMap((cursor) => {
      const { nextMs } = cursor
      const due = nextMs !== null && nextMs >= fromMs && nextMs <= untilMs
      return due && shards.has(cursor.shard) ? [dueJobOf(db, cursor, nextMs)] : []
    })
    .sort((a, b) => a.nextMs - b.nextMs)
    .slice(0, limit)
}

export function dueJobOf(db: MemoryDatabase, cursor: CursorRow, nextMs: number): DueJob {
  const { jobId, tenantId, version, timing, anchorMs, endMs, runsLeft, failures, cursorMs } = cursor
  return {
    ...{ id: jobId, tenantId, nextMs, version, timing, anchorMs, endMs, runsLeft },
    ...{ hasSkips: db.slotSkips.has(jobId), failures, cursorMs, suspended: false },
  }
}

/** Moves the cursors of jobs that are unchanged since they were read; returns those jobs. */
export function advanceCursors(db: MemoryDatabase, plans: readonly PlannedJob[]): PlannedJob[] {
  return plans.filter(({ job, nextMs, runsLeft, anchorMs, decisions }) => {
    const cursor = db.cursors.get(job.id)
    const isAsRead = cursor?.nextMs === job.nextMs && cursor.version === job.version
    if (!cursor || !(isAsRead || db.mutants.has('slot-not-unique'))) return false
    const cursorMs = Math.max(cursor.cursorMs, decisions.at(-1)?.slotMs ?? 0)
    db.cursors.set(job.id, { ...cursor, nextMs, runsLeft, anchorMs, cursorMs })
    return true
  })
}

/** Writes the ledger, and the runs of slots decided as runs, with ids from `nextId`. */
export function insertSlots(
  db: MemoryDatabase,
  plans: readonly PlannedJob[],
  nextId: (timeMs: number, jobId: string, slotMs: number) => string,
): void {
  const nowMs = db.nowMs
  const rows = plans.flatMap(({ job, decisions, computed }) =>
    decisions.map((decision) => ({
      job,
      decision,
      computed,
      placeMs: Math.max(dueMsOf(decision), nowMs),
    })),
  )
  rows.sort((a, b) => a.placeMs - b.placeMs)
  for (const { job, decision, computed, placeMs } of rows) {
    const { slotMs, fromMs, slots } = decision
    const runId = decision.decision === 'run' ? nextId(placeMs, job.id, slotMs) : null
    const row = {
      slotMs,
      jobId: job.id,
      runId,
      slots,
      reason: slotReasons[decision.reason],
      computed,
    }
    const from = fromMs === slotMs ? null : fromMs
    if (db.mutants.has('slot-not-unique'))
      db.slots.set(slotKey(slotMs, job.id), { ...row, fromMs: from })
    else db.slots.insert(slotKey(slotMs, job.id), { ...row, fromMs: from })
    const stored = db.jobs.get(job.id)
    if (runId === null || decision.decision !== 'run' || !stored) continue
    insertRunOfJob(db, stored, {
      ...{ id: runId, dueMs: decision.dueMs, slotMs, missedFromMs: from, placeMs },
      madeUp: decision.reason === 'late' || decision.reason === 'coalesced',
    })
  }
}

const dueMsOf = (decision: PlannedJob['decisions'][number]) =>
  decision.decision === 'run' ? decision.dueMs : decision.slotMs

interface RunOfJob {
  readonly id: string
  readonly dueMs: number
  readonly slotMs: number | null
  readonly missedFromMs: number | null
  readonly placeMs: number
  /** The run catches up on missed slots; such runs wait for each other. */
  readonly madeUp: boolean
}

function insertRunOfJob(db: MemoryDatabase, job: JobRow, run: RunOfJob): void {
  const { id, dueMs, slotMs, missedFromMs, placeMs, madeUp } = run
  const waits = madeUp && isExclusive(job.traits)
  const bits = waits ? withoutOverlap(job.traits) | QUEUE_ALL_BITS : job.traits
  const { tenantId, lane, timeoutMs, maxAttempts, payload, policy, flow } = job
  db.runs.insert(id, {
    ...{ id, tenantId, lane, dueMs, createdMs: db.nowMs, maxAttempts, timeoutMs, payload },
    ...{ traits: bits, key: null, policy, trace: null, jobId: job.id, slotMs, missedFromMs },
    ...{ replayOf: null, flow },
  })
  insertGated(db, id, bits, flow)
  db.queue.insert(id, {
    ...{ runId: id, tenantId, lane, attempt: 0, crashes: 0, traits: bits, jobId: job.id },
    ...{ posMs: placeMs, seq: db.nextSequence(), gate: null },
  })
}

/** Triggers a job now, independently of its slots. */
export function triggerJob(db: MemoryDatabase, jobId: string, runId: string): boolean {
  const job = db.jobs.get(jobId)
  if (!job) return false
  const nowMs = db.nowMs
  const triggered = { ...job, traits: job.traits & ~traits.rearms }
  const at = { dueMs: nowMs, placeMs: nowMs, slotMs: null, missedFromMs: null, madeUp: false }
  insertRunOfJob(db, triggered, { id: runId, ...at })
  db.triggers.insert(`${jobId} ${runId}`, runId)
  return true
}
