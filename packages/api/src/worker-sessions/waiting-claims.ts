/**
 * Where claims wait that found nothing. A hint wakes the first in line that can take from the lane, and not everybody:
 * one that comes away with all it asked for wakes the next. So a thousand idle workers cost the database one claim for
 * each hint. Whoever leaves with a hint that it did not follow passes it on.
 */
import type { Clock } from '@punctual/core/clock'
import type { Lane } from '@punctual/core/flow'

export interface Visit {
  /** Something may be due since the last `look`. */
  readonly heard: boolean
  /** What is heard from here on is news. */
  look(): void
  /** Until something is heard, the time is over, or the signal is aborted. */
  wait(ms: number, signal: AbortSignal): Promise<void>
  leave(): void
}

class Guest implements Visit {
  readonly lanes: ReadonlySet<number>
  readonly sessionId: string
  heard = false
  readonly #room: WaitingRoom
  readonly #clock: Clock
  #waking: AbortController | null = null

  constructor(room: WaitingRoom, clock: Clock, sessionId: string, lanes: ReadonlySet<number>) {
    this.#room = room
    this.#clock = clock
    this.sessionId = sessionId
    this.lanes = lanes
  }

  hear(): void {
    this.heard = true
    this.#waking?.abort()
  }

  look(): void {
    this.heard = false
  }

  async wait(ms: number, signal: AbortSignal): Promise<void> {
    if (this.heard || signal.aborted || ms <= 0) return
    const waking = new AbortController()
    this.#waking = waking
    await this.#clock.sleep(ms, AbortSignal.any([waking.signal, signal]))
    this.#waking = null
  }

  leave(): void {
    this.#room.left(this)
  }
}

export class WaitingRoom {
  readonly #clock: Clock
  readonly #guests = new Set<Guest>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get size(): number {
    return this.#guests.size
  }

  enter(sessionId: string, lanes: readonly Lane[]): Visit {
    const ids = new Set(lanes.map((lane) => lane.id))
    const guest = new Guest(this, this.#clock, sessionId, ids)
    this.#guests.add(guest)
    return guest
  }

  left(guest: Guest): void {
    if (this.#guests.delete(guest) && guest.heard) this.due(guest.lanes)
  }

  /** Something may be due in these lanes; null: in any. */
  due(lanes: Iterable<number> | null): void {
    const left = new Set(lanes ?? [...this.#guests].flatMap((guest) => [...guest.lanes]))
    for (const guest of this.#guests) {
      if (left.size === 0) return
      const shared = [...guest.lanes].filter((lane) => left.has(lane))
      if (shared.length === 0) continue
      for (const lane of shared) left.delete(lane)
      guest.hear()
    }
  }

  /** These are asked for something, or everybody is when it is null. */
  call(sessions: readonly string[] | null): void {
    for (const guest of this.#guests)
      if (sessions === null || sessions.includes(guest.sessionId)) guest.hear()
  }
}
