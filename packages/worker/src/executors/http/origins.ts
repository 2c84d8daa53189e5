/**
 * Keeps one origin from using up a worker: how many requests of a tenant it gets at once, and a
 * circuit breaker that leaves it alone after repeated failures. Origins of tenants are apart.
 */
import type { Clock } from '@punctual/core/clock'
import type { FailedOutcome } from '../failed.ts'
import { failed } from '../failed.ts'

/** Failures in a row that open the circuit. */
const FAILURES = 10
const OPEN_MS = 5_000
const OPEN_MS_MAX = 300_000
/** Origins that are remembered; those in their normal state are forgotten first. */
const ORIGINS_MAX = 20_000

interface Origin {
  /** Requests in progress. */
  busy: number
  readonly waiting: (() => void)[]
  /** Failures in a row. */
  failures: number
  /** By the monotonic clock: when the next request may try it; 0 while the circuit is closed. */
  closedUntilMs: number
  /** How long the circuit was last open. */
  openMs: number
  /** Whether one request is trying an origin whose circuit was open. */
  trying: boolean
}

export interface OriginLimits {
  /** The most requests in progress. */
  readonly concurrency: number
  /** The most requests that wait for one of these to end. */
  readonly waiting: number
}

export class Origins {
  readonly #clock: Clock
  readonly #limits: OriginLimits
  readonly #origins = new Map<string, Origin>()

  constructor(clock: Clock, limits: OriginLimits) {
    this.#clock = clock
    this.#limits = limits
  }

  /**
   * Waits until a request may be sent to the origin. Returns the failure of a request that may not
   * be sent, or null; then `leave` must follow.
   */
  async enter(key: string, name: string, signal: AbortSignal): Promise<FailedOutcome | null> {
    const origin = this.#origin(key)
    const open = this.#openFor(origin)
    if (open > 0)
      return failed(
        'circuit_open',
        `${name} has failed ${origin.failures} times in a row: requests to it are sent again in ${Math.ceil(open / 1_000)} s.`,
        'no',
        { retryAfterMs: open },
      )
    if (origin.busy < this.#limits.concurrency) {
      origin.busy++
      return null
    }
    if (origin.waiting.length >= this.#limits.waiting)
      return failed(
        'origin_busy',
        `${name} has ${origin.busy} requests in progress and ${origin.waiting.length} waiting here, which is the limit.`,
        'no',
      )
    await this.#turn(origin, signal)
    return null
  }

  /**
   * `isHealthy`: whether the origin answered, be it with a refusal of this request; null when the
   * request was given up for another reason.
   */
  leave(key: string, isHealthy: boolean | null): void {
    const origin = this.#origins.get(key)
    if (!origin) return
    origin.trying = false
    if (isHealthy) Object.assign(origin, { failures: 0, closedUntilMs: 0, openMs: 0 })
    else if (isHealthy === false && ++origin.failures >= FAILURES) {
      origin.openMs = Math.min(OPEN_MS_MAX, Math.max(OPEN_MS, origin.openMs * 2))
      origin.closedUntilMs = this.#clock.monotonicMs() + origin.openMs
    }
    const next = origin.waiting.shift()
    if (next) next()
    else if (--origin.busy === 0 && origin.failures === 0) this.#origins.delete(key)
  }

  #origin(key: string): Origin {
    let origin = this.#origins.get(key)
    if (!origin) {
      origin = { busy: 0, waiting: [], failures: 0, closedUntilMs: 0, openMs: 0, trying: false }
      if (this.#origins.size >= ORIGINS_MAX) this.#forget()
      this.#origins.set(key, origin)
    }
    return origin
  }

  /** The oldest origin without requests: at worst it gets ten more before its circuit opens. */
  #forget(): void {
    for (const [key, { busy }] of this.#origins)
      if (busy === 0) {
        this.#origins.delete(key)
        return
      }
  }

  /** How long the circuit stays open; 0 lets the request pass. One request tries it first. */
  #openFor(origin: Origin): number {
    if (origin.closedUntilMs === 0) return 0
    const leftMs = origin.closedUntilMs - this.#clock.monotonicMs()
    if (leftMs > 0) return leftMs
    if (origin.trying) return OPEN_MS
    origin.trying = true
    return 0
  }

  /** Waits for the end of another request, or rejects when the run must stop. */
  async #turn({ waiting }: Origin, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    return new Promise((resolve, reject) => {
      const turn = () => {
        signal.removeEventListener('abort', stop)
        resolve()
      }
      const stop = () => {
        waiting.splice(waiting.indexOf(turn), 1)
        reject(signal.reason)
      }
      waiting.push(turn)
      signal.addEventListener('abort', stop, { once: true })
    })
  }
}
