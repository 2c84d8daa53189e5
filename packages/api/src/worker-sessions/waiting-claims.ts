/**
 * The claims that found no run and wait for one. A hint wakes only the first waiting claim that can
 * take from the lane; a claim that fills its limit wakes the next one. So a thousand idle workers
 * cost the database one claim per hint. A claim that leaves with an unused hint passes it on.
 */
import type { Clock } from '@punctual/core/clock'
import type { Lane } from '@punctual/core/flow'

export interface WaitingClaim {
  /** A hint has arrived since the last `clearHint`. */
  readonly hinted: boolean
  /** Forgets the hint; later ones wake the claim again. */
  clearHint(): void
  /** Waits for a hint, the time limit or the signal. */
  wait(ms: number, signal: AbortSignal): Promise<void>
  leave(): void
}

class QueuedClaim implements WaitingClaim {
  readonly lanes: ReadonlySet<number>
  readonly sessionId: string
  hinted = false
  readonly #waiting: WaitingClaims
  readonly #clock: Clock
  #waking: AbortController | null = null

  constructor(waiting: WaitingClaims, clock: Clock, sessionId: string, lanes: ReadonlySet<number>) {
    this.#waiting = waiting
    this.#clock = clock
    this.sessionId = sessionId
    this.lanes = lanes
  }

  wake(): void {
    this.hinted = true
    this.#waking?.abort()
  }

  clearHint(): void {
    this.hinted = false
  }

  async wait(ms: number, signal: AbortSignal): Promise<void> {
    if (this.hinted || signal.aborted || ms <= 0) return
    const waking = new AbortController()
    this.#waking = waking
    await this.#clock.sleep(ms, AbortSignal.any([waking.signal, signal]))
    this.#waking = null
  }

  leave(): void {
    this.#waiting.remove(this)
  }
}

export class WaitingClaims {
  readonly #clock: Clock
  readonly #claims = new Set<QueuedClaim>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get size(): number {
    return this.#claims.size
  }

  add(sessionId: string, lanes: readonly Lane[]): WaitingClaim {
    const ids = new Set(lanes.map((lane) => lane.id))
    const claim = new QueuedClaim(this, this.#clock, sessionId, ids)
    this.#claims.add(claim)
    return claim
  }

  remove(claim: QueuedClaim): void {
    if (this.#claims.delete(claim) && claim.hinted) this.wakeLanes(claim.lanes)
  }

  /** Wakes one claim per lane; null: every lane may have due runs. */
  wakeLanes(lanes: Iterable<number> | null): void {
    const left = new Set(lanes ?? [...this.#claims].flatMap((claim) => [...claim.lanes]))
    for (const claim of this.#claims) {
      if (left.size === 0) return
      const shared = [...claim.lanes].filter((lane) => left.has(lane))
      if (shared.length === 0) continue
      for (const lane of shared) left.delete(lane)
      claim.wake()
    }
  }

  /** Wakes the claims of these sessions, or all when it is null. */
  wakeSessions(sessions: readonly string[] | null): void {
    for (const claim of this.#claims)
      if (sessions === null || sessions.includes(claim.sessionId)) claim.wake()
  }
}
