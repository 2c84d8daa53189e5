/**
 * How long the reaper has watched without a gap, for a lease of a given length. A gap is a check
 * that came late: while the reaper, the network or the database stood still, workers may have been
 * unable to renew. A check that is a second late is a gap for a lease of three seconds, and none for
 * a lease of thirty. So each session is judged by its own lease, and none by that of another.
 */
const LATE_MS = 250
const RENEWALS_PER_LEASE = 3

interface LateCheck {
  readonly atMs: number
  readonly lateMs: number
}

export class ReaperWatch {
  /** Late checks, the latest last; each was later than those after it, which hide the others. */
  #late: LateCheck[]

  constructor(nowMs: number) {
    this.#late = [{ atMs: nowMs, lateMs: Number.POSITIVE_INFINITY }]
  }

  /** A check was answered, this much later than the reaper had planned. */
  checked(nowMs: number, lateMs: number): void {
    if (lateMs <= LATE_MS) return
    this.#late = this.#late.filter((check) => check.lateMs > lateMs)
    this.#late.push({ atMs: nowMs, lateMs })
  }

  /** A check failed, or another server answered: a gap for every lease. */
  interrupted(nowMs: number): void {
    this.checked(nowMs, Number.POSITIVE_INFINITY)
  }

  /** For how long workers with such a lease could renew without the reaper missing an outage. */
  watchedMs(nowMs: number, leaseMs: number): number {
    const toleratedMs = Math.max(LATE_MS, leaseMs / RENEWALS_PER_LEASE)
    const gap = this.#late.findLast(({ lateMs }) => lateMs > toleratedMs)
    return nowMs - (gap?.atMs ?? Number.NEGATIVE_INFINITY)
  }
}
