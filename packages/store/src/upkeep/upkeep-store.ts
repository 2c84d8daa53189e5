/** The queries of the roles that time drives: promoting, reaping, partitions, sweeps. */
import { defaults } from '@punctual/core/errors'
import type { ReapResult, UpkeepStore } from '@punctual/core/ports'
import { int8Array } from '../connection/binary-arrays.ts'
import type { Row } from '../connection/channel.ts'
import type { ClientPool } from '../connection/client-pool.ts'
import type { Database } from '../connection/database.ts'
import { ensureDays } from '../schema/partitions.ts'
import { dropDays } from '../schema/retention.ts'
import { StatStore } from '../stats/stat-store.ts'
import { RateGaps } from './rate-gaps.ts'

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
/** Sweeps that do not depend on the retention. */
const WITHOUT_RETENTION = new Set([
  ...['fold-counters', 'delete-past-sessions', 'delete-idle-rates', 'delete-key-windows'],
  ...['delete-old-requests', 'sum-lane-day', 'sum-late-ends'],
])
const JOBS_AT_ONCE = 1_000
const JOB_ROUNDS_MAX = 10
const GATES_AT_ONCE = 1_000
const FIRST_JOB = ['-infinity', '00000000-0000-0000-0000-000000000000'] as const
const FIRST_GATE = '-9223372036854775808'

export class PostgresUpkeepStore implements UpkeepStore {
  readonly #database: Database
  readonly #clientPool: ClientPool
  readonly #resolveParked: (runIds: readonly string[]) => Promise<void>
  readonly #releaseGates: (gates: readonly bigint[]) => Promise<void>
  readonly #stats: StatStore
  readonly #rateGaps: RateGaps
  /** The slot and id of the last once-only job that was examined. */
  #afterJob: readonly [string, string] = FIRST_JOB
  /** The gate after which the next call continues. */
  #afterGate = FIRST_GATE
  /** Runs due before this were promoted long enough ago; read again every 30 s (see LaneMarks). */
  #promotedMs = 0
  #headAtMs = Number.NEGATIVE_INFINITY

  constructor(
    database: Database,
    clientPool: ClientPool,
    resolveParked: (runIds: readonly string[]) => Promise<void>,
    releaseGates: (gates: readonly bigint[]) => Promise<void>,
    onQueued: (lanes: Iterable<number>) => void,
  ) {
    this.#database = database
    this.#resolveParked = resolveParked
    this.#releaseGates = releaseGates
    this.#clientPool = clientPool
    this.#stats = new StatStore(database)
    this.#rateGaps = new RateGaps(database, clientPool, onQueued)
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
    const [row] = await database.upkeep.pinnedOne(database.statement('upkeep/promote-runs'), [
      horizonMs,
      limit,
      new Date(startMs).toISOString(),
    ])
    const promoted = Number(row?.[0])
    if (promoted < limit) {
      // A transaction that commits late may still add a run that is due before the bound.
      this.#promotedMs = boundMs - 60_000
      if (fromHead) this.#headAtMs = nowMs
    }
    const nextInMs = row?.[1] ?? null
    return { promoted, nextInMs: nextInMs === null ? null : Number(nextInMs) }
  }

