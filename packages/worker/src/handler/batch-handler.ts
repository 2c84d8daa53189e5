/**
 * A handler that receives several runs in one call. Runs of its name that start here gather until
 * the batch is full or the first run has waited long enough. Only the call is shared: each run
 * keeps its capacity, timeout, signal and retries, and has its own outcome. A run whose signal is
 * aborted while it waits leaves the batch.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Clock } from '@punctual/core/clock'
import { PunctualError } from '@punctual/core/errors'
import type { HandlerContext, HandlerFunction } from './handler.ts'

/** One run of a batch. */
export interface BatchItem<Payload = unknown> {
  /** The payload of the run. */
  readonly payload: Payload
  /** The context of the run: signal, log, attempt and the rest. */
  readonly context: HandlerContext
}

/** One output per item, in the same order. An Error fails its run; promises are awaited. */
export type BatchOutcomes = readonly unknown[]

/** A handler of several runs at once. An error that it throws fails all of them. */
export type BatchFunction<Payload = unknown> = (
  items: readonly BatchItem<Payload>[],
) => BatchOutcomes | Promise<BatchOutcomes>

export interface BatchHandlerOptions {
  readonly handler: string
  readonly batchSize: number
  readonly batchWaitMs: number
  readonly clock: Clock
}

interface Entry extends BatchItem {
  resolve(output: unknown): void
  reject(thrown: unknown): void
  /** Called when the batch is called: the entry can no longer leave. */
  settleIn(): void
}

export function batchHandler(options: BatchHandlerOptions, run: BatchFunction): HandlerFunction {
  const batcher = new Batcher(options, run)
  return (payload, context) => batcher.add(payload, context)
}

class Batcher {
  readonly #options: BatchHandlerOptions
  readonly #run: BatchFunction
  /** Calls run outside the async context of the run that happened to complete the batch. */
  readonly #outside = AsyncLocalStorage.snapshot()
  #gathering: Entry[] = []
  #timer: (() => void) | undefined

  constructor(options: BatchHandlerOptions, run: BatchFunction) {
    this.#options = options
    this.#run = run
  }

  add(payload: unknown, context: HandlerContext): Promise<unknown> {
    const { signal } = context
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason)
      const leave = () => {
        this.#leave(entry)
        reject(signal.reason)
      }
      const settleIn = () => signal.removeEventListener('abort', leave)
      const entry: Entry = { payload, context, resolve, reject, settleIn }
      signal.addEventListener('abort', leave)
      this.#gather(entry)
    })
  }

  #gather(entry: Entry): void {
    const count = this.#gathering.push(entry)
    if (count >= this.#options.batchSize) this.#flush()
    else this.#timer ??= this.#options.clock.after(this.#options.batchWaitMs, () => this.#flush())
  }

  #leave(entry: Entry): void {
    this.#gathering = this.#gathering.filter((other) => other !== entry)
    // The next batch starts its own wait.
    if (this.#gathering.length === 0) this.#stopWaiting()
  }

  #stopWaiting(): void {
    this.#timer?.()
    this.#timer = undefined
  }

  #flush(): void {
    this.#stopWaiting()
    const batch = this.#gathering
    this.#gathering = []
    void this.#outside(() => this.#call(batch))
  }

  async #call(batch: readonly Entry[]): Promise<void> {
    for (const entry of batch) entry.settleIn()
    try {
      const items = batch.map(({ payload, context }) => ({ payload, context }))
      const returned: unknown = await this.#run(items)
      const outcomes = Array.isArray(returned) ? Array.from(returned, outcomeOf) : []
      const right = outcomes.length === batch.length
      // Handles surplus outcomes too: an unhandled rejection would end the process.
      for (const [i, outcome] of outcomes.entries())
        outcome.then(batch[i]?.resolve, right ? batch[i]?.reject : () => undefined)
      if (!right) throw wrongOutcomes(this.#options.handler, batch.length, returned)
    } catch (thrown) {
      for (const { reject } of batch) reject(thrown)
    }
  }
}

/** Awaits the outcome; an Error rejects. */
async function outcomeOf(outcome: unknown): Promise<unknown> {
  const value = await outcome
  if (value instanceof Error) throw value
  return value
}

function wrongOutcomes(handler: string, expected: number, returned: unknown): PunctualError {
  const received = Array.isArray(returned)
    ? `${returned.length} outcomes`
    : `a value that is not an array`
  return new PunctualError(
    'invalid_option',
    `The handler ${JSON.stringify(handler)} must return an array with one outcome for each of its ${expected} items; got ${received}.`,
    { field: 'outcomes' },
  )
}
