/**
 * The verdict at the end: faults have stopped, every run has had time to end, and the store is
 * compared with the ledger of what really happened.
 */
import type { AuditKind } from '@punctual/core/job'
import { attemptOutcomes, finalStates } from '@punctual/core/run'
import { TimingCache } from '@punctual/core/schedule'
import {
  auditedJobs,
  checkSlots,
  type EffectRow,
  type MemoryDatabase,
  type OutcomeRow,
} from '@punctual/store/memory'
import type { Ledger } from './ledger.ts'
import { isAtMostOnce, possibleDuplicates, type Watch } from './watch.ts'

/** Whether every run has ended and no job has an undecided slot. */
export function isQuiet(db: MemoryDatabase): boolean {
  return (
    db.later.size + db.queue.size + db.parked.size + db.leases.size === 0 &&
    db.cursors.values().every(({ nextMs }) => nextMs === null)
  )
}

export function judge(
  db: MemoryDatabase,
  ledger: Ledger,
  watch: Watch,
  { clockSteps }: { readonly clockSteps: boolean },
): void {
  if (!isQuiet(db)) {
    unfinished(db, watch)
    return
  }
  judgeSlots(db, watch)
  judgeKeys(db, watch)
  judgeBounds(db, watch)
  if (watch.lossy) return
  judgeEffects(db, ledger, watch)
  judgeAnswers(db, ledger, watch)
  // After its clock was set back, a job has slots from before its creation.
  if (!clockSteps) judgeFindings(ledger, watch)
}

function unfinished(db: MemoryDatabase, watch: Watch): void {
  const places = (['later', 'queue', 'parked', 'leases'] as const).flatMap((place) =>
    db[place].values().map(({ runId }) => `${place} has ${runId}`),
  )
  const jobs = db.cursors.values().filter(({ nextMs }) => nextMs !== null)
  const slots = jobs.map(({ jobId, nextMs }) => `${jobId} has a slot at ${nextMs}`)
  watch.fail('L1 everything ends', [...places, ...slots].join('; '))
}

/**
 * Every slot up to the cursor has one decision, and no run waits for a job without future slots.
 */
function judgeSlots(db: MemoryDatabase, watch: Watch): void {
  const timings = new TimingCache()
  for (const job of auditedJobs(db)) {
    const { runsLeft, endMs, cursorMs, createdMs } = job
    const untilMs = runsLeft === 0 ? cursorMs : Math.max(cursorMs, (endMs ?? 0) - 1)
    const sample = { job, fromMs: createdMs, untilMs, limit: 100_000 }
    const { holes, doubles } = checkSlots(db, sample, timings)
    for (const at of holes) watch.fail('I6 no slot is left out', `${job.id} has a hole at ${at}`)
    for (const at of doubles) watch.fail('I1 one decision for a slot', `${job.id} at ${at}`)
  }
  for (const { runId, slotMs, jobId } of db.slots.values())
    if (runId !== null && !db.runs.has(runId))
      watch.fail('I6 no slot is left out', `the run of ${jobId} at ${slotMs} does not exist`)
}

function judgeKeys(db: MemoryDatabase, watch: Watch): void {
  for (const [key, runId] of db.liveKeys.entries())
    watch.fail('I15 an end frees the key', `${key} is held by ${runId}, which has ended`)
  for (const [jobId, runId] of db.holds.entries())
    watch.fail('I15 an end frees the job', `${jobId} is held by ${runId}, which has ended`)
}

/** The policy bounds failures; crashes and interruptions are counted separately. */
function judgeBounds(db: MemoryDatabase, watch: Watch): void {
  const others = new Map<string, number>()
  for (const { runId, outcome } of db.attempts.values())
    if (outcome === 4 || outcome === 5) others.set(runId, (others.get(runId) ?? 0) + 1)
  for (const outcome of db.outcomes.values()) {
    const most = (db.runs.get(outcome.runId)?.maxAttempts ?? 0) + (others.get(outcome.runId) ?? 0)
    const slack = (outcome.attemptOutcome ?? 0) >= attemptOutcomes.crashed ? 1 : 0
    if (outcome.attempt > most + slack)
      watch.fail('I12 attempts are bounded', `${outcome.runId} has had ${outcome.attempt}`)
  }
}

