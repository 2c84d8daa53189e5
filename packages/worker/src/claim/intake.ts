/**
 * How much to claim: enough to fill the free capacity, plus the runs that will start within about
 * 100 ms at the recent pace, so that quick handlers never wait for the database. Nothing is held
 * ahead when handlers take longer than that: capacity becomes free in clumps then, and a held run
 * would wait for it while other workers idle.
 */
import type { Lane } from '@punctual/core/flow'
import type { LaneYield } from '@punctual/core/ports'

const AHEAD_MS = 100
const PACE_WINDOW_MS = 50
const AHEAD_MAX = 4_000
const CLAIM_MAX = 1_500

export class Pace {
  #perMs = 0
  #count = 0
  #sinceMs: number

  constructor(nowMs: number) {
    this.#sinceMs = nowMs
  }

  /** A run has returned. */
  note(): void {
    this.#count++
  }

  /** How many runs to hold beyond the free capacity, when `running` handlers run. */
  ahead(nowMs: number, running: number): number {
    const spanMs = nowMs - this.#sinceMs
    if (spanMs >= PACE_WINDOW_MS) {
      const perMs = this.#count / spanMs
      // A burst is followed at once, and forgotten gradually.
      const isFresh = spanMs > 500 || perMs > this.#perMs
      this.#perMs = isFresh ? perMs : (this.#perMs + perMs) / 2
      this.#count = 0
      this.#sinceMs = nowMs
    }
    const soon = Math.floor(this.#perMs * AHEAD_MS)
    // The handlers that run now return in the time that one of them takes.
    return running > soon ? 0 : Math.min(AHEAD_MAX, soon)
  }
}

/** How many runs to request now; 0 when it is better to wait until more capacity is free. */
export function claimSize(free: number, ahead: number, buffered: number): number {
  const want = free + ahead - buffered
  if (want < 1) return 0
  // A claim of few runs costs as much as one of many: wait until half of the held ones start.
  if (buffered > 0 && want < ahead / 2) return 0
  return Math.min(want, CLAIM_MAX)
}

/** The number of runs that a lane is expected to have after it yielded none. */
const DEMAND_MIN = 4
/** A lane that is expected to have more may have any number. */
const LITTLE_MAX = 500
/** So may a lane that yielded this many at once, and as many as requested. */
const FULL_MAX = 100
/**
 * A claim may skip a lane with due runs when the lanes' shares are small. Shares that are large
 * compared with the number of lanes are sure to reach every lane.
 */
const SURE = 4

/**
 * How lanes of one priority share a claim: by what each yielded recently, so that a lane with
 * little does not take half of the claim from a lane with much. Among the lanes that yielded all
 * that was requested, tenants have shares by their weights, whatever the number of their lanes.
 */
export class Demand {
  readonly #expected = new Map<number, number>()

  weights(lanes: readonly Lane[]): number[] {
    const busy = new Map<number, number>()
    for (const { id, tenantId } of lanes)
      if (!this.#expected.has(id)) busy.set(tenantId, (busy.get(tenantId) ?? 0) + 1)
    return lanes.map(({ id, tenantId, weight = 1 }) => {
      const share = (CLAIM_MAX * weight) / (busy.get(tenantId) ?? 1)
      return this.#expected.get(id) ?? Math.max(1, Math.round(share))
    })
  }

  /** How many runs a lane is expected to have; null when that may be any number. */
  expected(id: number): number | null {
    return this.#expected.get(id) ?? null
  }

  /** The expectation of a lane that yielded all that was requested. */
  #moreThan(id: number): number {
    return 4 * (this.#expected.get(id) ?? CLAIM_MAX)
  }

  /** Learns from the answer of a claim. */
  note(lanes: readonly Lane[], limit: number, gave: readonly LaneYield[]): void {
    const yields = new Map(gave.map((each) => [each.lane, each]))
    const filled = gave.reduce((sum, { runs }) => sum + runs, 0) >= limit
    const reached = Math.min(
      ...lanes.filter(({ id }) => yields.has(id)).map((lane) => lane.priority),
    )
    const isSure = limit >= SURE * lanes.length ** 2
    for (const { id, priority } of lanes) {
      const yielded = yields.get(id)
      // A full claim did not reach the lane: what it has is unknown.
      if (!yielded && filled && !(isSure && priority >= reached)) continue
      const expected = yielded?.full ? this.#moreThan(id) : DEMAND_MIN + 2 * (yielded?.runs ?? 0)
      const isBusy = yielded?.full === true && yielded.runs >= FULL_MAX
      if (isBusy || expected > LITTLE_MAX) this.#expected.delete(id)
      else this.#expected.set(id, expected)
    }
  }
}

const YIELD_FIRST_MS = 2
const YIELD_MAX_MS = 250

/**
 * How long to wait after a hint before claiming. A hint wakes every free worker, and usually one of
 * them claims all that is due: workers that find nothing wait longer after the next hint, each for
 * a random time, so that many idle workers cost the database little and one still claims at once.
 */
export class Yielding {
  #upToMs = 0

  /** A hint was followed, and another worker had claimed the runs. */
  lost(): void {
    this.#upToMs = Math.min(YIELD_MAX_MS, Math.max(YIELD_FIRST_MS, this.#upToMs * 1.5))
  }

  won(): void {
    this.#upToMs = this.#upToMs < YIELD_FIRST_MS ? 0 : this.#upToMs / 8
  }

  delayMs(fraction: number): number {
    return this.#upToMs * fraction
  }
}
