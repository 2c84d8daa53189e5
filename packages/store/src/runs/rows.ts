/** Converts rows of the run statements to the public type of runs. */
import { invariant } from '@punctual/core/errors'
import {
  type Attempt,
  decodeRunPolicy,
  deliveryFrom,
  type FinalState,
  type FinishedRun,
  type LogLine,
  type Resolution,
  type Run,
  traits,
} from '@punctual/core/run'
import { decodeFlow } from '../submit/flow-keys.ts'
import type { FindRunsRow, ListAttemptsRow, ListLogsRow } from './statements.gen.ts'

/** A replay keeps the policy of the original run, but does not expire. */
function expiryOf(bits: number, policy: string | null): Date | null {
  if ((bits & traits.expires) === 0) return null
  const { expiresAtMs } = decodeRunPolicy(policy)
  return expiresAtMs === undefined ? null : new Date(expiresAtMs)
}

/** What lists of runs show of one that has not ended. */
export interface SummaryRow {
  readonly id: string
  readonly handler: string
  readonly queue: string
  readonly priority: number
  readonly dueAt: Date
  readonly attempt: number
}

export function summary({ id, handler, queue, priority, dueAt, attempt }: SummaryRow) {
  return { id, handler, queue, priority, dueAt, attempt, finishedAt: null, error: null }
}

export function toAttempt({ runId: _, cut: __, sessionId, ...attempt }: ListAttemptsRow): Attempt {
  return { ...attempt, workerId: sessionId }
}

const logLevels = ['debug', 'info', 'warn', 'error'] as const

export function toLogLine({ level, data, ...line }: ListLogsRow): LogLine {
  return {
    ...line,
    level: logLevels[level] ?? 'info',
    data: data === null ? null : JSON.parse(data),
  }
}

/** Whether more than one attempt has passed its start mark. */
function startedTwice(attempts: readonly Attempt[], andThisOne = false): boolean {
  return attempts.filter(({ startedAt }) => startedAt !== null).length + Number(andThisOne) > 1
}

/** Whether the current attempt passed its start mark: its claim or, if needed, a separate one. */
function startMarked(markedAt: Date | null, bits: number, earlier: readonly Attempt[]): boolean {
  if (markedAt) return true
  return (bits & traits.atMostOnce) === 0 && !earlier.some(({ outcome }) => outcome === 'crashed')
}

const resolutionOf = new Map<FinalState, Resolution>([
  ['succeeded', 'succeeded'],
  ['dead', 'failed'],
  ['unknown', 'run-again'],
])

function resolvedIn(row: FindRunsRow): FinishedRun['resolved'] {
  const as = row.state && resolutionOf.get(row.state)
  if (!row.resolvedAt || !as) return null
  return { as, at: row.resolvedAt, by: row.resolvedBy, note: row.note }
}

export function toRun(row: FindRunsRow, earlier: readonly Attempt[]): Run {
  if (row.state !== null) return { ...definitionIn(row), ...endIn(row, row.state, earlier) }
  if (row.deadlineAt !== null) return { ...definitionIn(row), ...awaitedIn(row, earlier) }
  if (row.sessionId !== null)
    return { ...definitionIn(row), ...leaseIn(row, row.sessionId, earlier) }
  const { laterAt, queueMs, parkedAt, gate } = row
  return {
    ...definitionIn(row),
    state: parkedAt ? 'waiting' : row.queueDue ? 'queued' : 'scheduled',
    attempts: earlier,
    possibleDuplicate: startedTwice(earlier),
    nextAt: laterAt ?? (queueMs === null ? row.dueAt : new Date(queueMs)),
    waitsFor: parkedAt ? (gate ? 'concurrency' : 'overlap') : null,
  }
}

/** What the run is, wherever it is. */
function definitionIn(row: FindRunsRow) {
  const { jobId, job, slotAt, missedFrom, policy: text, traits: bits } = row
  const { target = { kind: 'handler' as const, name: row.handler }, ...policy } =
    decodeRunPolicy(text)
  return {
    id: row.id,
    tenantId: row.tenantId,
    handler: row.handler,
    target,
    queue: row.queue,
    priority: row.priority,
    payload: JSON.parse(row.payload),
    dueAt: row.dueAt,
    createdAt: row.createdAt,
    maxAttempts: row.maxAttempts,
    timeoutMs: row.timeoutMs,
    key: row.key,
    labels: row.labels ?? {},
    createdBy: row.createdBy,
    trace: row.trace,
    job: jobId === null ? null : { id: jobId, name: job, slotAt, missedFrom },
    delivery: deliveryFrom(bits, text),
    policy,
    expiresAt: expiryOf(bits, text),
    replayOf: row.replayOf,
    replayedAs: row.replayedAs,
    editedAt: row.editedAt,
    ...decodeFlow(row.flow),
  }
}

/** What a running run has beyond its definition. */
function leaseIn(row: FindRunsRow, workerId: string, earlier: readonly Attempt[]) {
  const { claimedAt, markedAt, progress, cancelReason } = row
  invariant(claimedAt, 'a leased run was claimed')
  return {
    state: cancelReason === null ? ('running' as const) : ('cancelling' as const),
    attempts: earlier,
    possibleDuplicate: startedTwice(earlier, startMarked(markedAt, row.traits, earlier)),
    workerId,
    claimedAt,
    progress: progress === null ? null : JSON.parse(progress),
    cancelReason,
  }
}

/** The properties of a run that awaits its target beyond its definition. */
function awaitedIn(row: FindRunsRow, earlier: readonly Attempt[]) {
  const { claimedAt, deadlineAt, progress, statusUrl } = row
  invariant(claimedAt && deadlineAt, 'a run that awaits its target was claimed, and has a deadline')
  return {
    state: 'awaiting' as const,
    attempts: earlier,
    possibleDuplicate: startedTwice(earlier, true),
    ...{ claimedAt, deadlineAt, statusUrl },
    progress: progress === null ? null : JSON.parse(progress),
  }
}

/** What an ended run has beyond its definition. */
function endIn(row: FindRunsRow, state: FinalState, earlier: readonly Attempt[]) {
  const { attemptOutcome, finalAttempt, finalSessionId, startedAt, finishedAt, error } = row
  invariant(finishedAt, 'a run that ended has an end')
  const attempts = [...earlier]
  if (attemptOutcome !== null)
    attempts.push({
      ...{ attempt: finalAttempt ?? 0, outcome: attemptOutcome, startedAt, endedAt: finishedAt },
      ...{ workerId: finalSessionId, error },
    })
  const firstStart = earlier[0]?.startedAt ?? startedAt
  return {
    state,
    attempts,
    possibleDuplicate: startedTwice(attempts),
    startedAt,
    finishedAt,
    output: row.output === null ? null : JSON.parse(row.output),
    // A succeeded run has an error only in the attempt whose worker was lost.
    error: state === 'succeeded' ? null : error,
    reason: row.reason,
    resolved: resolvedIn(row),
    latenessMs: firstStart ? firstStart.getTime() - row.dueAt.getTime() : null,
  }
}
