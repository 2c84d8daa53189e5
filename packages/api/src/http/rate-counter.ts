/**
 * Counts by name in windows of one second that begin for all names at once, so that counts are
 * dropped with their window. Names beyond the bound share one count, which bounds the memory.
 */
const WINDOW_MS = 1_000
const OTHERS = Symbol('others')

export class RateCounter<Name extends string | number = string> {
  readonly #counts = new Map<Name | typeof OTHERS, number>()
  readonly #most: number
  readonly #names: number
  readonly #nowMs: () => number
  #endsMs = 0

  /** @param most - counts per window and name. @param names - names that have a separate count. */
  constructor(most: number, names: number, nowMs: () => number = () => performance.now()) {
    this.#most = most
    this.#names = names
    this.#nowMs = nowMs
  }

  /** Counts one. @returns null within the limit, otherwise how many milliseconds to wait. */
  take(name: Name): number | null {
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
