/** `punctual.awaiting`: reports the outcome of runs that await their targets. */
import { encodeJson } from '@punctual/core/check'
import { failureFrom, limits, PunctualError } from '@punctual/core/errors'
import type { ReportedState, TargetReport } from '@punctual/core/ports'
import { isFinal, type Run } from '@punctual/core/run'
import type { PostgresStore } from '@punctual/store'
import { idOf, type RunReference } from './reference.ts'

/** How a target reports that an attempt failed. */
export interface FailOptions {
  /** False when another attempt cannot help. @default true */
  retryable?: boolean
  /** How long to wait before the next attempt. @default by the retry policy of the run */
  retryAfterMs?: number
}

/** Ends runs whose targets report their outcome later. */
export class AwaitingReports {
  readonly #store: PostgresStore
  readonly #tenantId: number

  /** @internal */
  constructor(store: PostgresStore, tenantId: number) {
    this.#store = store
    this.#tenantId = tenantId
  }

  /**
   * The run has succeeded, with this output. Repeating it changes nothing.
   * @throws `PunctualError` with `run_not_found`, `already_finished` or `state_conflict`.
   */
  complete(run: RunReference, output?: unknown): Promise<ReportedState> {
    return this.report(idOf(run), null, { outcome: 'succeeded', output })
  }

  /**
   * The attempt has failed: the run is tried again by its policy, or is dead.
   * @throws `PunctualError` with `run_not_found`, `already_finished` or `state_conflict`.
   */
  fail(run: RunReference, error: unknown, options: FailOptions = {}): Promise<ReportedState> {
    const { retryable, retryAfterMs } = options
    const failure = failureFrom(error)
    return this.report(idOf(run), null, {
      outcome: 'failed',
      error: { ...failure, ...(retryable !== undefined && { retryable }) },
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    })
  }

  /**
   * Shows how far the work has come, until the run ends.
   * @throws `PunctualError` with `run_not_found` or `state_conflict`.
   */
  progress(run: RunReference, value: unknown): Promise<void> {
    return this.reportProgress(idOf(run), null, value)
  }

  /** @internal `attempt`: the one that the caller speaks for; null: the one that awaits. */
  async report(id: string, attempt: number | null, report: TargetReport): Promise<ReportedState> {
    const given = attempt ?? (await this.#awaited(id))
    const reported = { tenantId: this.#tenantId, runId: id, attempt: given }
    const answer = await this.#store.awaiting.report(reported, report)
    if (answer.result === 'accepted') return answer.state
    return refuse(id, given, answer.result === 'ended' ? answer.state : await this.#find(id))
  }

  /** @internal */
  async reportProgress(id: string, attempt: number | null, value: unknown): Promise<void> {
    const json = encodeJson(value, 'progress', limits.logMessageLength)
    const given = attempt ?? (await this.#awaited(id))
    const reported = { tenantId: this.#tenantId, runId: id, attempt: given }
    if (!(await this.#store.awaiting.progress(reported, json)))
      refuse(id, given, await this.#find(id))
  }

  #find(id: string): Promise<Run | null> {
    return this.#store.runs.find(id, this.#tenantId)
  }

  /** The number of the attempt that awaits its target. */
  async #awaited(id: string): Promise<number> {
    const run = await this.#find(id)
    // A report that is repeated after the end of the run gets the same answer.
    if (run && (run.state === 'awaiting' || isFinal(run.state))) return numberOf(run)
    return refuse(id, null, run)
  }
}

/** The number of the last attempt of a run that has ended, or of the one that is being made. */
function numberOf(run: Run): number {
  const last = run.attempts.at(-1)?.attempt ?? 0
  return run.state === 'awaiting' ? last + 1 : last
}

function refuse(id: string, attempt: number | null, found: Run | Run['state'] | null): never {
  if (found === null) throw new PunctualError('run_not_found', `No run has the id ${id}.`, { id })
  const state = typeof found === 'string' ? found : found.state
  const which = attempt === null ? '' : ` Attempt ${attempt} is not the one that counts.`
  throw new PunctualError(
    isFinal(state) ? 'already_finished' : 'state_conflict',
    `The run ${id} is ${state} and does not await this report.${which}`,
    { id },
  )
}