  async expiredSessions() {
    const [row] = await this.#database.upkeep.pinnedOne(
      this.#database.statement('upkeep/list-expired-sessions'),
      [],
    )
    const [incarnation, sessionIds, leaseMs, nextInMs, parked, shortestMs] = row as Row
    const ms = (text: string | null | undefined) => (text ? Number(text) : null)
    return {
      incarnation: incarnation as string,
      sessionIds: (sessionIds as string).slice(1, -1).split(',').filter(Boolean),
      leaseMs: Number(leaseMs),
      shortestLeaseMs: ms(shortestMs),
      nextInMs: ms(nextInMs),
      parked: parked === 't',
    }
  }

  async orphanSessions(): Promise<readonly string[]> {
    const rows = await this.#database.upkeep.pinnedOne(
      this.#database.statement('upkeep/list-orphan-sessions'),
      [],
    )
    return rows.map(([id]) => id as string)
  }

  async reap(sessionIds: readonly string[], crashesUntilQuarantine: number): Promise<ReapResult> {
    const [row] = await this.#database.upkeep.pinnedOne(
      this.#database.statement('upkeep/reap-sessions'),
      [0, int8Array(sessionIds.map(BigInt)), crashesUntilQuarantine],
    )
    const counts = (row as readonly string[]).map(Number)
    const [sessions, returned, dead, unknown, cancelled] = counts as [
      ...[number, number, number, number, number],
    ]
    return { sessions, returned, dead, unknown, cancelled }
  }

  async resolveParked(olderThanMs: number): Promise<number> {
    const statement = this.#database.statement('upkeep/list-parked-jobs')
    const [row] = await this.#database.upkeep.pinnedOne(statement, [olderThanMs])
    const ids = row?.[1]?.slice(1, -1).split(',') ?? []
    if (ids.length > 0) await this.#resolveParked(ids)
    return ids.length + (await this.#releaseFreeGates())
  }

  /** Examines a page of the gates that runs wait for, from where the last call ended. */
  async #releaseFreeGates(): Promise<number> {
    const statement = this.#database.statement('upkeep/list-free-gates')
    const values = [this.#afterGate, GATES_AT_ONCE]
    const [row] = await this.#database.upkeep.pinnedOne(statement, values)
    const [gates, last, looked] = row as Row
    this.#afterGate = Number(looked) < GATES_AT_ONCE ? FIRST_GATE : (last as string)
    const free = gates?.slice(1, -1).split(',').map(BigInt) ?? []
    await this.#releaseGates(free)
    return free.length
  }

  closeRateGaps(): Promise<number> {
    return this.#rateGaps.close()
  }

  ensurePartitions(daysAhead: number = defaults.partitionDaysAhead): Promise<readonly string[]> {
    const { clock, localClock, schema } = this.#database
    return this.#clientPool.with((client) =>
      ensureDays(client, schema, clock.nowMs(), daysAhead, (ms) => localClock.sleep(ms)),
    )
  }

  dropOldDays(retentionDays: number): Promise<readonly string[]> {
    const { clock, localClock, schema } = this.#database
    return this.#clientPool.with((client) =>
      dropDays(client, schema, clock.nowMs(), retentionDays, (ms) => localClock.sleep(ms)),
    )
  }

  async sweep(retentionDays: number): Promise<number> {
    let swept = 0
    for (const path of [
      'fold-counters',
      'delete-old-counters',
      'delete-stale-settles',
      'delete-past-sessions',
      'delete-idle-rates',
      'delete-key-windows',
      'delete-old-requests',
      'delete-carried',
      'delete-old-groups',
      'sum-lane-day',
      'sum-late-ends',
      'delete-old-sums',
    ]) {
      const values = WITHOUT_RETENTION.has(path) ? [] : [retentionDays]
      const [row] = await this.#database.control.query(
        this.#database.statement(`upkeep/sweeps/${path}`),
        values,
      )
      swept += Number(row?.[0] ?? 0)
    }
    swept += await this.#forgetOnceJobs(retentionDays)
    return swept + (await this.#stats.sumJobHours())
  }

  /** For tests: resets the uses of keys and rates. */
  async forgetUses(): Promise<void> {
    await this.#database.control.query(this.#database.statement('upkeep/sweeps/forget-uses'))
  }

  /** Deletes old once-only jobs, from where the last sweep ended: some may stay for a long time. */
  async #forgetOnceJobs(retentionDays: number): Promise<number> {
    const statement = this.#database.statement('upkeep/sweeps/delete-once-jobs')
    let gone = 0
    for (let round = 0; round < JOB_ROUNDS_MAX; round++) {
      const values = [retentionDays, ...this.#afterJob, JOBS_AT_ONCE]
      const [row] = await this.#database.upkeep.pinnedOne(statement, values)
      const [deleted, looked, slot, id] = row as Row
      gone += Number(deleted)
      const isLast = Number(looked) < JOBS_AT_ONCE
      this.#afterJob = isLast ? FIRST_JOB : [slot as string, id as string]
      if (isLast) break
    }
    return gone
  }

  async vacuumHotTables(): Promise<readonly string[]> {
    const { schema, upkeep } = this.#database
    const rows = await upkeep.pinnedOne(this.#database.statement('upkeep/list-dead-rows'), [
      schema,
      HOT_TABLES,
      VACUUM_DEAD_ROWS,
    ])
    const tables = rows.map(([table]) => table as string)
    if (tables.length > 0)
      await this.#clientPool.with(async (client) => {
        for (const table of tables)
          await client.query(`vacuum (truncate off, skip_locked) ${schema}.${table}`)
      })
    return tables
  }
}