function judgeEffects(db: MemoryDatabase, ledger: Ledger, watch: Watch): void {
  for (const id of ledger.acknowledged)
    if (!db.runs.has(id)) watch.fail('nothing acknowledged is lost', `run ${id}`)
  for (const id of ledger.afterStop)
    watch.fail('a worker that has stopped starts nothing', `run ${id}`)
  for (const id of ledger.forgotten)
    watch.fail('a checkpoint is kept for the next attempt', `run ${id}`)
  const flagged = possibleDuplicates(db)
  for (const [id, effects] of ledger.effects) {
    const run = db.runs.get(id)
    if (!run) {
      watch.fail('no effect without a run', `run ${id}`)
      continue
    }
    if (effects.length > 1 && !flagged.has(id))
      watch.fail('a duplicate is flagged', `run ${id} has started ${effects.length} times`)
    if (!isAtMostOnce(run.traits)) continue
    if (effects.length > 1) watch.fail('I14 at most once', `run ${id} has started twice`)
    if (effects.some(({ marked }) => !marked))
      watch.fail('I14 a start is marked first', `run ${id} has started without its mark`)
  }
  const written = new Map<string, EffectRow[]>()
  for (const effect of db.effects.values())
    written.set(effect.runId, [...(written.get(effect.runId) ?? []), effect])
  for (const outcome of db.outcomes.values()) judgeOutcome(written, ledger, watch, outcome)
  judgeStarts(db, ledger, watch)
}

/**
 * A start that a surviving worker reported has happened; the starts of a dead worker are unknown.
 */
function judgeStarts(db: MemoryDatabase, ledger: Ledger, watch: Watch): void {
  const ended = db.outcomes.values().filter(({ reason }) => reason !== 'superseded')
  const attempts = [
    ...db.attempts.values(),
    ...ended.map((outcome) => ({ ...outcome, outcome: outcome.attemptOutcome })),
  ]
  for (const { runId, fence, outcome, startedMs } of attempts) {
    if (startedMs === null || outcome === attemptOutcomes.crashed) continue
    if (!ledger.effects.get(runId)?.some((effect) => effect.fence === fence))
      watch.fail('only started runs are reported as started', `run ${runId} by ${fence}`)
  }
}

/** A success needs a handler that returned, and its transactional write exists exactly once. */
function judgeOutcome(
  writtenBy: ReadonlyMap<string, readonly EffectRow[]>,
  ledger: Ledger,
  watch: Watch,
  { runId, fence, state }: OutcomeRow,
): void {
  const written = writtenBy.get(runId) ?? []
  if (written.length > 1) watch.fail('a transaction takes effect once', `run ${runId}`)
  if (written.length === 1 && (state !== finalStates.succeeded || written[0]?.fence !== fence))
    watch.fail('a transaction takes effect with its outcome', `run ${runId}`)
  if (state !== finalStates.succeeded) return
  const effect = ledger.effects.get(runId)?.find((started) => started.fence === fence)
  const transacts = written.length === 1
  if (!effect || (effect.end !== 'returned' && !transacts))
    watch.fail('a success needs a handler that returned', `run ${runId} by ${fence}`)
}

/**
 * While no commit is lost, auditors find only work that a dead process left unfinished. An auditor
 * that was stopped between check and repair may rearm a job whose last slot has passed: its planner
 * stops the job again.
 */
const expected: readonly AuditKind[] = ['parked-free', 'planning-behind', 'rearm-lost']

function judgeFindings({ findings }: Ledger, watch: Watch): void {
  for (const { kind, jobId, runId, at } of findings)
    if (!expected.includes(kind))
      watch.fail('auditors find nothing', `${kind} ${jobId} ${runId ?? at?.toISOString()}`)
}

/** The state in which each settlement ends a run; one that does not end it may have been cancelled. */
const STATES = {
  ...{ succeeded: 1, dead: 2, cancelled: 3, retry: 3, skipped: 4, unknown: 5, awaiting: 3 },
} as const

/** Workers received the true result of what they settled. */
function judgeAnswers(db: MemoryDatabase, ledger: Ledger, watch: Watch): void {
  const tried = new Map(db.attempts.values().map((attempt) => [attempt.fence, attempt]))
  for (const { runId, fence, kind, accepted } of ledger.answers) {
    // Its target may have ended the run before, or ends it later.
    if (kind === 'awaiting') continue
    const outcome = db.outcomes.get(runId)
    const attempt = tried.get(fence)
    const state = STATES[kind]
    const ended = outcome?.fence === fence && outcome.state === state && !byAnother(outcome)
    const again = kind === 'retry' && attempt !== undefined && attempt.outcome !== 4
    if (accepted !== (ended || again))
      watch.fail(
        accepted ? 'no stale outcome is accepted' : 'an accepted outcome is reported as accepted',
        `run ${runId} by ${fence}, ${kind}`,
      )
  }
}

/** The reaper or a superseding run ended it, not its worker. */
const byAnother = ({ attemptOutcome }: OutcomeRow) =>
  attemptOutcome === attemptOutcomes.crashed || attemptOutcome === attemptOutcomes.terminated
