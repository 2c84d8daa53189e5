/**
 * The lanes that a worker claims from: read after a hint of a new lane, and periodically in case it
 * was lost.
 */
import type { Clock } from '@punctual/core/clock'
import type { Lane } from '@punctual/core/flow'
import type { WorkStore } from '@punctual/core/ports'
import { DueLanes } from './due-lanes.ts'

/** Hints announce new lanes; without hints the lanes are read often. */
const STALE_MS = 10_000
const STALE_WITH_HINTS_MS = 60_000
/** Reading takes at most a tenth of the time, however many lanes are created. */
const REST = 9
/** Up to this many lanes, a claim covers them all. */
const FEW_LANES = 64

export class LaneList {
  readonly due: DueLanes
  readonly #store: Pick<WorkStore, 'lanes'>
  readonly #clock: Clock
  readonly #handlers: () => readonly string[]
  readonly #queues: readonly string[]
  #lanes: readonly Lane[] = []
  #ids: ReadonlySet<number> = new Set()
  #readAtMs = Number.NEGATIVE_INFINITY
  #mayReadAtMs = Number.NEGATIVE_INFINITY
  #reading = false
  #turn = 0

  constructor(
    store: Pick<WorkStore, 'lanes' | 'lanesWithRuns'>,
    clock: Clock,
    handlers: () => readonly string[],
    queues: readonly string[],
    fewLanes = FEW_LANES,
  ) {
    this.#store = store
    this.due = new DueLanes(store, clock, fewLanes)
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
    return unread || this.#ids.has(lane)
  }

  /**
   * The lanes from which a claim is worth it, highest priority first, rotated within one priority. Lanes
   * of paused queues are included: the claim knows what is paused now, so that a lost hint of their
   * resumption costs only a poll.
   */
  async current(hintsArrive: boolean): Promise<readonly Lane[]> {
    const nowMs = this.#clock.monotonicMs()
    const staleMs = hintsArrive ? STALE_WITH_HINTS_MS : STALE_MS
    if (nowMs - this.#readAtMs > staleMs && nowMs >= this.#mayReadAtMs) await this.#read(nowMs)
    const lanes = await this.due.of(this.#lanes, hintsArrive)
    if (lanes.length < 2) return lanes
    this.#turn++
    return lanes
      .map((lane, i) => ({ lane, place: (i + this.#turn) % lanes.length }))
      .sort((a, b) => b.lane.priority - a.lane.priority || a.place - b.place)
      .map(({ lane }) => lane)
  }

  async #read(nowMs: number): Promise<void> {
    this.#readAtMs = nowMs
    this.#reading = true
    try {
      this.#lanes = await this.#store.lanes(this.#handlers(), this.#queues)
      this.#ids = new Set(this.#lanes.map(({ id }) => id))
      const doneMs = this.#clock.monotonicMs()
      this.#mayReadAtMs = doneMs + REST * (doneMs - nowMs)
    } catch (error) {
      this.invalidate()
      throw error
    } finally {
      this.#reading = false
    }
  }

  /** Milliseconds until `current` may return other lanes than now; null when that is unknown. */
  get nextInMs(): number | null {
    const nextMs = this.due.nextInMs(this.#lanes)
    if (this.#readAtMs > Number.NEGATIVE_INFINITY) return nextMs
    const readMs = Math.max(0, this.#mayReadAtMs - this.#clock.monotonicMs())
    return Math.min(nextMs ?? readMs, readMs)
  }
}
