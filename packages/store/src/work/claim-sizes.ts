/**
 * How many runs a claim may take from lanes with large payloads. A claim that took more than it may
 * load returns the others to the queue, which costs the database two writes for each. So the next
 * claims from the lane take as many as fitted, and grow again while everything fits.
 *
 * This is only a guess for one process: what a claim loads is bounded where payloads are read.
 */
import type { ClaimRequest, LaneYield } from '@punctual/core/ports'

const LANES_MAX = 10_000
const GROWTH = 1.25

export class ClaimSizes {
  readonly #mostByLane = new Map<number, number>()

  /** The number of runs to take, at most the limit of the request. */
  limitOf({ lanes, limit }: ClaimRequest): number {
    if (this.#mostByLane.size === 0) return limit
    return lanes.reduce(
      (least, { id }) => Math.min(least, this.#mostByLane.get(id) ?? least),
      limit,
    )
  }

  /** A claim loaded `kept` runs, and returned others of these lanes. */
  shrink(lanes: Iterable<number>, kept: number): void {
    for (const lane of lanes) {
      if (this.#mostByLane.size >= LANES_MAX) this.#mostByLane.clear()
      this.#mostByLane.set(lane, Math.max(1, kept))
    }
  }

  /** A claim loaded all the runs that it took; `limit` is what its caller had asked for. */
  grow(gave: readonly LaneYield[], limit: number): void {
    if (this.#mostByLane.size === 0) return
    for (const { lane } of gave) {
      const most = this.#mostByLane.get(lane)
      if (most === undefined) continue
      const next = Math.ceil(most * GROWTH)
      if (next >= limit) this.#mostByLane.delete(lane)
      else this.#mostByLane.set(lane, next)
    }
  }
}
