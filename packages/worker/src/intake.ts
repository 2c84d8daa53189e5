/**
 * How much to claim: enough to fill the free slots, plus what will start within about 100 ms at the pace
 * of late, so that quick handlers never wait for the database and slow ones leave the queue to others.
 */
const AHEAD_MS = 100
const PACE_WINDOW_MS = 50
const AHEAD_MAX = 4_000
const CLAIM_MAX = 2_000

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

  /** How many runs to hold beyond the free slots. */
  ahead(nowMs: number): number {
    const spanMs = nowMs - this.#sinceMs
    if (spanMs >= PACE_WINDOW_MS) {
      const perMs = this.#count / spanMs
      this.#perMs = spanMs > 500 ? perMs : (this.#perMs + perMs) / 2
      this.#count = 0
      this.#sinceMs = nowMs
    }
    return Math.min(AHEAD_MAX, Math.floor(this.#perMs * AHEAD_MS))
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
