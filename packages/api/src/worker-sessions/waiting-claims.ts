/**
 * Where claims wait that found nothing. A hint wakes the first in line that can take from the lane, and not everybody:
 * one that comes away with all it asked for wakes the next. So a thousand idle workers cost the database one claim for
 * each hint. Whoever leaves with a hint that it did not follow passes it on.
 */
import type { Clock } from '@punctual/core/clock'
import type { Lane } from '@punctual/core/flow'

export interface WaitingClaim {
  /** Something may be due since the last `look`. */
  readonly hinted: boolean
  /** What is heard from here on is news. */
  clearHint(): void
  /** Until something is heard, the time is over, or the signal is aborted. */
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

  constructor(room: WaitingClaims, clock: Clock, sessionId: string, lanes: ReadonlySet<number>) {
    this.#waiting = room
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
    const guest = new QueuedClaim(this, this.#clock, sessionId, ids)
    this.#claims.add(guest)
    return guest
  }

  remove(guest: QueuedClaim): void {
    if (this.#claims.delete(guest) && guest.hinted) this.wakeLanes(guest.lanes)
  }

  /** Something may be due in these lanes; null: in any. */
  wakeLanes(lanes: Iterable<number> | null): void {
    const left = new Set(lanes ?? [...this.#claims].flatMap((guest) => [...guest.lanes]))
    for (const guest of this.#claims) {
      if (left.size === 0) return
      const shared = [...guest.lanes].filter((lane) => left.has(lane))
      if (shared.length === 0) continue
      for (const lane of shared) left.delete(lane)
      guest.wake()
    }
  }

  /** These are asked for something, or everybody is when it is null. */
  wakeSessions(sessions: readonly string[] | null): void {
    for (const guest of this.#claims)
      if (sessions === null || sessions.includes(guest.sessionId)) guest.wake()
  }
}
