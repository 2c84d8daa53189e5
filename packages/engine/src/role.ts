/**
 * A role is a `tick` that does one bounded piece of work and returns how long to rest. The loop,
 * the backoff after a fault and the abort live here, in one place.
 */
import { type Clock, restTogether } from '@punctual/core/clock'

export interface Role {
  readonly name: string
  /** Returns the milliseconds until the next tick; 0 when more work is waiting. */
  tick(): Promise<number>
  /** Called once the loop has ended. */
  retire?(): Promise<void>
}

export interface RoleEvents {
  onError?(role: string, error: unknown): void
}

const BACKOFF_MS = 500
/** Not longer: after an outage of the database, due work waits for this backoff. */
const BACKOFF_MAX_MS = 5_000

export class RoleLoop {
  readonly #role: Role
  readonly #clock: Clock
  readonly #events: RoleEvents
  readonly #stopping = new AbortController()
  #running: Promise<void> | null = null
  #resting: AbortController | null = null
  #woken = false

  constructor(role: Role, clock: Clock, events: RoleEvents = {}) {
    this.#role = role
    this.#clock = clock
    this.#events = events
  }

  start(): void {
    this.#running ??= this.#run()
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    let failures = 0
    while (!signal.aborted) {
      let restMs: number
      try {
        restMs = await this.#role.tick()
        failures = 0
      } catch (error) {
        this.#events.onError?.(this.#role.name, error)
        restMs = Math.min(BACKOFF_MAX_MS, BACKOFF_MS * 2 ** Math.min(failures++, 10))
      }
      if (restMs > 0) await this.#rest(restTogether(this.#clock.monotonicMs(), restMs))
    }
  }

  async #rest(ms: number): Promise<void> {
    if (!this.#woken) {
      this.#resting = new AbortController()
      await this.#clock.sleep(ms, AbortSignal.any([this.#stopping.signal, this.#resting.signal]))
      this.#resting = null
    }
    this.#woken = false
  }

  /** Cuts the current or the next rest short, because there may be work. */
  wake(): void {
    this.#woken = true
    this.#resting?.abort()
  }

  /** Resolves when the current tick has ended. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
    await this.#role.retire?.().catch((error) => this.#events.onError?.(this.#role.name, error))
  }
}
