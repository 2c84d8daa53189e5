/** `punctual.runs`: reading runs, waiting for them, and steering those that have not started. */
import {
  type FinishedRun,
  isFinal,
  isRunId,
  type LogLine,
  PunctualError,
  type Run,
  type RunSummary,
} from '@punctual/core'
import type { ListFilter, PostgresStore } from '@punctual/store'
import type { Waiter } from './waiter.ts'

type RunReference = string | { readonly id: string }

export interface WaitOptions {
  /** @default no limit */
  timeoutMs?: number
  signal?: AbortSignal
}

/** Why a run that could run does not. */
export type NotRunningReason = 'not_due' | 'no_worker' | 'paused' | 'waiting_for_slot'

function idOf(run: RunReference): string {
  const id = typeof run === 'string' ? run : run.id
  if (!isRunId(id))
    throw new PunctualError(
      'invalid_option',
      `A run id is a UUID, but ${JSON.stringify(id)} came.`,
      { field: 'id' },
    )
  return id.toLowerCase()
}

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
  get(run: RunReference): Promise<Run | null> {
    return this.#store.runs.find(idOf(run))
  }

  list(filter: ListFilter = {}): Promise<RunSummary[]> {
    return this.#store.runs.list(filter)
  }

  logs(run: RunReference): Promise<LogLine[]> {
    return this.#store.runs.logs(idOf(run))
  }

  /** Resolves with the run when it has finished, however it ended. */
  async waitFor(run: RunReference, options: WaitOptions = {}): Promise<FinishedRun> {
    const id = idOf(run)
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

  /** Cancels a run that has not started. */
  async cancel(
    run: RunReference,
    reason = 'cancelled',
  ): Promise<'cancelled' | 'running' | 'already_finished'> {
    const id = idOf(run)
    const cancelled = await this.#store.cancelWaiting([id], reason)
    if (cancelled.has(id)) return 'cancelled'
    const found = (await this.#store.runs.find(id)) ?? notFound(id)
    return isFinal(found.state) ? 'already_finished' : 'running'
  }

  /** Gives a run that has not started another time. */
  async reschedule(
    run: RunReference,
    runAt: Date,
  ): Promise<'rescheduled' | 'running' | 'already_finished'> {
    const id = idOf(run)
    if (Number.isNaN(runAt.getTime()))
      throw new PunctualError('invalid_option', 'runAt must be a valid Date.', { field: 'runAt' })
    const moved = await this.#store.reschedule([id], runAt.getTime())
    if (moved.has(id)) return 'rescheduled'
    const found = (await this.#store.runs.find(id)) ?? notFound(id)
    return isFinal(found.state) ? 'already_finished' : 'running'
  }

  /** Why a run is not running now; null when it runs or has ended. */
  async whyNotRunning(run: Run): Promise<{ reason: NotRunningReason; message: string } | null> {
    if (run.state === 'scheduled')
      return { reason: 'not_due', message: `It is due at ${run.nextAt.toISOString()}.` }
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
