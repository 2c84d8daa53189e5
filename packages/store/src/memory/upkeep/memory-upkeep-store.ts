/** The store of reaper and promoter, in memory. Day partitions and vacuum are not simulated. */
import type { UpkeepStore } from '@punctual/core/ports'
import type { MemoryStoreOptions } from '../tables/line.ts'
import { freeGates } from '../work/gates.ts'
import type { MemoryWorkStore } from '../work/memory-work-store.ts'
import { parkedLongerThan } from '../work/overlap.ts'
import { advanceBookings, rateGaps } from './rate-gaps.ts'
import { expiredSessions, orphanSessions, promote, reap } from './reap.ts'

type Simulated = Pick<
  UpkeepStore,
  'promote' | 'expiredSessions' | 'orphanSessions' | 'reap' | 'resolveParked' | 'closeRateGaps'
>

export class MemoryUpkeepStore implements Simulated {
  readonly #options: MemoryStoreOptions
  readonly #work: MemoryWorkStore

  constructor(options: MemoryStoreOptions, work: MemoryWorkStore) {
    this.#options = options
    this.#work = work
  }

  promote(horizonMs: number, limit: number) {
    return this.#options.line.call('promote', () => promote(this.#options.db, horizonMs, limit))
  }

  expiredSessions() {
    return this.#options.line.call('list-expired', () => expiredSessions(this.#options.db))
  }

  orphanSessions() {
    return this.#options.line.call('list-orphans', () => orphanSessions(this.#options.db))
  }

  async reap(sessionIds: readonly string[], crashesUntilQuarantine: number) {
    const { db, line } = this.#options
    return line.call('reap', () => reap(db, sessionIds, crashesUntilQuarantine))
  }

  async resolveParked(olderThanMs: number): Promise<number> {
    const { db, line } = this.#options
    const ids = await line.call('list-parked-jobs', () => parkedLongerThan(db, olderThanMs))
    if (ids.length > 0) await this.#work.resolveParked(ids)
    const gates = await line.call('list-free-gates', () => freeGates(db))
    await this.#work.releaseGates(gates.map(BigInt))
    return ids.length + gates.length
  }

  async closeRateGaps(): Promise<number | null> {
    const { db, line, hints } = this.#options
    const rates = await line.call('list-rate-gaps', () =>
      db.rates.size === 0 ? null : rateGaps(db),
    )
    if (rates === null) return null
    let moved = 0
    for (const rate of rates)
      moved += await line.call('advance-bookings', () => advanceBookings(db, rate))
    if (moved > 0) hints.queued([])
    return moved
  }
}
