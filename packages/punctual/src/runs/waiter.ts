/**
 * Waits for runs to finish. All waits of a process share one poll of the database. An outcome
 * settled by this process resolves its waits at once, any other with the next poll, whose interval
 * grows from 20 ms to 500 ms.
 */
import type { Clock } from '@punctual/core/clock'
import { type FinishedRun, isFinal, type Run } from '@punctual/core/run'

const POLL_MIN_MS = 20
const POLL_MAX_MS = 500

interface Waiting {
  resolve(): void
}

export interface WaiterOptions {
  readonly clock: Clock
  finished(ids: readonly string[]): Promise<ReadonlySet<string>>
  find(id: string): Promise<Run | null>
}

export class Waiter {
  readonly #options: WaiterOptions
  readonly #waiting = new Map<string, Set<Waiting>>()
  #polling: Promise<void> | null = null

  constructor(options: WaiterOptions) {
    this.#options = options
  }

  /** Called when this process settled a run. */
  settled(id: string): void {
    if (this.#waiting.size === 0) return
    const waiting = this.#waiting.get(id)
    if (!waiting) return
    this.#waiting.delete(id)
    for (const { resolve } of waiting) resolve()
  }

  /** The finished run, or null when the signal is aborted first. */
  async wait(id: string, signal: AbortSignal): Promise<FinishedRun | null> {
    for (let reads = 0; ; reads++) {
      const run = await this.#options.find(id).catch((error) => {
        // A wait that has begun survives an outage; one that begins in an outage reports it.
        if (reads === 0) throw error
        return null
      })
      if (run && isFinal(run.state)) return run as FinishedRun
      if (signal.aborted) return null
      await this.#ended(id, signal)
    }
  }

  #ended(id: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const waiting = {
        resolve: () => {
          signal.removeEventListener('abort', give)
          resolve()
        },
      }
      const give = () => {
        this.#waiting.get(id)?.delete(waiting)
        if (this.#waiting.get(id)?.size === 0) this.#waiting.delete(id)
        resolve()
      }
      signal.addEventListener('abort', give, { once: true })
      const others = this.#waiting.get(id)
      if (others) others.add(waiting)
      else this.#waiting.set(id, new Set([waiting]))
      this.#polling ??= this.#poll().finally(() => {
        this.#polling = null
      })
    })
  }

  async #poll(): Promise<void> {
    let pauseMs = POLL_MIN_MS
    while (this.#waiting.size > 0) {
      await this.#options.clock.sleep(pauseMs)
      pauseMs = Math.min(POLL_MAX_MS, pauseMs * 1.5)
      const ids = [...this.#waiting.keys()].slice(0, 10_000)
      if (ids.length === 0) return
      // A failed query is repeated with the next poll.
      const finished = await this.#options.finished(ids).catch(() => new Set<string>())
      for (const id of finished) this.settled(id)
      if (finished.size > 0) pauseMs = POLL_MIN_MS
    }
  }
}
