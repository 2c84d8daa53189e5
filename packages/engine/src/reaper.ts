/**
 * Fences sessions whose lease has expired and returns their runs. It acts only after it has watched
 * without a gap for the length of a lease: after a stall, a restart of the database or a fail-over
 * every session looks expired, so each one is first granted a full lease to renew.
 *
 * A gap is any time in which workers may have failed to renew without the reaper noticing: a failed
 * query, or two queries further apart than a lease tolerates. So the reaper queries about as often
 * as workers renew.
 */
import type { Clock } from '@punctual/core/clock'
import type { ExpiredSessions, ReapResult, UpkeepStore } from '@punctual/core/ports'
import type { Role } from './role.ts'

export interface ReaperOptions {
  readonly store: Pick<UpkeepStore, 'expiredSessions' | 'orphanSessions' | 'reap' | 'resolveParked'>
  readonly clock: Clock
  /** The shortest lease that is granted after a gap. */
  readonly leaseMs: number
  readonly crashesUntilQuarantine: number
  onReaped?(result: ReapResult): void
}

const REST_MAX_MS = 15_000
const REST_MIN_MS = 250
const CHECKS_PER_LEASE = 3
const ORPHANS_EVERY_MS = 60_000
const PARKED_MS = 5_000

export class Reaper implements Role {
  readonly name = 'reaper'
  readonly #options: ReaperOptions
  #incarnation: string | null = null
  #watchingSinceMs = 0
  #checkedAtMs = Number.NEGATIVE_INFINITY
  #orphansAtMs: number
  #failures = 0

  constructor(options: ReaperOptions) {
    this.#options = options
    this.#orphansAtMs = options.clock.monotonicMs()
  }

  async tick(): Promise<number> {
    const { clock, store, leaseMs } = this.#options
    const expired = await this.#check()
    const nowMs = clock.monotonicMs()
    const everyMs = Math.min(leaseMs, expired.shortestLeaseMs ?? leaseMs) / CHECKS_PER_LEASE
    const gap = nowMs - this.#checkedAtMs > everyMs * 2 + REST_MIN_MS
    if (gap || expired.incarnation !== this.#incarnation) this.#watchingSinceMs = nowMs
    this.#incarnation = expired.incarnation
    this.#checkedAtMs = nowMs

    const patienceMs = Math.max(leaseMs, expired.leaseMs) - (nowMs - this.#watchingSinceMs)
    if (patienceMs > 0) return restMs(everyMs, patienceMs)
    const orphans = nowMs - this.#orphansAtMs > ORPHANS_EVERY_MS ? await store.orphanSessions() : []
    if (nowMs - this.#orphansAtMs > ORPHANS_EVERY_MS) this.#orphansAtMs = nowMs
    const gone = [...expired.sessionIds, ...orphans]
    if (gone.length > 0) await this.#reap(gone)
    // Parked runs may wait for a dead session, and the process that should have released them may
    // be dead too.
    if (expired.parked) await store.resolveParked(PARKED_MS)
    return restMs(everyMs, expired.nextInMs ?? REST_MAX_MS)
  }

  /**
   * If one session makes the batch fail, reaps them one by one, each time starting with a different
   * session.
   */
  async #reap(gone: readonly string[]): Promise<void> {
    const take = async (ids: readonly string[]) => {
      const result = await this.#options.store.reap(ids, this.#options.crashesUntilQuarantine)
      this.#options.onReaped?.(result)
    }
    try {
      await take(gone)
    } catch (error) {
      if (gone.length < 2) throw error
      const first = this.#failures++ % gone.length
      for (const id of [...gone.slice(first), ...gone.slice(0, first)]) await take([id])
    }
  }

  /** A failed query counts as a gap: workers may have been unable to renew, too. */
  async #check(): Promise<ExpiredSessions> {
    try {
      return await this.#options.store.expiredSessions()
    } catch (error) {
      this.#checkedAtMs = Number.NEGATIVE_INFINITY
      throw error
    }
  }
}

function restMs(everyMs: number, untilMs: number): number {
  return Math.max(REST_MIN_MS, Math.min(REST_MAX_MS, everyMs, untilMs))
}
