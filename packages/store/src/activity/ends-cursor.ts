/**
 * How far ends were read that are reported in the order of their times, so that none is missed. The
 * times are those of statements, and rows appear when their transactions commit, which may be
 * later: an earlier end may appear behind what was read. So each look starts again at the *safe*
 * mark, and the ends reported since then are remembered.
 *
 * The mark moves to the time of look k when a later look that started at the mark sees every
 * transaction finished that began before look k + 1: this gives a statement the pause between two
 * looks from its time to its first write. A long transaction holds the mark up; then most looks
 * start only a little back, and some at the mark. A mark that is held up for ten minutes moves on:
 * an end that commits that late is not reported.
 */
import type { Snapshot } from '../work/lane-marks.ts'

const MARGIN_MS = 2_000
const BACK_MS = 10_000
const FROM_MARK_EVERY = 20
const HELD_UP_MS_MAX = 600_000

/** One look: where it starts, and whether that is the safe mark. */
export interface EndsScan {
  readonly fromMs: number
  readonly complete: boolean
}

export class EndsCursor {
  #safeMs: number
  #lastMs = Number.NEGATIVE_INFINITY
  #looks = 0
  #pending: { readonly reachMs: number; xmax: number | null } | null = null
  readonly #reported = new Map<string, number>()

  /** Ends from this time on are reported, by the database's clock. */
  constructor(fromMs: number) {
    this.#safeMs = fromMs
  }

  begin(): EndsScan {
    const backMs = this.#lastMs - BACK_MS
    const complete = this.#safeMs >= backMs || this.#looks % FROM_MARK_EVERY === 0
    return { fromMs: complete ? this.#safeMs : backMs, complete }
  }

  isNew(id: string): boolean {
    return !this.#reported.has(id)
  }

  /** Remembers an end that is being reported. */
  remember(id: string, atMs: number): void {
    this.#reported.set(id, atMs)
  }

  /** Records that a look has read everything in its snapshot, at this time of the database. */
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

  /** A reader that starts again here misses nothing. */
  get safeMs(): number {
    return this.#safeMs
  }

  /**
   * Records a look that was cut short at this time. The mark moves past ends that are too old to
   * wait for; the next look finds the unreported ones among the rest.
   */
  cutAt(atMs: number, nowMs: number): void {
    this.#moveTo(Math.min(atMs, nowMs - HELD_UP_MS_MAX))
  }

  #moveTo(ms: number): void {
    if (ms <= this.#safeMs) return
    this.#safeMs = ms
    for (const [id, atMs] of this.#reported) if (atMs < ms) this.#reported.delete(id)
  }
}
