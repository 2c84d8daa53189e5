/**
 * Runs that await their targets. A report reads the lease of the run, of a worker or of none, and settles
 * by its fence: among a report, a second one, the deadline and a cancel, one deletes the lease, and the
 * others get the recorded end. A report may come before the worker has recorded that the target
 * accepted the work: then it settles the worker's lease, and the worker finds nothing to record.
 */
import { invariant } from '@punctual/core/errors'
import type {
  AwaitingLook,
  AwaitingStore,
  ClaimedRun,
  Lease,
  RemoteSessions,
  ReportAnswer,
  ReportedAttempt,
  Settlement,
  TargetReport,
  WorkStore,
} from '@punctual/core/ports'
import { type AttemptOutcome, traits } from '@punctual/core/run'
import { readOutcome, readSuccess } from '@punctual/core/wire'
import type { Database } from '../connection/database.ts'
import type { Signals } from '../connection/signals.ts'
import type { ParkedRuns } from '../work/parked-runs.ts'
import {
  endWaiting,
  findAttemptEnd,
  findAwaited,
  nextWake,
  takeAwaiting,
} from './statements.gen.ts'

/** Leases that await their targets belong to this session, which never expires. */
const NO_SESSION = '0'
/** The lease may be renewed by a reaper and a claim between two looks; more often is a fault. */
const ROUNDS = 5
/** A process that dies while it gives a run up leaves it to another one for this long. */
const AGAIN_MS = 30_000
/** Ends in which the target has not said a word, so that its report still counts. */
const SILENT: ReadonlySet<AttemptOutcome> = new Set(['crashed', 'cancelled', 'timed_out'])

export interface AwaitingRunsOptions {
  readonly database: Database
  readonly work: Pick<WorkStore, 'settle' | 'reportProgress'>
  readonly sessions: Pick<RemoteSessions, 'policies'>
  readonly parked: Pick<ParkedRuns, 'release'>
  readonly signals: Pick<Signals, 'jobsChanged'>
  readonly outputBytes: number
  /** Random, from 0 up to 1. */
  readonly fraction: () => number
}

export class AwaitingRuns implements AwaitingStore {
  readonly #options: AwaitingRunsOptions

  constructor(options: AwaitingRunsOptions) {
    this.#options = options
  }

  async report(attempt: ReportedAttempt, report: TargetReport): Promise<ReportAnswer> {
    for (let round = 0; round < ROUNDS; round++) {
      const [row] = await this.#options.database.control.run(findAwaited(attempt.runId))
      if (!row || row.tenantId !== attempt.tenantId) {
        if (await this.#endWaiting(attempt, report))
          return { result: 'accepted', state: 'succeeded' }
        return this.#recorded(attempt, report)
      }
      const isCurrent = attempt.attempt === row.attempt + 1
      // The failure of an attempt that is over does not end the one that is being made.
      if (!isCurrent && report.outcome === 'failed') return { result: 'superseded' }
      if (!(await this.#speaksFor(attempt, row.attempt + 1))) return { result: 'superseded' }
      const { startedAgoMs, sessionId: _, cancels: __, ...lease } = row
      const settlement = await this.#settlementOf({ ...lease, weight: 1 }, startedAgoMs, report)
      const refused = await this.#options.work.settle(NO_SESSION, [settlement])
      if (refused.length === 0) return this.#answerOf(attempt, settlement)
    }
    return { result: 'superseded' }
  }

  /** Whether the token of an attempt counts for the attempt that is being made. */
  async #speaksFor(given: ReportedAttempt, current: number): Promise<boolean> {
    if (given.attempt === current) return true
    if (given.attempt > current) return false
    const [end] = await this.#endOf(given)
    return end?.outcome != null && SILENT.has(end.outcome)
  }

  /**
   * Ends a run that waits for another attempt, when the target of an earlier one reports a success;
   * false when it does not wait, or when the attempt did not end in silence.
   */
  async #endWaiting({ runId, tenantId, attempt }: ReportedAttempt, report: TargetReport) {
    const { database, parked, signals, outputBytes } = this.#options
    if (report.outcome !== 'succeeded') return false
    const { outcome, output } = report
    const success = readSuccess({ run_id: runId, fence: '0', outcome, output }, outputBytes)
    if (!('output' in success)) return false
    const call = endWaiting(0, runId, tenantId, attempt, success.output)
    // A run may move from one place to the other between the two looks of one statement.
    for (let look = 0; look < 2; look++) {
      const [ended] = await database.control.runPinned(call)
      if (!ended) continue
      if (ended.jobId !== null) await parked.release([ended.jobId])
      signals.jobsChanged()
      return true
    }
    return false
  }

  #endOf({ runId, tenantId, attempt }: ReportedAttempt) {
    return this.#options.database.control.run(findAttemptEnd(runId, tenantId, attempt))
  }

