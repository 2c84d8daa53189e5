/** The consequences of every end of a run: the `finish` block of the statements that end runs. */
import { traits } from '@punctual/core/run'
import type { MemoryDatabase } from '../tables/memory-database.ts'
import { type Ended, isExclusive } from '../tables/rows.ts'

export function finish(db: MemoryDatabase, ended: readonly Ended[]): void {
  const nowMs = db.nowMs
  for (const run of ended) {
    const { runId, tenantId, fence, sessionId, state, attempt, crashes } = run
    const { attemptOutcome, startedMs, output, reason } = run
    db.outcomes.insert(runId, {
      ...{ runId, tenantId, fence, sessionId, state, attempt, crashes },
      ...{ attemptOutcome, startedMs, output, reason, finishedMs: nowMs },
    })
    if ((run.traits & traits.keyed) !== 0 && !db.mutants.has('key-not-freed')) freeKeyOf(db, runId)
    if ((run.traits & traits.gated) !== 0 && !db.mutants.has('gate-not-freed'))
      db.gated.delete(runId)
    if (isExclusive(run.traits) && !db.mutants.has('hold-not-freed'))
      if (run.jobId !== null && db.holds.get(run.jobId) === runId) db.holds.delete(run.jobId)
  }
  follow(db, ended)
}

/** Opens the dead letter of a run. */
export function bury(db: MemoryDatabase, runId: string, reason: string): void {
  db.deadLetters.insert(runId, { runId, reason, handled: null, replayedAs: null })
}

function freeKeyOf(db: MemoryDatabase, runId: string): void {
  for (const [key, holder] of db.liveKeys.entries()) if (holder === runId) db.liveKeys.delete(key)
}

/** Applies the ends to their jobs: ends are counted, and may decide when the jobs fire next. */
function follow(db: MemoryDatabase, ended: readonly Ended[]): void {
  const counted = traits.failuresCounted
  const jobs = new Map<string, { rearms: boolean; succeeded: boolean; dead: number }>()
  for (const run of ended) {
    if ((run.traits & (traits.rearms | counted)) === 0 || run.jobId === null) continue
    const job = jobs.get(run.jobId) ?? { rearms: false, succeeded: false, dead: 0 }
    job.rearms ||= (run.traits & traits.rearms) !== 0
    job.succeeded ||= run.state === 1 && (run.traits & counted) !== 0
    if (run.state === 2 && (run.traits & counted) !== 0) job.dead++
    jobs.set(run.jobId, job)
  }
  for (const [jobId, { rearms, succeeded, dead }] of jobs) {
    const cursor = db.cursors.get(jobId)
    if (!cursor || !(rearms || dead > 0 || cursor.failures > 0)) continue
    const rearmed = rearms && cursor.anchorMs === null
    db.cursors.set(jobId, {
      ...cursor,
      failures: succeeded ? 0 : cursor.failures + dead,
      anchorMs: rearmed ? db.nowMs : cursor.anchorMs,
      nextMs: rearmed && cursor.nextMs === null && !cursor.paused ? db.nowMs : cursor.nextMs,
    })
  }
}
