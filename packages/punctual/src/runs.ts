/** `punctual.runs`: reading runs, waiting for them, and steering those that have not started. */
import {
  checkName,
  checkText,
  type FinishedRun,
  isFinal,
  type LogLine,
  type LogPosition,
  limits,
  PunctualError,
  type Resolution,
  type Run,
  type RunSummary,
  runStates,
} from '@punctual/core'
import type { ListFilter, PostgresStore } from '@punctual/store'
import type { HandlingOptions } from './handling.ts'
import { type ResolveResult, resolveRun } from './resolve-run.ts'
import { idOf, type RunReference } from './run-reference.ts'
import type { Waiter } from './waiter.ts'

const LIST_MAX = 1_000
const DAYS_MAX = 3_660
const WAIT_MS_MAX = 2_147_483_647
const RUN_AT_MAX = 253_402_300_799_999

export interface WaitOptions {
  /** @default no limit */
  timeoutMs?: number
  signal?: AbortSignal
}

export interface LogOptions {
  /** Only lines after this one: give the last line of a page to get the next page. */
  after?: LogPosition
  /** The most lines to give, up to 10,000. @default 10000 */
  limit?: number
  /** The last so many lines instead, up to 10,000; not together with the others. */
  last?: number
}

/** Why a run that could run does not. */
export type NotRunningReason = 'not_due' | 'no_worker' | 'paused' | 'overlap' | 'waiting_for_slot'

function whole(field: string, value: unknown, min: number, max: number): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max)
    return value
  throw new PunctualError(
    'invalid_option',
    `${field} must be a whole number from ${min} to ${max}, but ${String(value)} came.`,
    { field },
  )
}

function checkFilter(filter: ListFilter): ListFilter {
  if (filter.limit !== undefined) whole('limit', filter.limit, 1, LIST_MAX)
  if (filter.days !== undefined) whole('days', filter.days, 0, DAYS_MAX)
  if (filter.queue !== undefined) checkName('queue', filter.queue)
  if (filter.handler !== undefined) checkName('handler', filter.handler)
  for (const state of filter.states ?? [])
    if (!runStates.includes(state))
      throw new PunctualError(
        'invalid_option',
        `states takes ${runStates.join(', ')}, but ${JSON.stringify(String(state).slice(0, 80))} came.`,
        { field: 'states' },
      )
  return filter
}

function checkLogOptions(options: LogOptions): LogOptions {
  const { after, limit, last } = options
  if (limit !== undefined) whole('limit', limit, 1, limits.logLinesPerPage)
  if (last !== undefined) whole('last', last, 1, limits.logLinesPerPage)
  if (after !== undefined) {
    whole('after.attempt', after?.attempt, 0, 32_767)
    whole('after.seq', after?.seq, -1, 2_147_483_647)
  }
  if (last !== undefined && (after !== undefined || limit !== undefined))
    throw new PunctualError(
      'invalid_option',
      'last excludes after and limit; give it alone, or the others.',
      { field: 'last' },
    )
  return options
}

export type CancelAnswer = 'cancelled' | 'cancelling' | 'already_finished'

function notFound(id: string): never {
  throw new PunctualError(
    'run_not_found',
    `There is no run ${id}. It may be older than the retention, or belong to another schema.`,
    { id },
  )
}

export class Runs {
  readonly #store: PostgresStore
  readonly #waiter: Waiter

  constructor(store: PostgresStore, waiter: Waiter) {
    this.#store = store
    this.#waiter = waiter
  }

  /** The run with its attempts, or null. */
  async get(run: RunReference): Promise<Run | null> {
    return this.#store.runs.find(idOf(run))
  }

  async list(filter: ListFilter = {}): Promise<RunSummary[]> {
    return this.#store.runs.list(checkFilter(filter))
  }

  /** What the run has logged, oldest first: the first lines, those after a line, or the last ones. */
  async logs(run: RunReference, options: LogOptions = {}): Promise<LogLine[]> {
    const id = idOf(run)
    const { after, limit, last } = checkLogOptions(options)
    if (last !== undefined) return this.#store.runs.lastLogs(id, last)
    return this.#store.runs.logs(id, after, limit)
  }

  /** Resolves with the run when it has finished, however it ended. */
  async waitFor(run: RunReference, options: WaitOptions = {}): Promise<FinishedRun> {
    const id = idOf(run)
    if (options.timeoutMs !== undefined) whole('timeoutMs', options.timeoutMs, 0, WAIT_MS_MAX)
    if ((await this.#store.runs.find(id)) === null) notFound(id)
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
      `Run ${id} did not finish within ${options.timeoutMs} ms. It goes on; wait longer or look at it with runs.get.`,
      { id },
    )
  }

  /**
   * Cancels a run. One that has not started is cancelled at once. Of one that runs the handler is asked to end: its
   * `ctx.signal` is aborted, and 30 s later the run is cancelled whether it has heeded that or not. To cancel it
   * again changes nothing.
   */
  async cancel(run: RunReference, reason = 'cancelled'): Promise<CancelAnswer> {
    const id = idOf(run)
    checkText('reason', reason, limits.createdByLength)
    const answer = (await this.#store.steering.cancel([id], reason)).get(id)
    if (answer) return answer
    const found = (await this.#store.runs.find(id)) ?? notFound(id)
    return found.state === 'cancelled' ? 'cancelled' : 'already_finished'
  }

  /** Gives a run that has not started another time. */
  async reschedule(
    run: RunReference,
    runAt: Date,
  ): Promise<'rescheduled' | 'running' | 'already_finished'> {
    const id = idOf(run)
    const ms = runAt instanceof Date ? runAt.getTime() : Number.NaN
    if (!(ms >= 0 && ms <= RUN_AT_MAX))
      throw new PunctualError(
        'invalid_option',
        `runAt must be a Date between the years 1970 and 9999, but ${String(runAt)} came.`,
        { field: 'runAt' },
      )
    const moved = await this.#store.steering.reschedule([id], ms)
    if (moved.has(id)) return 'rescheduled'
    const found = (await this.#store.runs.find(id)) ?? notFound(id)
    return isFinal(found.state) ? 'already_finished' : 'running'
  }

  /**
   * Says what became of an `unknown` run: an at-most-once run whose worker was lost. `failed` makes it a dead letter;
   * `run-again` makes a new run of it, and it stays unknown. It is said once: the first answer stays.
   */
  async resolve(
    run: RunReference,
    as: Resolution,
    options: HandlingOptions = {},
  ): Promise<ResolveResult> {
    return resolveRun(this.#store, idOf(run), as, options)
  }

  /** Why a run is not running now; null when it runs or has ended. */
  async whyNotRunning(run: Run): Promise<{ reason: NotRunningReason; message: string } | null> {
    if (run.state === 'scheduled')
      return { reason: 'not_due', message: `It is due at ${run.nextAt.toISOString()}.` }
    if (run.state === 'waiting')
      return {
        reason: 'overlap',
        message: 'Another run of its job goes on; it starts when that has ended.',
      }
    if (run.state !== 'queued') return null
    if (await this.#store.isPaused(run.queue, run.handler, run.priority))
      return { reason: 'paused', message: `The queue ${run.queue} is paused.` }
    if (!(await this.#store.hasHandler(run.handler, run.queue)))
      return {
        reason: 'no_worker',
        message: `No live worker has the handler ${run.handler} for the queue ${run.queue}. Start one; the run waits.`,
      }
    return {
      reason: 'waiting_for_slot',
      message: 'Workers have its handler; it waits for a free slot behind others.',
    }
  }
}
