/**
 * Maintains the tables: creates coming partitions, drops expired ones, sweeps small tables, vacuums
 * hot ones.
 */
import type { Clock } from '@punctual/core/clock'
import type { UpkeepStore } from '@punctual/core/ports'
import type { Role } from './role.ts'

export interface JanitorOptions {
  readonly store: Pick<
    UpkeepStore,
    'ensurePartitions' | 'dropOldDays' | 'sweep' | 'vacuumHotTables'
  >
  readonly clock: Clock
  readonly retentionDays: number
  readonly daysAhead: number
  /** Called with the days whose partitions were created and dropped. */
  onDays?(made: readonly string[], dropped: readonly string[]): void
}

const REST_MS = 60_000
const DAYS_EVERY_MS = 3_600_000
const SWEEP_EVERY_MS = 300_000

export class Janitor implements Role {
  readonly name = 'janitor'
  readonly #options: JanitorOptions
  #daysAtMs = Number.NEGATIVE_INFINITY
  #sweptAtMs = Number.NEGATIVE_INFINITY

  constructor(options: JanitorOptions) {
    this.#options = options
  }

  async tick(): Promise<number> {
    const { store, clock, retentionDays, daysAhead } = this.#options
    const nowMs = clock.monotonicMs()
    if (nowMs - this.#daysAtMs >= DAYS_EVERY_MS) {
      const made = await store.ensurePartitions(daysAhead)
      const dropped = await store.dropOldDays(retentionDays)
      this.#daysAtMs = nowMs
      if (made.length > 0 || dropped.length > 0) this.#options.onDays?.(made, dropped)
    }
    if (nowMs - this.#sweptAtMs >= SWEEP_EVERY_MS) {
      await store.sweep(retentionDays)
      this.#sweptAtMs = nowMs
    }
    await store.vacuumHotTables()
    return REST_MS
  }
}