  async #settlementOf(
    lease: Lease,
    startedAgoMs: number,
    report: TargetReport,
  ): Promise<Settlement> {
    const { sessions, outputBytes, fraction } = this.#options
    const [described] = await sessions.policies([lease])
    invariant(described, 'a lease refers to a run that exists')
    const { retryAfterMs, ...said } = report
    const timed = {
      ...{ ...said, run_id: lease.id, fence: lease.fence.toString() },
      started_ms_ago: Math.round(startedAgoMs),
      ...(retryAfterMs !== undefined && { retry_after_ms: retryAfterMs }),
    }
    if (report.outcome === 'succeeded') {
      const success = readSuccess(timed, outputBytes)
      if ('output' in success)
        return { kind: 'succeeded', run: described, startedAgoMs, output: success.output }
      return readOutcome(success.failed, described, fraction())
    }
    return readOutcome(timed, described, fraction())
  }

  async #answerOf(attempt: ReportedAttempt, settlement: Settlement): Promise<ReportAnswer> {
    if (settlement.kind === 'succeeded') return { result: 'accepted', state: 'succeeded' }
    // A retry may have been cancelled instead.
    const [end] = await this.#endOf(attempt)
    return { result: 'accepted', state: end?.state ?? 'retrying' }
  }

  /** The answer to a report that finds no lease: the same as to the first one, if it said the same. */
  async #recorded(attempt: ReportedAttempt, report: TargetReport): Promise<ReportAnswer> {
    const [end] = await this.#endOf(attempt)
    if (!end) return { result: 'gone' }
    if (end.ended && end.outcome === report.outcome)
      return { result: 'accepted', state: end.state ?? 'retrying' }
    if (end.state === null) return { result: 'superseded' }
    return { result: 'ended', state: end.state, outcome: end.outcome }
  }

  async progress(given: ReportedAttempt, progress: string): Promise<boolean> {
    const { database, work } = this.#options
    const [row] = await database.control.run(findAwaited(given.runId))
    if (!row || row.tenantId !== given.tenantId) return false
    if (!(await this.#speaksFor(given, row.attempt + 1))) return false
    await work.reportProgress([{ run: row, value: progress }])
    return true
  }

  async giveUp(limit: number): Promise<AwaitingLook> {
    const { database, work, sessions } = this.#options
    // Usually no run awaits its target, which one probe of a small index shows.
    const first = await this.#nextWakeMs()
    if (first === null || first > 0) return { givenUp: 0, more: false, nextInMs: first }
    const rows = await database.control.runPinned(takeAwaiting(limit, AGAIN_MS))
    const over = rows.filter((row) => row.over)
    const leases = over.map(({ startedAgoMs: _, over: __, statusUrl: ___, ...lease }) => lease)
    const runs = await sessions.policies(leases.map((lease) => ({ ...lease, weight: 1 })))
    const settlements = runs.map((run, i) => givenUp(run, over[i]?.startedAgoMs ?? 0))
    const refused = settlements.length > 0 ? await work.settle(NO_SESSION, settlements) : []
    return {
      givenUp: settlements.length - refused.length,
      more: rows.length === limit,
      nextInMs: await this.#nextWakeMs(),
    }
  }

  /** Milliseconds until a run has to be looked at; null when none awaits its target. */
  async #nextWakeMs(): Promise<number | null> {
    const [next] = await this.#options.database.control.run(nextWake())
    return next?.wakeInMs ?? null
  }
}

/** Another attempt would send the work a second time: the run ends. */
function givenUp(run: ClaimedRun, startedAgoMs: number): Settlement {
  const failure = {
    name: 'NoReport',
    message: 'The target did not report in time.',
    code: 'no_report',
  }
  const base = { run, startedAgoMs, outcome: 'timed_out', failure, reason: 'no_report' } as const
  return { ...base, kind: (run.traits & traits.atMostOnce) !== 0 ? 'unknown' : 'dead' }
}
