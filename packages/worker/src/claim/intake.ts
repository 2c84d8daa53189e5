/**
 * How much to claim: enough to fill the free slots, plus what will start within about 100 ms at the pace
 * of late, so that quick handlers never wait for the database. Nothing is held ahead where handlers take
 * longer than that: slots come free in clumps then, and a held run would wait for one while others idle.
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

  /** How many runs to hold beyond the free slots, when so many handlers run. */
  ahead(nowMs: number, running: number): number {
    const spanMs = nowMs - this.#sinceMs
    if (spanMs >= PACE_WINDOW_MS) {
      const perMs = this.#count / spanMs
      // A burst is followed at once, and forgotten by and by.
      const isFresh = spanMs > 500 || perMs > this.#perMs
      this.#perMs = isFresh ? perMs : (this.#perMs + perMs) / 2
      this.#count = 0
      this.#sinceMs = nowMs
    }
    const soon = Math.floor(this.#perMs * AHEAD_MS)
    // As many as run return in the time that one handler takes.
    return running > soon ? 0 : Math.min(AHEAD_MAX, soon)
  }
}

/** How many to ask for now; 0 when it is better to wait until more is free. */
export function claimSize(free: number, ahead: number, buffered: number): number {
  const want = free + ahead - buffered
  if (want < 1) return 0
  // A claim for a few while many are held costs as much as one for many: wait until half is used up.
  if (buffered > 0 && want < ahead / 2) return 0
  return Math.min(want, CLAIM_MAX)
}

/** What a lane is expected to have that had nothing. */
const DEMAND_MIN = 4
/** What has more may have any number. */
const LITTLE_MAX = 500
/** So has what gave so many at once, and would have given more. */
const FULL_MAX = 100
/** A lane is passed by where parts of a claim are small. Where they are large beside the number of lanes, none is. */
const SURE = 4

/**
 * How lanes of one priority are to share a claim: by what each gave of late, so that one with little to give does not
 * take half of the claim from one that has much. Of those that gave all they were asked for, tenants have parts by their
 * weights, whatever the number of their lanes.
 */
export class Demand {
  readonly #expected = new Map<number, number>()

  weights(lanes: readonly Lane[]): number[] {
    const busy = new Map<number, number>()
    for (const { id, tenantId } of lanes)
      if (!this.#expected.has(id)) busy.set(tenantId, (busy.get(tenantId) ?? 0) + 1)
    return lanes.map(({ id, tenantId, weight = 1 }) => {
      const part = (CLAIM_MAX * weight) / (busy.get(tenantId) ?? 1)
      return this.#expected.get(id) ?? Math.max(1, Math.round(part))
    })
  }

  /** What a lane is expected to have; null when that may be any number. */
  expected(id: number): number | null {
    return this.#expected.get(id) ?? null
  }

  /** Of a lane that gave all it was asked for. */
  #moreThan(id: number): number {
    return 4 * (this.#expected.get(id) ?? CLAIM_MAX)
  }

  note(lanes: readonly Lane[], limit: number, gave: readonly LaneYield[]): void {
    const of = new Map(gave.map((each) => [each.lane, each]))
    const filled = gave.reduce((sum, { runs }) => sum + runs, 0) >= limit
    const reached = Math.min(...lanes.filter(({ id }) => of.has(id)).map((lane) => lane.priority))
    const isSure = limit >= SURE * lanes.length ** 2
    for (const { id, priority } of lanes) {
      const some = of.get(id)
      // What a claim that was full did not reach is not known.
      if (!some && filled && !(isSure && priority >= reached)) continue
      const expected = some?.full ? this.#moreThan(id) : DEMAND_MIN + 2 * (some?.runs ?? 0)
      const isBusy = some?.full === true && some.runs >= FULL_MAX
      if (isBusy || expected > LITTLE_MAX) this.#expected.delete(id)
      else this.#expected.set(id, expected)
    }
  }
}

const YIELD_FIRST_MS = 2
const YIELD_MAX_MS = 250

/**
 * How long to wait after a hint before looking. A hint wakes every worker that is free, and mostly one of
 * them takes what is due: those that come away empty look later next time, each at its own random moment,
 * so that many idle workers cost the database little and one still comes at once.
 */
export class Yielding {
  #upToMs = 0

  /** A hint was followed, and somebody else had been there first. */
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
