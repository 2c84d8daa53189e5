/**
 * Fences sessions whose lease has run out and returns what they held. It does so only while it has itself
 * been watching without a gap for the length of a lease: after a stall, a restart of the database or a
 * fail-over everybody looks expired, and every session is first granted a full lease to show itself.
 *
 * A gap is any time in which a worker may have tried to renew in vain and nobody saw why: a look that failed, or two
 * looks further apart than sessions can bear. So it looks about as often as workers renew.
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
const LOOKS_PER_LEASE = 3
const ORPHANS_EVERY_MS = 60_000
const PARKED_MS = 5_000

export class Reaper implements Role {
  readonly name = 'reaper'
  readonly #options: ReaperOptions
  #incarnation: string | null = null
  #watchingSinceMs = 0
  #lookedAtMs = Number.NEGATIVE_INFINITY
  #orphansAtMs: number
  #failures = 0

  constructor(options: ReaperOptions) {
    this.#options = options
    this.#orphansAtMs = options.clock.monotonicMs()
  }

  async tick(): Promise<number> {
    const { clock, store, leaseMs } = this.#options
    const expired = await this.#look()
    const nowMs = clock.monotonicMs()
    const everyMs = Math.min(leaseMs, expired.shortestLeaseMs ?? leaseMs) / LOOKS_PER_LEASE
    const gap = nowMs - this.#lookedAtMs > everyMs * 2 + REST_MIN_MS
    if (gap || expired.incarnation !== this.#incarnation) this.#watchingSinceMs = nowMs
    this.#incarnation = expired.incarnation
    this.#lookedAtMs = nowMs

    const patienceMs = Math.max(leaseMs, expired.leaseMs) - (nowMs - this.#watchingSinceMs)
    if (patienceMs > 0) return restMs(everyMs, patienceMs)
    const orphans = nowMs - this.#orphansAtMs > ORPHANS_EVERY_MS ? await store.orphanSessions() : []
    if (nowMs - this.#orphansAtMs > ORPHANS_EVERY_MS) this.#orphansAtMs = nowMs
    const gone = [...expired.sessionIds, ...orphans]
    if (gone.length > 0) await this.#reap(gone)
    // They may wait for what the dead have held; and whoever should have moved them on may be among those.
    if (expired.parked) await store.resolveParked(PARKED_MS)
    return restMs(everyMs, expired.nextInMs ?? REST_MAX_MS)
  }

  /** Should one of them not let itself be taken, the others are, one by one; each look begins with another one. */
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

  /** While it cannot look, workers may be unable to renew. */
  async #look(): Promise<ExpiredSessions> {
    try {
      return await this.#options.store.expiredSessions()
    } catch (error) {
      this.#lookedAtMs = Number.NEGATIVE_INFINITY
      throw error
    }
  }
}

function restMs(everyMs: number, untilMs: number): number {
  return Math.max(REST_MIN_MS, Math.min(REST_MAX_MS, everyMs, untilMs))
}
