/**
 * Where a claim may begin in each lane, so that it does not walk the index entries of runs that are gone
 * while vacuum is held up by somebody's long transaction, and never passes a run that is still to appear.
 *
 * Visibility follows commit order, not position order: a submission may commit a position that claims have
 * already passed. So what claim k reached is *safe* only when a later claim that began at the old safe mark
 * sees every transaction finished that had begun by claim k + 1. Until then claims look a little back, and
 * from the safe mark now and then. What this cannot see (a claim that was rolled back) is found by
 * beginning at the head every 30 s. All marks are forgotten on a new connection and when the database's
 * clock steps back.
 *
 * Two claims may be under way at once. "Later" then means begun after the answer of the other had come: one
 * that was already under way may have looked before. And what a claim found that began before all was
 * forgotten is not used.
 */
const SAFE_MARGIN_MS = 20
const BACK_MS = 250
const HEAD_EVERY_MS = 30_000
/** One claim in so many begins at a safe mark that lags; where claims are few, one in so long. */
const FROM_SAFE_EVERY = 20
const FROM_SAFE_EVERY_MS = 500

interface Mark {
  safeMs: number
  lastMs: number
  /** `turn`: claims begun after it are later ones. */
  pending: { reachMs: number; xmax: number | null; turn: number } | null
  headAtMs: number
  /** When a claim last began at the safe mark, or before. */
  safeAtMs: number
  claims: number
}

/** One claim, as the marks know it: how many began before, and what was known when it began. */
export interface ClaimTurn {
  readonly number: number
  readonly era: number
  readonly boundMs: number
}

export interface LaneScan {
  readonly lane: number
  readonly startMs: number
  /** It began no later than the safe mark, so that it saw everything up to where it reached. */
  readonly complete: boolean
}

export interface Snapshot {
  readonly xmin: number
  readonly xmax: number
}

export class LaneMarks {
  readonly #marks = new Map<number, Mark>()
  #boundMs = 0
  #turns = 0
  #era = 0

  forget(): void {
    this.#marks.clear()
    this.#boundMs = 0
    this.#era++
  }

  /** A claim begins. */
  turn(): ClaimTurn {
    return { number: ++this.#turns, era: this.#era, boundMs: this.#boundMs }
  }

  /** Where the next claim begins in a lane. `nowMs` is monotonic. */
  begin(lane: number, nowMs: number): LaneScan {
    const mark = this.#marks.get(lane)
    if (!mark || nowMs - mark.headAtMs >= HEAD_EVERY_MS) return { lane, startMs: 0, complete: true }
    const safeStartMs = mark.safeMs - SAFE_MARGIN_MS
    const backMs = mark.lastMs - BACK_MS
    const lagging = safeStartMs < backMs
    const lately = nowMs - mark.safeAtMs < FROM_SAFE_EVERY_MS
    if (lagging && lately && mark.claims % FROM_SAFE_EVERY !== 0)
      return { lane, startMs: Math.max(0, backMs), complete: false }
    return { lane, startMs: Math.max(0, safeStartMs), complete: true }
  }

  /** When the clock that positions come from went back, everything known of positions is void. */
  checkBound(turn: ClaimTurn, boundMs: number): void {
    if (boundMs < turn.boundMs - 1) this.forget()
    this.#boundMs = Math.max(this.#boundMs, boundMs)
  }

  /** What a claim found: it saw everything of the lane up to `reachMs`; null when it did not look. */
  reached(
    turn: ClaimTurn,
    scan: LaneScan,
    reachMs: number | null,
    snapshot: Snapshot,
    nowMs: number,
  ): void {
    if (turn.era !== this.#era) return
    let mark = this.#marks.get(scan.lane)
    if (!mark) {
      mark = { safeMs: 0, lastMs: 0, pending: null, headAtMs: nowMs, safeAtMs: nowMs, claims: 0 }
      this.#marks.set(scan.lane, mark)
    }
    mark.claims++
    if (reachMs === null) return
    if (scan.startMs === 0) mark.headAtMs = nowMs
    if (scan.complete) mark.safeAtMs = nowMs
    mark.lastMs = Math.max(mark.lastMs, reachMs)
    const { pending } = mark
    if (!pending) {
      if (reachMs > mark.safeMs) mark.pending = { reachMs, xmax: null, turn: this.#turns }
    } else if (pending.xmax === null) {
      if (turn.number > pending.turn) pending.xmax = snapshot.xmax
    } else if (scan.complete && reachMs >= pending.reachMs && snapshot.xmin >= pending.xmax) {
      mark.safeMs = pending.reachMs
      mark.pending = reachMs > mark.safeMs ? { reachMs, xmax: null, turn: this.#turns } : null
    }
  }
}
