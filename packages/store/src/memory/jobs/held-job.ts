/**
 * A job while a user changes it: its passed slots are decided by its present rules, and decisions
 * for future slots are taken back (jobs/passed-decisions, jobs/steering/take-back-runs).
 */
import { decodeRules, type JobRules, nextSlotOf, planJob, slotReasons } from '@punctual/core/job'
import { finalStates, traits } from '@punctual/core/run'
import type { TimingCache } from '@punctual/core/schedule'
import { passedSlots, type SlotRange } from '../../jobs/passed-slots.ts'
import { finish } from '../parts/finish.ts'
import { dueJobOf, insertSlots, slotKey } from '../plan/plan.ts'
import type { MemoryDatabase } from '../tables/memory-database.ts'
import { type CursorRow, type JobRow, type SlotRow, waitingEnd } from '../tables/rows.ts'

const ROUNDS_MAX = 100

/** What every change of a job needs. */
export interface Changing {
  readonly db: MemoryDatabase
  readonly timings: TimingCache
  /** Returns the id for the run of a slot. */
  readonly nextId: (timeMs: number, jobId: string, slotMs: number) => string
}

export interface HeldJob {
  readonly job: JobRow
  readonly cursor: CursorRow
  readonly rules: JobRules
}

export function holdJob(db: MemoryDatabase, id: string): HeldJob | null {
  const job = db.jobs.get(id)
  const cursor = db.cursors.get(id)
  const text = cursor && db.timings.get(String(cursor.timing))
  return job && cursor && text !== undefined ? { job, cursor, rules: decodeRules(text) } : null
}

/** The slots that have passed while the job was paused or could not be planned. */
export function passedBy({ db, timings }: Changing, { job, cursor, rules }: HeldJob) {
  const { id, createdMs } = job
  const { anchorMs, endMs, runsLeft, cursorMs } = cursor
  const endAt = endMs === null ? null : new Date(endMs)
  const passing = { id, rules, anchorMs, endAt, runsLeft, createdAt: new Date(createdMs) }
  return passedSlots(passing, timings, db.nowMs, cursorMs)
}

/** Decides the slots up to now: missed ones are caught up, those of a paused job are skipped. */
export function decidePassed(changing: Changing, held: HeldJob) {
  const { db, timings, nextId } = changing
  const { job, cursor, rules } = held
  let { runsLeft, nextMs, cursorMs: lastMs } = cursor
  if (rules.when.kind === 'after-end') return { runsLeft, lastMs }
  if (cursor.paused || job.planningError !== null) {
    const { passed } = passedBy(changing, held)
    if (passed) skipSlots(db, job.id, passed, cursor.paused ? 'paused' : 'misfire')
    return { runsLeft, lastMs: passed?.slotMs ?? lastMs }
  }
  for (let round = 0; nextMs !== null && nextMs <= db.nowMs && round < ROUNDS_MAX; round++) {
    const due = { ...dueJobOf(db, cursor, nextMs), cursorMs: lastMs, runsLeft }
    const window = { nowMs: db.nowMs, untilMs: db.nowMs }
    const skips = db.slotSkips.get(job.id)
    const plan = planJob(due, rules, { window, timings, calendars: new Map(), skips })
    insertSlots(db, [plan], nextId)
    ;({ runsLeft, nextMs } = plan)
    lastMs = plan.decisions.at(-1)?.slotMs ?? lastMs
  }
  return { runsLeft, lastMs }
}

export function skipSlots(
  db: MemoryDatabase,
  jobId: string,
  { fromMs, slotMs, slots }: SlotRange,
  reason: 'paused' | 'misfire',
): void {
  const from = fromMs === slotMs ? null : fromMs
  if (db.slots.has(slotKey(slotMs, jobId))) return
  db.slots.insert(slotKey(slotMs, jobId), {
    ...{ slotMs, jobId, runId: null, fromMs: from, slots, reason: slotReasons[reason] },
    computed: true,
  })
}

/** Withdraws decisions for future slots, back to the last one that has to stay. */
export function takeBack(changing: Changing, held: HeldJob) {
  const { db } = changing
  const { id } = held.job
  if (held.cursor.cursorMs <= db.nowMs || db.mutants.has('edit-keeps-planned'))
    return { stayMs: null, runs: 0 }
  // Decisions that an earlier edit had to leave stay.
  const editedMs = Math.max(0, ...versionsOf(db, id).map(({ untilMs }) => untilMs))
  const planned = slotsAhead(changing, held, Math.max(db.nowMs, editedMs)).flatMap((slotMs) => {
    return db.slots.get(slotKey(slotMs, id)) ?? []
  })
  const stays = planned.filter((slot) => hasToStay(db, slot)).map(({ slotMs }) => slotMs)
  const stayMs = stays.length > 0 ? Math.max(...stays) : null
  const ahead = planned.filter(({ slotMs }) => slotMs > (stayMs ?? 0))
  const runs = ahead.flatMap(({ runId }) => db.queue.delete(runId ?? '') ?? [])
  for (const { slotMs } of ahead) db.slots.delete(slotKey(slotMs, id))
  finish(
    db,
    runs.map((row) => waitingEnd(row, finalStates.cancelled, 'superseded')),
  )
  return { stayMs: stayMs ?? (editedMs > db.nowMs ? editedMs : null), runs: runs.length }
}

/** The run has left the queue, or the skipped range began in the past. */
function hasToStay(db: MemoryDatabase, { runId, fromMs, slotMs }: SlotRow): boolean {
  return runId === null ? (fromMs ?? slotMs) <= db.nowMs : !db.queue.has(runId)
}

function slotsAhead({ timings }: Changing, { job, cursor, rules }: HeldJob, nowMs: number) {
  const { anchorMs, cursorMs } = cursor
  const { kind } = rules.when
  if (kind === 'once' || kind === 'after-end') return cursorMs > nowMs ? [cursorMs] : []
  const next = nextSlotOf({ id: job.id, anchorMs }, rules, timings)
  const slots: number[] = []
  for (let slotMs = next(nowMs); slotMs !== null && slotMs <= cursorMs; slotMs = next(slotMs))
    slots.push(slotMs)
  return slots
}

/** The earlier versions of a job, oldest first. */
export const versionsOf = (db: MemoryDatabase, jobId: string) =>
  db.jobVersions
    .values()
    .filter((row) => row.jobId === jobId)
    .sort((a, b) => a.version - b.version)

/** Whether the run of the last slot of the job has not ended, and decides about the next slot. */
export function hasLiveRun(db: MemoryDatabase, { job, cursor }: HeldJob): boolean {
  const runId = db.slots.get(slotKey(cursor.cursorMs, job.id))?.runId
  const run = runId ? db.runs.get(runId) : undefined
  return run !== undefined && !db.outcomes.has(run.id) && (run.traits & traits.rearms) !== 0
}
