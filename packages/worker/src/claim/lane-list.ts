/**
 * The lanes that a worker claims from: read after a hint of a new lane, and periodically in case it
 * was lost.
 */
import type { Clock } from '@punctual/core/clock'
import type { Lane } from '@punctual/core/flow'
import type { WorkStore } from '@punctual/core/ports'

/** Hints announce new lanes; without hints the lanes are read often. */
const STALE_MS = 10_000
const STALE_WITH_HINTS_MS = 60_000

export class LaneList {
  readonly #store: Pick<WorkStore, 'lanes'>
  readonly #clock: Clock
  readonly #handlers: () => readonly string[]
  readonly #queues: readonly string[]
  #lanes: readonly Lane[] = []
  #readAtMs = Number.NEGATIVE_INFINITY
  #reading = false
  #turn = 0

  constructor(
    store: Pick<WorkStore, 'lanes'>,
    clock: Clock,
    handlers: () => readonly string[],
    queues: readonly string[],
  ) {
    this.#store = store
    this.#clock = clock
    this.#handlers = handlers
    this.#queues = queues
  }

  /** The lanes may have changed: they are read before the next claim. */
  invalidate(): void {
    this.#readAtMs = Number.NEGATIVE_INFINITY
  }

  /** The lanes that were read last. */
  get known(): readonly Lane[] {
    return this.#lanes
  }

  /** Whether this worker may claim from a lane: from any, until the lanes are read. */
  mayHave(lane: number): boolean {
    const unread = this.#reading || this.#readAtMs === Number.NEGATIVE_INFINITY
    return unread || this.#lanes.some((known) => known.id === lane)
  }

  /**
   * Highest priority first, rotated within one priority. Lanes of paused queues are included: the
   * claim knows what is paused now, so that a lost hint of their resumption costs only a poll.
   */
  async current(hintsArrive: boolean): Promise<readonly Lane[]> {
    const nowMs = this.#clock.monotonicMs()
    if (nowMs - this.#readAtMs > (hintsArrive ? STALE_WITH_HINTS_MS : STALE_MS)) {
      this.#readAtMs = nowMs
      this.#reading = true
      try {
        this.#lanes = await this.#store.lanes(this.#handlers(), this.#queues)
      } catch (error) {
        this.invalidate()
        throw error
      } finally {
        this.#reading = false
      }
    }
    const lanes = this.#lanes
    if (lanes.length < 2) return lanes
    this.#turn++
    return lanes
      .map((lane, i) => ({ lane, place: (i + this.#turn) % lanes.length }))
      .sort((a, b) => b.lane.priority - a.lane.priority || a.place - b.place)
      .map(({ lane }) => lane)
  }
}
