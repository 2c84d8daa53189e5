/** `punctual.runs`: reads runs, waits for them and changes one or many. */
import { checkText, encodeJson, integer, refuseOption } from '@punctual/core/check'
import { invariant, limits, PunctualError } from '@punctual/core/errors'
import {
  type BulkResult,
  type CancelAnswer,
  compileRunFilter,
  type FinishedRun,
  isFinal,
  type LogLine,
  type Resolution,
  type ResolveResult,
  type Run,
  type RunCount,
  type RunExplanation,
  type RunFilter,
  type RunPage,
  type RunPageFilter,
  type RunState,
  type RunSummary,
  type TooLate,
} from '@punctual/core/run'
import type { OpenTransaction, PostgresStore } from '@punctual/store'
import type { WriteScope } from '../audit/control-writes.ts'
import { type BulkOptions, filterInStore } from './bulk.ts'
import {
  type CancelManyOptions,
  cancelMany,
  priorityOf,
  promoteMany,
  reprioritiseMany,
  rescheduleMany,
  runAtMs,
} from './bulk-changes.ts'
import type { HandlingOptions } from './handling.ts'
import { countOfRuns, pageOfRuns, type RunCountOptions, type RunPageOptions } from './pages.ts'
import {
  checkList,
  checkLogOptions,
  type ListOptions,
  type LogOptions,
  type WaitOptions,
} from './read-options.ts'
import { nextAt, recordRun, recordRuns } from './records.ts'
import { idOf, type RunReference } from './reference.ts'
import { resolveRun } from './resolve.ts'
import type { Waiter } from './waiter.ts'

const WAIT_MS_MAX = 2_147_483_647

function notFound(id: string): never {
  throw new PunctualError(
    'run_not_found',
    `No run has the id ${id}. It may be older than the retention, or belong to another schema.`,
    { id },
  )
}

const waits = (state: RunState) => ['waiting', 'scheduled', 'queued'].includes(state)

function tooLate(state: RunState): TooLate {
  return isFinal(state) ? 'already_finished' : 'running'
}

/** `punctual.runs`: reads runs, waits for them and changes one or many. */
export class Runs {
  readonly #scope: WriteScope
  readonly #store: PostgresStore
  readonly #waiter: Waiter
  readonly #payloadBytes: number
  readonly #tenantId: number

  /** @internal */
  constructor(scope: WriteScope, waiter: Waiter, payloadBytes: number) {
    this.#scope = scope
    this.#tenantId = scope.tenantId
    this.#store = scope.store
    this.#waiter = waiter
    this.#payloadBytes = payloadBytes
  }

