/** Changes of a job, each in one transaction (jobs/edits, jobs/update-job, jobs/steering). */
import { isDeepStrictEqual } from 'node:util'
import { type CompiledJob, encodeRules, firstSlot, nextSlotOf } from '@punctual/core/job'
import { finalStates } from '@punctual/core/run'
import { finish } from '../parts/finish.ts'
import { definitionOf, timingOf } from '../plan/plan.ts'
import type { MemoryDatabase } from '../tables/memory-database.ts'
import { type CursorRow, waitingEnd } from '../tables/rows.ts'
import {
  type Changing,
  decidePassed,
  type HeldJob,
  hasLiveRun,
  holdJob,
  passedBy,
  skipSlots,
  takeBack,
} from './held-job.ts'

/** Makes an existing job as declared; false when it already is. */
export function editJob(changing: Changing, id: string, job: CompiledJob, lane: number): boolean {
  const { db } = changing
  const held = holdJob(db, id)
  if (!held) return false
  const definition = definitionOf(job, lane, timingOf(db, job.rulesText))
  if (isSame(held, job, definition)) return false
  const { cursor } = held
  const passed = decidePassed(changing, held)
  const back = takeBack(changing, held)
  const left = passed.runsLeft === null ? null : passed.runsLeft + back.runs
  const used = (held.job.maxRuns ?? 0) - (left ?? 0)
  const runsLeft = job.maxRuns === null ? null : Math.max(0, job.maxRuns - used)
  const keeps = held.rules.when.kind === 'after-end' && job.rules.when.kind === 'after-end'
  const decidedMs = keeps ? Math.min(cursor.cursorMs, db.nowMs) : db.nowMs
  const cursorMs = Math.max(decidedMs, back.stayMs ?? 0)
  const { nextMs, anchorMs } = nextOf(changing, held, job, back)
  const rests = cursor.paused || runsLeft === 0
  keepVersion(db, cursor, cursorMs, passed.runsLeft === 0 ? passed.lastMs + 1 : null)
  db.cursors.set(id, {
    ...{ ...cursor, timing: definition.timing, version: cursor.version + 1, cursorMs, runsLeft },
    ...{ anchorMs, nextMs: rests ? null : nextMs, endMs: job.endMs },
  })
  db.jobs.set(id, { ...held.job, ...definition })
  return true
}

function isSame(
  { job, cursor, rules }: HeldJob,
  declared: CompiledJob,
  definition: ReturnType<typeof definitionOf>,
): boolean {
  const isOnce = rules.when.kind === 'once' && declared.rules.when.kind === 'once'
  if (isOnce && cursor.anchorMs !== declared.onceMs) return false
  const { id, createdMs, ...stored } = job
  return cursor.endMs === declared.endMs && isDeepStrictEqual(stored, definition)
}

/** The past is judged by the rules of its time; `overMs`: when they ran out of slots. */
function keepVersion(
  db: MemoryDatabase,
  { jobId, version, timing, anchorMs, endMs }: CursorRow,
  cursorMs: number,
  overMs: number | null,
): void {
  const ends = [endMs, overMs].filter((ms) => ms !== null)
  db.jobVersions.insert(`${jobId} ${version}`, {
    ...{ jobId, version, timing, anchorMs, untilMs: Math.max(db.nowMs, cursorMs) },
    endMs: ends.length > 0 ? Math.min(...ends) : null,
  })
}

