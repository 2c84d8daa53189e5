/**
 * Marks where a claim may start in each lane, so that it skips the index entries of runs that are
 * gone while a long transaction holds vacuum back, and never skips a run that has yet to appear.
 *
 * Visibility follows commit order, not position order: a submission may commit a position that
 * claims have already passed. So the reach of claim k becomes *safe* only when a later claim that
 * started at the old safe mark sees that every transaction has finished that began before claim k +
 * 1. Until then claims start a little back, and occasionally at the safe mark. A scan from the head
 * every 30 s finds what this rule cannot see (a claim that was rolled back). A new connection, and
 * a database clock that steps back, reset all marks.
 *
 * Two claims may be in flight at once. "Later" then means started after the answer of the other: a
 * claim that was already in flight may have an older snapshot. The result of a claim that started
 * before a reset is ignored.
 */
const SAFE_MARGIN_MS = 20
const BACK_MS = 250
const HEAD_EVERY_MS = 30_000
/** One claim in 20 starts at a safe mark that lags; where claims are few, one every 500 ms. */
const FROM_SAFE_EVERY = 20
const FROM_SAFE_EVERY_MS = 500

interface Mark {
  safeMs: number
  lastMs: number
  /** Claims with a higher number than `turn` are later ones. */
  pending: { reachMs: number; xmax: number | null; turn: number } | null
  headAtMs: number
  /** When a claim last started at the safe mark or before it. */
  safeAtMs: number
  claims: number
}

/** One claim as the marks see it: its number, and the era and the clock's bound at its start. */
export interface ClaimTurn {
  readonly number: number
  readonly era: number
  readonly boundMs: number
}

export interface LaneScan {
  readonly lane: number
  readonly startMs: number
  /** It started at or before the safe mark, so it saw everything up to its reach. */
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

  /** Registers the start of a claim. */
  turn(): ClaimTurn {
    return { number: ++this.#turns, era: this.#era, boundMs: this.#boundMs }
  }

  /** Where the next claim starts in a lane. `nowMs` is monotonic. */
  begin(lane: number, nowMs: number): LaneScan {
    const mark = this.#marks.get(lane)
    if (!mark || nowMs - mark.headAtMs >= HEAD_EVERY_MS) return { lane, startMs: 0, complete: true }
    const safeStartMs = mark.safeMs - SAFE_MARGIN_MS
    const backMs = mark.lastMs - BACK_MS
    const lagging = safeStartMs < backMs
    const recent = nowMs - mark.safeAtMs < FROM_SAFE_EVERY_MS
    if (lagging && recent && mark.claims % FROM_SAFE_EVERY !== 0)
      return { lane, startMs: Math.max(0, backMs), complete: false }
    return { lane, startMs: Math.max(0, safeStartMs), complete: true }
  }

  /** Resets the marks when the clock that positions come from has stepped back. */
  checkBound(turn: ClaimTurn, boundMs: number): void {
    if (boundMs < turn.boundMs - 1) this.forget()
    this.#boundMs = Math.max(this.#boundMs, boundMs)
  }

  /** Records that a claim saw a lane up to `reachMs`; null when it did not examine the lane. */
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
