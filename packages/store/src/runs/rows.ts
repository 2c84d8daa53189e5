/** Converts rows of the run statements to the public type of runs. */
import type { Failure } from '@punctual/core/errors'
import {
  type Attempt,
  type AttemptOutcome,
  attemptOutcomeOf,
  decodeRunPolicy,
  deliveryFrom,
  type FinalState,
  type FinishedRun,
  finalStateOf,
  finalStates,
  type LogLine,
  type Resolution,
  type Run,
  resolutions,
  traits,
} from '@punctual/core/run'
import type { Row } from '../connection/channel.ts'
import { decodeFlow } from '../submit/flow-keys.ts'

export const date = (text: string | null | undefined) => (text ? new Date(text) : null)
const json = (text: string | null | undefined) => (text ? JSON.parse(text) : null)

type Text = string | null | undefined

/** A replay keeps the policy of the original run, but does not expire. */
function expiryOf(bits: number, policy: string | null): Date | null {
  if ((bits & traits.expires) === 0) return null
  const { expiresAtMs } = decodeRunPolicy(policy)
  return expiresAtMs === undefined ? null : new Date(expiresAtMs)
}

export function summary(
  id: Text,
  handler: Text,
  queue: Text,
  priority: Text,
  dueAt: Text,
  attempt: Text,
) {
  return {
    id: id as string,
    handler: handler as string,
    queue: queue as string,
    priority: Number(priority),
    dueAt: new Date(dueAt as string),
    attempt: Number(attempt),
    finishedAt: null,
    error: null,
  }
}

export function toAttempt([attempt, outcome, startedAt, endedAt, sessionId, error]: Row): Attempt {
  return {
    attempt: Number(attempt),
    outcome: attemptOutcomeOf.get(Number(outcome)) as AttemptOutcome,
    startedAt: date(startedAt),
    endedAt: new Date(endedAt as string),
    workerId: sessionId ?? null,
    error: json(error) as Failure | null,
  }
}

const logLevels = ['debug', 'info', 'warn', 'error'] as const

export function toLogLine([at, attempt, seq, level, message, data]: Row): LogLine {
  return {
    at: new Date(at as string),
    attempt: Number(attempt),
    seq: Number(seq),
    level: logLevels[Number(level)] ?? 'info',
    message: message as string,
    data: json(data),
  }
}

/** Whether more than one attempt has passed its start mark. */
function startedTwice(attempts: readonly Attempt[], andThisOne = false): boolean {
  return attempts.filter(({ startedAt }) => startedAt !== null).length + Number(andThisOne) > 1
}

/** Whether the current attempt passed its start mark: its claim or, if needed, a separate one. */
function startMarked(markedAt: Text, bits: number, earlier: readonly Attempt[]): boolean {
  if (markedAt) return true
  return (bits & traits.atMostOnce) === 0 && !earlier.some(({ outcome }) => outcome === 'crashed')
}

function toResolved(state: number, at: Text, by: Text, note: Text): FinishedRun['resolved'] {
  if (!at) return null
  const [as] = Object.entries(resolutions).find(([, code]) => code === state) ?? []
  return { as: as as Resolution, at: new Date(at), by: by ?? null, note: note ?? null }
}

export function toRun(row: Row, earlier: readonly Attempt[]): Run {
  const [
    id,
    tenantId,
    handler,
    queue,
    priority,
    payload,
    dueAt,
    createdAt,
    maxAttempts,
    timeoutMs,
    key,
    labels,
    createdBy,
    trace,
    laterAt,
    queueMs,
    queueDue,
    sessionId,
    claimedAt,
    markedAt,
    progress,
    state,
    finalAttempt,
    attemptOutcome,
    finalSessionId,
    startedAt,
    finishedAt,
    output,
    error,
    reason,
    parkedAt,
    jobId,
    jobName,
    slotAt,
    missedFrom,
    cancelReason,
    policy,
    traitBits,
    replayOf,
    editedAt,
    replayedAs,
    resolvedAt,
    resolvedBy,
    note,
    flow,
    awaitedGate,
  ] = row
  const definition = {
    id: id as string,
    tenantId: Number(tenantId),
    handler: handler as string,
    queue: queue as string,
    priority: Number(priority),
    payload: json(payload),
    dueAt: new Date(dueAt as string),
    createdAt: new Date(createdAt as string),
    maxAttempts: Number(maxAttempts),
    timeoutMs: Number(timeoutMs),
    key: key ?? null,
    labels: json(labels) ?? {},
    createdBy: createdBy ?? null,
    trace: trace ?? null,
    job: jobId
      ? { id: jobId, name: jobName ?? null, slotAt: date(slotAt), missedFrom: date(missedFrom) }
      : null,
    delivery: deliveryFrom(Number(traitBits), policy ?? null),
    policy: decodeRunPolicy(policy ?? null),
    expiresAt: expiryOf(Number(traitBits), policy ?? null),
    replayOf: replayOf ?? null,
    replayedAs: replayedAs ?? null,
    editedAt: date(editedAt),
    ...decodeFlow(flow),
  }
  if (state !== null && state !== undefined) {
    const failure = json(error) as Failure | null
    const final: Attempt[] = attemptOutcome
      ? [
          {
            attempt: Number(finalAttempt),
            outcome: attemptOutcomeOf.get(Number(attemptOutcome)) as AttemptOutcome,
            startedAt: date(startedAt),
            endedAt: new Date(finishedAt as string),
            workerId: finalSessionId ?? null,
            error: failure,
          },
        ]
      : []
    const started = date(startedAt)
    const attempts = [...earlier, ...final]
    const firstStart = earlier[0]?.startedAt ?? started
    return {
      ...definition,
      state: finalStateOf.get(Number(state)) as FinalState,
      attempts,
      possibleDuplicate: startedTwice(attempts),
      startedAt: started,
      finishedAt: new Date(finishedAt as string),
      output: json(output),
      // A succeeded run has an error only in the attempt whose worker was lost.
      error: Number(state) === finalStates.succeeded ? null : failure,
      reason: reason ?? null,
      resolved: toResolved(Number(state), resolvedAt, resolvedBy, note),
      latenessMs: firstStart ? firstStart.getTime() - definition.dueAt.getTime() : null,
    }
  }
  if (sessionId)
    return {
      ...definition,
      state: cancelReason ? 'cancelling' : 'running',
      attempts: earlier,
      possibleDuplicate: startedTwice(earlier, startMarked(markedAt, Number(traitBits), earlier)),
      workerId: sessionId,
      claimedAt: new Date(claimedAt as string),
      progress: json(progress),
      cancelReason: cancelReason ?? null,
    }
  const nextAt = laterAt
    ? new Date(laterAt)
    : queueMs
      ? new Date(Number(queueMs))
      : definition.dueAt
  return {
    ...definition,
    state: parkedAt ? 'waiting' : queueDue === 't' ? 'queued' : 'scheduled',
    attempts: earlier,
    possibleDuplicate: startedTwice(earlier),
    nextAt,
    waitsFor: parkedAt ? (awaitedGate ? 'concurrency' : 'overlap') : null,
  }
}
