/**
 * The worker that runs the handlers of this process. It starts with the first handler and announces
 * later ones to the other processes. Handlers registered in one turn of the event loop are
 * announced together.
 */
import { systemClock } from '@punctual/store'
import type { Worker } from '@punctual/worker'

const ANNOUNCE_AGAIN_MS = 1_000

export interface WorkerOfHandlersOptions {
  readonly make: () => Worker
  /** Announcing failed and will be retried. */
  readonly onError: (error: unknown) => void
}

export class HandlerWorker {
  readonly #options: WorkerOfHandlersOptions
  #worker: Worker | null = null
  #announcing: Promise<void> | null = null
  #announced = true
  #stopping = false

  constructor(options: WorkerOfHandlersOptions) {
    this.#options = options
  }

  /** How many runs it is executing. */
  get running(): number {
    return this.#worker?.running ?? 0
  }

  /** Called when handlers were added. */
  announce(): void {
    this.#announced = false
    this.#announcing ??= this.#announceAll().finally(() => {
      this.#announcing = null
    })
  }

  async stop(drainMs: number): Promise<void> {
    this.#stopping = true
    await this.#announcing
    await this.#worker?.stop(drainMs)
  }

  /**
   * Loops until every handler is announced: more can be registered while an announcement is sent.
   */
  async #announceAll(): Promise<void> {
    while (!this.#announced && !this.#stopping) {
      await new Promise<void>((resolve) => setImmediate(resolve))
      this.#announced = true
      try {
        await this.#announceNow()
      } catch (error) {
        this.#options.onError(error)
        this.#announced = false
        await systemClock.sleep(ANNOUNCE_AGAIN_MS)
      }
    }
  }

  async #announceNow(): Promise<void> {
    if (this.#stopping) return
    if (this.#worker) return this.#worker.handlersChanged()
    this.#worker = this.#options.make()
    this.#worker.start()
  }
}
