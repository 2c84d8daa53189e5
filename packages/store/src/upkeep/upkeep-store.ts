/** The queries of the roles that time drives: promoting, reaping, partitions, sweeps. */
import { invariant } from '@punctual/core/errors'
import type { ExpiredSessions, ReapResult, UpkeepStore } from '@punctual/core/ports'
import { int8Array } from '../connection/binary-arrays.ts'
import type { ClientPool } from '../connection/client-pool.ts'
import type { Database } from '../connection/database.ts'
import type { Signals } from '../connection/signals.ts'
import { UNUSED_TIMING_MS } from '../jobs/timing-ids.ts'
import type { Days } from '../schema/days.ts'
import { dropDays } from '../schema/retention.ts'
import { StatStore } from '../stats/stat-store.ts'
import type { RowSecurity } from '../tenants/row-security.ts'
import type { ParkedRuns } from '../work/parked-runs.ts'
import { RateGaps } from './rate-gaps.ts'
import {
  deleteCarried,
  deleteIdleRates,
  deleteKeyWindows,
  deleteOldCounters,
  deleteOldGroups,
  deleteOldRequests,
  deleteOldSums,
  deleteOnceJobs,
  deletePastSessions,
  deleteStaleSettles,
  deleteTimings,
  foldCounters,
  forgetUses,
  listDeadRows,
  listExpiredSessions,
  listFreeGates,
  listOrphanSessions,
  listParkedJobs,
  promoteRuns,
  reapSessions,
  sumLaneDay,
  sumLateEnds,
} from './statements.gen.ts'

const HEAD_EVERY_MS = 30_000
const VACUUM_DEAD_ROWS = 50_000
const HOT_TABLES = [
  'queue',
  'leases',
  'later',
  'sessions',
  'counters',
  'live_keys',
  'key_windows',
  'gated',
  'parked',
]
/** The sweeps, in their order. */
const sweeps = (retentionDays: number) => [
  foldCounters(),
  deleteOldCounters(retentionDays),
  deleteStaleSettles(retentionDays),
  deletePastSessions(),
  deleteIdleRates(),
  deleteKeyWindows(),
  deleteOldRequests(),
  deleteCarried(retentionDays),
  deleteOldGroups(retentionDays),
  sumLaneDay(),
  sumLateEnds(),
  deleteOldSums(retentionDays),
]
const JOBS_AT_ONCE = 1_000
const JOB_ROUNDS_MAX = 10
const TIMINGS_AT_ONCE = 10_000
const TIMING_ROUNDS_MAX = 30
const GATES_AT_ONCE = 1_000
const PARKED_AT_ONCE = 1_000
const FIRST_RUN = '00000000-0000-0000-0000-000000000000'
const FIRST_JOB = ['-infinity', FIRST_RUN] as const
const FIRST_GATE = '-9223372036854775808'

export interface UpkeepStoreOptions {
  readonly database: Database
  /** Vacuuming and dropping days may take long: its statements have no limit. */
  readonly clientPool: ClientPool
  readonly days: Days
  readonly parked: ParkedRuns
  readonly signals: Signals
  readonly rowSecurity: RowSecurity
}

export class PostgresUpkeepStore implements UpkeepStore {
  readonly #database: Database
  readonly #clientPool: ClientPool
  readonly #days: Days
  readonly #parked: ParkedRuns
  readonly #stats: StatStore
  readonly #rateGaps: RateGaps
  readonly #rowSecurity: RowSecurity
  /** The slot and id of the last once-only job that was examined. */
  #afterJob: readonly [string, string] = FIRST_JOB
  /** The timing rule after which the next sweep continues. */
  #afterTiming = 0
  /** The parked run after which the next call continues. */
  #afterParked = FIRST_RUN
  /** The gate after which the next call continues. */
  #afterGate = FIRST_GATE
  /** Runs due before this were promoted long enough ago; read again every 30 s (see LaneMarks). */
  #promotedMs = 0
  #headAtMs = Number.NEGATIVE_INFINITY

  constructor(options: UpkeepStoreOptions) {
    const { database, clientPool, days, parked, signals } = options
    this.#rowSecurity = options.rowSecurity
    this.#database = database
    this.#clientPool = clientPool
    this.#days = days
    this.#parked = parked
    this.#stats = new StatStore(database)
    this.#rateGaps = new RateGaps(database, clientPool, (lanes) => signals.due(lanes))
  }

  async promote(
    horizonMs: number,
    limit: number,
  ): Promise<{ promoted: number; nextInMs: number | null }> {
    const database = this.#database
    const nowMs = database.localClock.monotonicMs()
    const fromHead = nowMs - this.#headAtMs >= HEAD_EVERY_MS
    const startMs = fromHead ? 0 : this.#promotedMs
    const boundMs = database.clock.nowMs() + horizonMs
    const [row] = await database.upkeep.runPinned(
      promoteRuns(horizonMs, limit, new Date(startMs).toISOString()),
    )
    invariant(row, 'promoting returns one row')
    const { promoted } = row
    if (promoted < limit) {
      // A transaction that commits late may still add a run that is due before the bound.
      this.#promotedMs = boundMs - 60_000
      if (fromHead) this.#headAtMs = nowMs
    }
    return row
  }