  #find(id: string): Promise<Run | null> {
    return this.#store.runs.find(id, this.#tenantId)
  }

  /** The run with its attempts, or null when no run has this id. */
  async get(run: RunReference): Promise<Run | null> {
    return this.#find(idOf(run))
  }

  /**
   * Runs that match: running ones first, then waiting ones, then finished ones, each with the
   * latest due time first.
   */
  async list(options: ListOptions = {}): Promise<RunSummary[]> {
    const { limit, days, ...filter } = checkList(options)
    const listFilter = {
      ...(await filterInStore(this.#store, compileRunFilter(filter), this.#tenantId)),
      tenantId: this.#tenantId,
      ...(limit !== undefined && { limit }),
      ...(days !== undefined && { days }),
    }
    return this.#store.replica.read(({ runs }) => runs.list(listFilter))
  }

  /**
   * A page of all runs, waiting and finished, newest first. Runs that are added or change state
   * between pages never make a page repeat a run, or miss one that existed throughout.
   * @throws `PunctualError` with `invalid_option`, `invalid_cursor` or `job_not_found`.
   * @example
   * ```ts
   * const yesterday = { from: '2026-11-15T00:00:00Z', to: '2026-11-16T00:00:00Z' }
   * const failed = { notRetried: true, finished: yesterday } as const
   * const { runs, nextCursor } = await punctual.runs.page(failed, { limit: 100 })
   * if (nextCursor) await punctual.runs.page(failed, { limit: 100, cursor: nextCursor })
   * ```
   */
  async page(filter: RunPageFilter = {}, options: RunPageOptions = {}): Promise<RunPage> {
    return pageOfRuns(this.#store, filter, options, this.#tenantId)
  }

  /**
   * Counts matching runs, grouped by a field. Exact while at most 100,000 runs have to be read.
   * @throws `PunctualError` with `invalid_option` or `job_not_found`.
   * @example
   * ```ts
   * const pending = { states: ['scheduled', 'queued'], labels: { user: 'user_001' } } as const
   * const { groups } = await punctual.runs.count(pending, { by: 'job' })
   * ```
   */
  async count(filter: RunPageFilter = {}, options: RunCountOptions = {}): Promise<RunCount> {
    return countOfRuns(this.#store, filter, options, this.#tenantId)
  }

  /**
   * The run's log lines, oldest first: the first ones, those after a position, or the last ones.
   */
  async logs(run: RunReference, options: LogOptions = {}): Promise<LogLine[]> {
    const id = idOf(run)
    const { after, limit, last } = checkLogOptions(options)
    if (last !== undefined) return this.#store.runs.lastLogs(id, last, this.#tenantId)
    return this.#store.runs.logs(id, after, limit, this.#tenantId)
  }

  /**
   * Resolves with the run when it has finished, in any final state.
   * @throws `PunctualError` with `run_not_found`, and with `wait_timeout` when the run does not
   * finish in time.
   * @example
   * ```ts
   * const { id } = await punctual.submit('send-email', { to: 'a@b.c' })
   * const run = await punctual.runs.waitFor(id, { timeoutMs: 60_000 })
   * if (run.state !== 'succeeded') console.error(run.error)
   * ```
   */
  async waitFor(run: RunReference, options: WaitOptions = {}): Promise<FinishedRun> {
    const id = idOf(run)
    if (options.timeoutMs !== undefined) integer('timeoutMs', options.timeoutMs, 0, WAIT_MS_MAX)
    if ((await this.#find(id)) === null) notFound(id)
    const signals = [
      options.signal,
      options.timeoutMs === undefined ? undefined : AbortSignal.timeout(options.timeoutMs),
    ]
    const finished = await this.#waiter.wait(
      id,
      AbortSignal.any(signals.filter((s) => s !== undefined)),
    )
    if (finished) return finished
    options.signal?.throwIfAborted()
    throw new PunctualError(
      'wait_timeout',
      `Run ${id} did not finish within ${options.timeoutMs} ms. It is still running or waiting; wait longer or read it with runs.get.`,
      { id },
    )
  }

  /**
   * Cancels a run. A run that has not started is cancelled at once. A running one gets its
   * `ctx.signal` aborted, and 30 s later it is cancelled even if its handler ignored the signal.
   * Cancelling it again changes nothing.
   * @param reason - Stored with the run, up to 256 characters; `cancelled` by default.
   * @throws `PunctualError` with `run_not_found`.
   */
  async cancel(run: RunReference, reason?: string): Promise<CancelAnswer> {
    const id = idOf(run)
    const why = reason === undefined ? 'cancelled' : reason
    checkText('reason', why, limits.createdByLength)
    const cancel = () => this.#cancel(id, why)
    return recordRun(this.#scope, id, cancel, ({ result, state }, was) =>
      result === 'already_finished' || was.state === state
        ? null
        : {
            action: 'run.cancel',
            before: { state: was.state },
            after: { state },
            note: reason,
          },
    )
  }

  async #cancel(id: string, reason: string): Promise<CancelAnswer> {
    const result = (await this.#store.steering.cancel([id], reason, this.#tenantId)).get(id)
    if (result) return { result, state: result } as CancelAnswer
    const { state } = (await this.#find(id)) ?? notFound(id)
    if (state === 'cancelled') return { result: 'cancelled', state }
    invariant(isFinal(state), `run ${id} is ${state} and no table holds it`)
    return { result: 'already_finished', state }
  }

  /**
   * Changes the due time of a run that has not started. A run that waits for another run of its job
   * has no due time.
   * @throws `PunctualError` with `run_not_found`.
   */
  async reschedule(run: RunReference, runAt: Date): Promise<'rescheduled' | 'waiting' | TooLate> {
    const id = idOf(run)
    const dueMs = runAtMs(runAt)
    const reschedule = async () => {
      const moved = await this.#store.steering.reschedule([id], dueMs, this.#tenantId)
      if (moved.has(id)) return 'rescheduled'
      const { state } = (await this.#find(id)) ?? notFound(id)
      return state === 'waiting' ? 'waiting' : tooLate(state)
    }
    return recordRun(this.#scope, id, reschedule, (result, was) =>
      result === 'rescheduled'
        ? { action: 'run.reschedule', before: { nextAt: nextAt(was) }, after: { nextAt: runAt } }
        : null,
    )
  }

  /**
   * Makes a run due now whose time has not come: its first attempt, or the next one.
   * @throws `PunctualError` with `run_not_found`.
   */
  async promote(run: RunReference): Promise<'promoted' | 'already_due' | 'waiting' | TooLate> {
    const id = idOf(run)
    const promote = async () => {
      const moved = await this.#store.steering.reschedule([id], null, this.#tenantId)
      if (moved.has(id)) return 'promoted'
      const { state } = (await this.#find(id)) ?? notFound(id)
      if (state === 'queued') return 'already_due'
      return state === 'waiting' ? 'waiting' : tooLate(state)
    }
    return recordRun(this.#scope, id, promote, (result, was) =>
      result === 'promoted'
        ? { action: 'run.promote', before: { nextAt: nextAt(was) }, after: { nextAt: 'now' } }
        : null,
    )
  }

  /**
   * Changes the priority of a run that has not started. A due run moves behind the due runs of its
   * new priority.
   * @throws `PunctualError` with `run_not_found`.
   */
  async reprioritise(run: RunReference, priority: number): Promise<'reprioritised' | TooLate> {
    const id = idOf(run)
    priorityOf(priority)
    const reprioritise = async () => {
      const moved = await this.#store.steering.reprioritise([id], priority, this.#tenantId)
      if (moved.has(id)) return 'reprioritised'
      return tooLate(((await this.#find(id)) ?? notFound(id)).state)
    }
    return recordRun(this.#scope, id, reprioritise, (result, was) =>
      result === 'reprioritised'
        ? { action: 'run.reprioritise', before: { priority: was.priority }, after: { priority } }
        : null,
    )
  }

  /**
   * Replaces the payload of a run that no attempt has been made at.
   * @throws `PunctualError` with `run_not_found`, or with the errors of an invalid payload.
   */
  async edit(
    run: RunReference,
    change: { payload: unknown },
  ): Promise<'edited' | 'attempted' | TooLate> {
    const id = idOf(run)
    if (typeof change !== 'object' || change === null || Object.keys(change).join() !== 'payload')
      refuseOption('change', 'an object with payload only', change)
    const payload = encodeJson(change.payload, 'payload', this.#payloadBytes)
    const edit = async () => {
      const edited = await this.#store.steering.edit([id], payload, this.#tenantId)
      if (edited.has(id)) return 'edited'
      const { state } = (await this.#find(id)) ?? notFound(id)
      return waits(state) ? 'attempted' : tooLate(state)
    }
    const after = { payload: change.payload }
    return recordRun(this.#scope, id, edit, (result, was) =>
      result === 'edited' ? { action: 'run.edit', before: { payload: was.payload }, after } : null,
    )
  }

  /**
   * Cancels the runs that a filter selects, as `cancel` does.
   * @throws `PunctualError` with `invalid_option` when the filter is empty and `all` is not set.
   * @example
   * ```ts
   * const filter = { queue: 'mail' }
   * const { matched } = await punctual.runs.cancelMany(filter, { dryRun: true })
   * if (matched < 1_000) await punctual.runs.cancelMany(filter, { reason: 'wrong template' })
   * ```
   */
  async cancelMany(
    filter: RunFilter,
    options: CancelManyOptions = {},
  ): Promise<BulkResult<'cancelled' | 'cancelling' | 'already_finished'>> {
    const request = { verb: 'cancel', filter, options } as const
    return recordRuns(this.#scope, request, () => cancelMany(this.#scope, filter, options))
  }

  /** Makes runs due now whose time has not come. */
  async promoteMany(
    filter: RunFilter,
    options: BulkOptions = {},
  ): Promise<BulkResult<'promoted' | 'missed'>> {
    const request = { verb: 'promote', filter, options } as const
    return recordRuns(this.#scope, request, () => promoteMany(this.#scope, filter, options))
  }

  /** Changes the due time of runs that have not started. */
  async rescheduleMany(
    filter: RunFilter,
    runAt: Date,
    options: BulkOptions = {},
  ): Promise<BulkResult<'rescheduled' | 'missed'>> {
    const request = { verb: 'reschedule', filter, options, change: { runAt } } as const
    return recordRuns(this.#scope, request, () =>
      rescheduleMany(this.#scope, filter, runAt, options),
    )
  }

  /** Changes the priority of runs that have not started. */
  async reprioritiseMany(
    filter: RunFilter,
    priority: number,
    options: BulkOptions = {},
  ): Promise<BulkResult<'reprioritised' | 'missed'>> {
    const request = { verb: 'reprioritise', filter, options, change: { priority } } as const
    return recordRuns(this.#scope, request, () =>
      reprioritiseMany(this.#scope, filter, priority, options),
    )
  }

  /**
   * States the outcome of an `unknown` run: an at-most-once run whose worker was lost. `failed`
   * makes it a dead letter; `run-again` creates a new run, and this one stays unknown. The first
   * resolution is final.
   * @throws `PunctualError` with `run_not_found`.
   */
  async resolve(
    run: RunReference,
    as: Resolution,
    options: HandlingOptions = {},
  ): Promise<ResolveResult> {
    const id = idOf(run)
    const resolve = (transaction: OpenTransaction | null) =>
      resolveRun(this.#store, this.#tenantId, id, as, options, transaction)
    return recordRun(this.#scope, id, resolve, (answer, { state }) => {
      if (answer.result !== 'resolved') return null
      const { by, note } = options
      const { replayedAs } = answer
      const after = { resolved: as, replayedAs, ...(by && { by }) }
      return { action: 'run.resolve', before: { state }, after, note }
    })
  }

  /**
   * Whether a run is running and, if not, everything that prevents it: since when, until when, by
   * whom, and which runs and workers it waits for.
   * @param options - `fleet`: set it to false when the answer is shown to the tenant; it then
   * leaves out hosts and loads of workers that serve all tenants.
   * @throws `PunctualError` with `run_not_found`.
   */
  async explain(run: RunReference, options: { fleet?: boolean } = {}): Promise<RunExplanation> {
    const id = idOf(run)
    const { explainer } = this.#store
    return (await explainer.explain(id, this.#tenantId, options.fleet)) ?? notFound(id)
  }
}
