/**
 * Counts by name in windows of a second that begin for all at once: what was counted is forgotten with its window. Those
 * beyond the names that are told apart share one count, so that what is kept is bounded whoever sends.
 */
const WINDOW_MS = 1_000
const OTHERS = Symbol('others')

export class RateCounter {
  readonly #counts = new Map<string | typeof OTHERS, number>()
  readonly #most: number
  readonly #names: number
  readonly #nowMs: () => number
  #endsMs = 0

  /** @param most in a window, of each; @param names are told apart. */
  constructor(most: number, names: number, nowMs: () => number = () => performance.now()) {
    this.#most = most
    this.#names = names
    this.#nowMs = nowMs
  }

  /** Counts one. @returns null if that was not too many, otherwise how many ms to wait. */
  take(name: string): number | null {
    const nowMs = this.#nowMs()
    if (nowMs >= this.#endsMs) {
      this.#counts.clear()
      this.#endsMs = nowMs + WINDOW_MS
    }
    const isKnown = this.#counts.has(name) || this.#counts.size < this.#names
    const counted = isKnown ? name : OTHERS
    const count = (this.#counts.get(counted) ?? 0) + 1
    this.#counts.set(counted, count)
    return count <= this.#most ? null : this.#endsMs - nowMs
  }
}