  async expiredSessions(): Promise<ExpiredSessions> {
    const [row] = await this.#database.upkeep.runPinned(listExpiredSessions())
    invariant(row, 'the expired sessions are one row')
    return row
  }

  async orphanSessions(): Promise<readonly string[]> {
    const rows = await this.#database.upkeep.runPinned(listOrphanSessions())
    return rows.map(({ sessionId }) => sessionId)
  }

  async reap(sessionIds: readonly string[], crashesUntilQuarantine: number): Promise<ReapResult> {
    const call = reapSessions(0, int8Array(sessionIds.map(BigInt)), crashesUntilQuarantine)
    const [row] = await this.#database.upkeep.runPinned(call)
    invariant(row, 'reaping returns one row')
    return row
  }

  async resolveParked(olderThanMs: number): Promise<number> {
    const call = listParkedJobs(olderThanMs, this.#afterParked, PARKED_AT_ONCE)
    const [row] = await this.#database.upkeep.runPinned(call)
    const ids = row?.runIds ?? []
    this.#afterParked = ids.length < PARKED_AT_ONCE ? FIRST_RUN : (ids.at(-1) ?? FIRST_RUN)
    if (ids.length > 0) await this.#parked.resolve(ids)
    return ids.length + (await this.#releaseFreeGates())
  }

  /** Examines a page of the gates that runs wait for, from where the last call ended. */
  async #releaseFreeGates(): Promise<number> {
    const call = listFreeGates(this.#afterGate, GATES_AT_ONCE)
    const [row] = await this.#database.upkeep.runPinned(call)
    invariant(row, 'a page of gates is one row')
    const { gates, lastGate, looked } = row
    this.#afterGate = looked < GATES_AT_ONCE ? FIRST_GATE : (lastGate ?? FIRST_GATE)
    const free = gates?.map(BigInt) ?? []
    await this.#parked.releaseGates(free)
    return free.length
  }

  closeRateGaps(): Promise<number | null> {
    return this.#rateGaps.close()
  }

  /** Also repairs the row security of tables that a node of another version has created. */
  async ensurePartitions(daysAhead?: number): Promise<readonly string[]> {
    const made = await this.#days.makeAhead(daysAhead)
    await this.#clientPool.with((client) => this.#rowSecurity.enable(client))
    return made
  }

  dropOldDays(retentionDays: number): Promise<readonly string[]> {
    const { clock, localClock, schema } = this.#database
    return this.#clientPool.with((client) =>
      dropDays(client, schema, clock.nowMs(), retentionDays, (ms) => localClock.sleep(ms)),
    )
  }

  async sweep(retentionDays: number): Promise<number> {
    let swept = 0
    for (const call of sweeps(retentionDays)) {
      const [row] = await this.#database.control.run(call)
      swept += row?.rows ?? 0
    }
    swept += await this.#forgetOnceJobs(retentionDays)
    swept += await this.#forgetTimings()
    return swept + (await this.#stats.sumJobHours())
  }

  /** For tests: resets the uses of keys and rates. */
  async forgetUses(): Promise<void> {
    await this.#database.control.run(forgetUses())
  }

  /** Deletes old once-only jobs, from where the last sweep ended: some may stay for a long time. */
  async #forgetOnceJobs(retentionDays: number): Promise<number> {
    let gone = 0
    for (let round = 0; round < JOB_ROUNDS_MAX; round++) {
      const call = deleteOnceJobs(retentionDays, ...this.#afterJob, JOBS_AT_ONCE)
      const [row] = await this.#database.upkeep.runPinned(call)
      invariant(row, 'a page of once-only jobs is one row')
      const { deleted, looked, lastSlot, lastJob } = row
      gone += deleted
      const isLast = looked < JOBS_AT_ONCE || lastSlot === null || lastJob === null
      this.#afterJob = isLast ? FIRST_JOB : [lastSlot, lastJob]
      if (isLast) break
    }
    return gone
  }

  /** Deletes unused timing rules, from where the last sweep ended. */
  async #forgetTimings(): Promise<number> {
    let gone = 0
    for (let round = 0; round < TIMING_ROUNDS_MAX; round++) {
      const call = deleteTimings(this.#afterTiming, TIMINGS_AT_ONCE, UNUSED_TIMING_MS)
      const [row] = await this.#database.upkeep.runPinned(call)
      invariant(row, 'a page of timing rules is one row')
      const { deleted, looked, lastTiming } = row
      gone += deleted
      this.#afterTiming = looked < TIMINGS_AT_ONCE ? 0 : (lastTiming ?? 0)
      if (this.#afterTiming === 0) break
    }
    return gone
  }

  async vacuumHotTables(): Promise<readonly string[]> {
    const { schema, upkeep } = this.#database
    const rows = await upkeep.runPinned(listDeadRows(schema, HOT_TABLES, VACUUM_DEAD_ROWS))
    const tables = rows.map(({ relname }) => relname)
    if (tables.length > 0)
      await this.#clientPool.with(async (client) => {
        for (const table of tables)
          await client.query(`vacuum (truncate off, skip_locked) ${schema}.${table}`)
      })
    return tables
  }
}
