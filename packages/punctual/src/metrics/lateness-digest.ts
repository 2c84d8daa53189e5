/** Quantiles of lateness in a fixed amount of memory: exact up to one second, then within 1 %. */
const EXACT_MS = 1_000
const GROWTH = Math.log(1.01)
/** Enough buckets for three hundred years. */
const BUCKETS = EXACT_MS + 2_400

export class LatenessDigest {
  readonly #counts = new Float64Array(BUCKETS)
  #count = 0
  #maxMs = 0

  add(latenessMs: number): void {
    const ms = Math.max(0, Math.round(latenessMs))
    const bucket = ms < EXACT_MS ? ms : EXACT_MS + Math.floor(Math.log(ms / EXACT_MS) / GROWTH)
    const at = Math.min(bucket, BUCKETS - 1)
    this.#counts[at] = (this.#counts[at] as number) + 1
    this.#count++
    this.#maxMs = Math.max(this.#maxMs, ms)
  }

  /** Returns null when nothing was added. */
  summary(): { p50Ms: number; p99Ms: number; maxMs: number } | null {
    if (this.#count === 0) return null
    return { p50Ms: this.#quantile(0.5), p99Ms: this.#quantile(0.99), maxMs: this.#maxMs }
  }

  #quantile(share: number): number {
    const rank = Math.ceil(share * this.#count)
    let seen = 0
    for (const [bucket, count] of this.#counts.entries()) {
      seen += count
      if (seen < rank) continue
      if (bucket < EXACT_MS) return bucket
      return Math.min(
        this.#maxMs,
        Math.round(EXACT_MS * Math.exp((bucket - EXACT_MS + 1) * GROWTH)),
      )
    }
    return this.#maxMs
  }
}
