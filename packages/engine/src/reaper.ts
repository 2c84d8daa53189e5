/**
 * Fences sessions whose lease has expired and returns their runs. It acts only after it has watched
 * without a gap for the length of that session's lease: after a stall, a restart of the database or
 * a fail-over every session looks expired, so each one is first granted its lease to renew.
 *
 * A gap is any time in which workers may have failed to renew without the reaper noticing: a failed
 * check, or one that came later than planned (`ReaperWatch`). The reaper checks about as often as
 * the workers with the shortest lease renew, within bounds that no lease moves. No session's lease
 * decides when another is fenced.
 */
import type { Clock } from '@punctual/core/clock'
import { defaults } from '@punctual/core/errors'
import type { ExpiredSessions, ReapResult, UpkeepStore } from '@punctual/core/ports'
import { ReaperWatch } from './reaper-watch.ts'
import type { Role } from './role.ts'

export interface ReaperOptions {
  readonly store: Pick<UpkeepStore, 'expiredSessions' | 'orphanSessions' | 'reap' | 'resolveParked'>
  readonly clock: Clock
  /** The lease of this installation's workers; the reaper checks at least three times in it. */
  readonly leaseMs: number
  readonly crashesUntilQuarantine: number
  /**
   * Whether the opening of a session with a lease below `defaults.shortLeaseMs` wakes the loop of
   * this role. @default never
   */
  hintsArrive?(): boolean
  onReaped?(result: ReapResult): void
}

/**
 * A session with a shorter lease that opens and dies right after a check would be fenced late. A
 * hint announces such sessions; without hints the reaper checks more often.
 */
const REST_MAX_MS = defaults.shortLeaseMs
const REST_WITHOUT_HINTS_MS = 2_500
const REST_MIN_MS = 250
const CHECKS_PER_LEASE = 3
const ORPHANS_EVERY_MS = 60_000
const PARKED_MS = 5_000
/**
 * Sessions fenced after one check, so that the end of a large fleet does not occupy the database.
 * All expired ones are examined: those that wait for their watch must not hide the others.
 */
const SESSIONS_MAX = 200

export class Reaper implements Role {
  readonly name = 'reaper'
  readonly #options: ReaperOptions
  readonly #watch: ReaperWatch
  #incarnation: string | null = null
  /** When the next check is planned; null before the first. */
  #plannedMs: number | null = null
  #orphansAtMs: number
  #failures = 0

  constructor(options: ReaperOptions) {
    this.#options = options
    const nowMs = options.clock.monotonicMs()
    this.#watch = new ReaperWatch(nowMs)
    this.#orphansAtMs = nowMs
  }

  async tick(): Promise<number> {
    const { clock, store, leaseMs } = this.#options
    const expired = await this.#check()
    const checkedAtMs = clock.monotonicMs()
    const { gone, patienceMs } = this.#judge(expired, checkedAtMs)
    const orphans = checkedAtMs - this.#orphansAtMs > ORPHANS_EVERY_MS
    if (orphans) {
      gone.push(...(await store.orphanSessions()))
      this.#orphansAtMs = checkedAtMs
    }
    if (gone.length > 0) await this.#reap(gone)
    // Parked runs may wait for a dead session, and the process that should have released them may
    // be dead too.
    if (expired.parked) await store.resolveParked(PARKED_MS)
    const everyMs = Math.min(leaseMs, expired.shortestLeaseMs ?? leaseMs) / CHECKS_PER_LEASE
    const more = gone.length > SESSIONS_MAX
    const restMaxMs = this.#options.hintsArrive?.() ? REST_MAX_MS : REST_WITHOUT_HINTS_MS
    const nextMs = more ? 0 : Math.min(patienceMs, expired.nextInMs ?? restMaxMs)
    const restMs = Math.max(REST_MIN_MS, Math.min(restMaxMs, everyMs, nextMs))
    // What this tick did after its check counts as late: the database may have stood still.
    this.#plannedMs = checkedAtMs + restMs
    return restMs
  }

  /** Which expired sessions were watched for their whole lease, and when the next one will be. */
  #judge(expired: ExpiredSessions, nowMs: number): { gone: string[]; patienceMs: number } {
    const gone: string[] = []
    let patienceMs = Number.POSITIVE_INFINITY
    for (const [i, id] of expired.sessionIds.entries()) {
      const leaseMs = expired.leasesMs[i] ?? 0
      const waitMs = leaseMs - this.#watch.watchedMs(nowMs, leaseMs)
      if (waitMs <= 0) gone.push(id)
      else patienceMs = Math.min(patienceMs, waitMs)
    }
    return { gone, patienceMs }
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
      await take(gone.slice(0, SESSIONS_MAX))
    } catch (error) {
      if (gone.length < 2) throw error
      const first = this.#failures++ % gone.length
      const rotated = [...gone.slice(first), ...gone.slice(0, first)]
      for (const id of rotated.slice(0, SESSIONS_MAX)) await take([id])
    }
  }

  /** A failed check counts as a gap: workers may have been unable to renew, too. */
  async #check(): Promise<ExpiredSessions> {
    const { clock, store } = this.#options
    let expired: ExpiredSessions
    try {
      expired = await store.expiredSessions()
    } catch (error) {
      this.#watch.interrupted(clock.monotonicMs())
      throw error
    }
    const nowMs = clock.monotonicMs()
    if (expired.incarnation !== this.#incarnation) this.#watch.interrupted(nowMs)
    else if (this.#plannedMs !== null) this.#watch.checked(nowMs, nowMs - this.#plannedMs)
    this.#incarnation = expired.incarnation
    return expired
  }
}
