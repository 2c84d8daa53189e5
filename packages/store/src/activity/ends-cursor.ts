/**
 * How far ends were read that are told in the order of their times, so that none is passed over. Times are those of
 * statements, and rows are seen when their transactions commit, which may be later: what ended before may appear behind
 * what was read. So each look begins again at the *safe* mark, and what was told before is remembered from there on.
 *
 * The mark moves to the time of look k when a later look that began at the mark sees every transaction finished that
 * had begun by look k + 1: between its time and its first write a statement has the pause between two looks. Somebody's
 * long transaction holds the mark up; then most looks go a little back only, and some from the mark. A mark that is held
 * up for ten minutes moves on: what commits that late is not told.
 */
import type { Snapshot } from '../work/lane-marks.ts'

const MARGIN_MS = 2_000
const BACK_MS = 10_000
const FROM_MARK_EVERY = 20
const HELD_UP_MS_MAX = 600_000

/** One look: from when on, and whether it began at the safe mark. */
export interface EndsScan {
  readonly fromMs: number
  readonly complete: boolean
}

export class EndsCursor {
  #safeMs: number
  #lastMs = Number.NEGATIVE_INFINITY
  #looks = 0
  #pending: { readonly reachMs: number; xmax: number | null } | null = null
  readonly #told = new Map<string, number>()

  /** From when on ends are told, by the database's clock. */
  constructor(fromMs: number) {
    this.#safeMs = fromMs
  }

  begin(): EndsScan {
    const backMs = this.#lastMs - BACK_MS
    const complete = this.#safeMs >= backMs || this.#looks % FROM_MARK_EVERY === 0
    return { fromMs: complete ? this.#safeMs : backMs, complete }
  }

  isNew(id: string): boolean {
    return !this.#told.has(id)
  }

  /** It is told now. */
  tell(id: string, atMs: number): void {
    this.#told.set(id, atMs)
  }

  /** A look has read everything that its snapshot showed, at this time of the database. */
  reached(scan: EndsScan, nowMs: number, snapshot: Snapshot): void {
    this.#looks++
    const wentBack = nowMs < this.#lastMs
    this.#lastMs = nowMs
    if (wentBack) {
      this.#pending = null
      this.#safeMs = Math.min(this.#safeMs, nowMs - BACK_MS)
      return
    }
    const { reachMs, xmax } = this.#pending ?? { reachMs: 0, xmax: null }
    if (!this.#pending) this.#pending = { reachMs: nowMs, xmax: null }
    else if (xmax === null) this.#pending.xmax = snapshot.xmax
    else if (scan.complete && snapshot.xmin >= xmax) {
      this.#pending = { reachMs: nowMs, xmax: null }
      this.#moveTo(reachMs - MARGIN_MS)
    }
    this.#moveTo(nowMs - HELD_UP_MS_MAX)
  }

  /** Where a reading that begins anew misses nothing. */
  get safeMs(): number {
    return this.#safeMs
  }

  /**
   * A look was ended at this time, with more behind it. What is older than anybody is waited for is passed; of the rest
   * the next look finds what was not told.
   */
  cutAt(atMs: number, nowMs: number): void {
    this.#moveTo(Math.min(atMs, nowMs - HELD_UP_MS_MAX))
  }

  #moveTo(ms: number): void {
    if (ms <= this.#safeMs) return
    this.#safeMs = ms
    for (const [id, atMs] of this.#told) if (atMs < ms) this.#told.delete(id)
  }
}
