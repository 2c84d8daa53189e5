/** The lanes that a worker takes from: read when told of new ones, and now and then in case a hint was lost. */
import type { Clock } from '@punctual/core/clock'
import type { Lane } from '@punctual/core/flow'
import type { WorkStore } from '@punctual/core/ports'

/** New lanes are told by hints; without hints they are looked for often. */
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

  /** They may have changed: read them before the next claim. */
  invalidate(): void {
    this.#readAtMs = Number.NEGATIVE_INFINITY
  }

  /** Those that were read last. */
  get known(): readonly Lane[] {
    return this.#lanes
  }

  /** Whether it may be one of ours: while they are to be read, or are being read, any lane may. */
  mayHave(lane: number): boolean {
    const unread = this.#reading || this.#readAtMs === Number.NEGATIVE_INFINITY
    return unread || this.#lanes.some((known) => known.id === lane)
  }

  /**
   * Highest priority first, rotated inside of one priority. Also those of paused queues: the claim knows what is
   * paused now, so that a hint of their resumption that is lost costs a poll and no more.
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