/** Where the job continues: the new rules start after the decisions that stay. */
function nextOf(
  { db, timings }: Changing,
  held: HeldJob,
  job: CompiledJob,
  back: { readonly stayMs: number | null; readonly runs: number },
): { nextMs: number | null; anchorMs: number | null } {
  const { cursor, rules } = held
  const { nowMs } = db
  const { when, timezone } = job.rules
  const sameRhythm = encodeRules({ ...rules, when, timezone }) === encodeRules(rules)
  const fromMs = Math.max(nowMs, back.stayMs ?? 0) + 1
  const keptMs = sameRhythm && (cursor.anchorMs ?? 0) <= nowMs ? cursor.anchorMs : null
  const first = firstSlot(job, held.job.id, timings, fromMs, keptMs)
  if (when.kind !== rules.when.kind) return first
  if (when.kind === 'once') {
    const aheadMs = held.job.planningError ? cursor.anchorMs : cursor.nextMs
    const decided = (aheadMs ?? 0) <= nowMs && !cursor.paused && back.runs === 0
    return decided && job.onceMs === cursor.anchorMs ? { ...first, nextMs: null } : first
  }
  if (when.kind !== 'after-end') return first
  if (cursor.nextMs === null && back.runs === 0)
    return hasLiveRun(db, held) ? { nextMs: null, anchorMs: null } : first
  if (job.startMs !== null && job.startMs > nowMs) return first
  if (sameRhythm && back.runs === 0) return { nextMs: cursor.nextMs, anchorMs: cursor.anchorMs }
  return { nextMs: nowMs, anchorMs: nowMs }
}

/** False when the job is paused already. */
export function pauseJob(changing: Changing, id: string): boolean {
  const { db } = changing
  const held = holdJob(db, id)
  if (!held || held.cursor.paused) return false
  const { cursor } = held
  const passed = decidePassed(changing, held)
  const { stayMs, runs } = takeBack(changing, held)
  const decidedMs = Math.min(Math.max(cursor.cursorMs, passed.lastMs), db.nowMs)
  db.cursors.set(id, {
    ...{ ...cursor, nextMs: null, paused: true, version: cursor.version + 1 },
    runsLeft: passed.runsLeft === null ? null : passed.runsLeft + runs,
    cursorMs: db.mutants.has('pause-keeps-cursor')
      ? cursor.cursorMs
      : Math.max(decidedMs, stayMs ?? 0),
  })
  return true
}

/** Skips the slots that passed during the pause. False when the job is not paused. */
export function resumeJob(changing: Changing, id: string): boolean {
  const { db } = changing
  const held = holdJob(db, id)
  if (!held?.cursor.paused) return false
  const { cursor, rules } = held
  const { nextMs, anchorMs, passed } =
    rules.when.kind === 'after-end'
      ? { ...afterEnd(changing, held), passed: null }
      : { anchorMs: cursor.anchorMs, ...passedBy(changing, held) }
  if (passed) skipSlots(db, id, passed, 'paused')
  db.cursors.set(id, {
    ...{ ...cursor, nextMs, anchorMs, paused: false, failures: 0, version: cursor.version + 1 },
    cursorMs: Math.max(cursor.cursorMs, passed?.slotMs ?? 0),
  })
  db.jobs.set(id, { ...held.job, planningError: null })
  return true
}

/** An unfinished run decides the next slot when it ends; otherwise the last end does so now. */
function afterEnd({ db, timings }: Changing, held: HeldJob) {
  const { job, cursor, rules } = held
  if (cursor.runsLeft === 0 || hasLiveRun(db, held))
    return { nextMs: null, anchorMs: cursor.anchorMs }
  const last = db.slots
    .values()
    .filter(({ jobId, computed, runId }) => jobId === job.id && !computed && runId !== null)
    .sort((a, b) => b.slotMs - a.slotMs)[0]
  const endedMs = last?.runId ? db.outcomes.get(last.runId)?.finishedMs : undefined
  const next = nextSlotOf({ id: job.id, anchorMs: cursor.anchorMs }, rules, timings)
  const followsMs = endedMs === undefined ? null : next(endedMs)
  return { nextMs: Math.max(db.nowMs, job.startMs ?? 0, followsMs ?? 0), anchorMs: null }
}

/** Ends the runs of the job that have not started; false when the job does not exist. */
export function deleteJob(changing: Changing, id: string): boolean {
  const { db } = changing
  const held = holdJob(db, id)
  if (!held) return false
  takeBack(changing, held)
  for (const place of ['later', 'queue', 'parked'] as const)
    for (const row of db[place].values())
      if (row.jobId === id && row.attempt === 0) {
        db[place].delete(row.runId)
        finish(db, [waitingEnd(row, finalStates.cancelled, 'superseded')])
      }
  const cursor = db.cursors.get(id) ?? held.cursor
  keepVersion(db, cursor, 0, null)
  db.cursors.delete(id)
  db.jobs.delete(id)
  return true
}
