import type { Overlap, PlannedJob } from '@punctual/core/job'
import type { AuditorStore, ClaimedRun, UpkeepStore, WorkStore } from '@punctual/core/ports'
import { systemClock, systemRandom } from '@punctual/store'
import { type CursorRow, MemoryStore, type StoreMutant } from '@punctual/store/memory'
import type { TestStore } from '@punctual/testkit'
import { expect } from 'vitest'
import { flowFields } from '../../src/submit/flow-keys.ts'
import { pictureOf, pictureOfMemory } from './picture.ts'

export const HOUR_MS = 3_600_000
export const HORIZON_MS = 60_000
const WORKERS = 3
const CRASHES_UNTIL_QUARANTINE = 3
export const OVERLAPS: readonly Overlap[] = [
  ...(['allow', 'skip', 'queue-one', 'queue-all'] as const),
  ...(['cancel-previous', 'terminate-previous'] as const),
]
const EMPTIED = [
  ...['runs', 'later', 'queue', 'leases', 'outcomes', 'attempts', 'live_keys', 'sessions'],
  ...['dead_letters', 'parked', 'job_holds', 'triggers', 'slots', 'stale_settles', 'checkpoints'],
  ...['jobs', 'cursors', 'pauses', 'gated', 'rates', 'rate_starts', 'limits'],
  'job_versions',
]

/** What both stores can be asked for in the same words. */
export interface Twin {
  readonly work: WorkStore
  readonly upkeep: Omit<
    UpkeepStore,
    'ensurePartitions' | 'dropOldDays' | 'sweep' | 'vacuumHotTables'
  >
  readonly audit: Pick<AuditorStore, 'freeHolds' | 'unplannedRuns' | 'freeParked'>
  readonly parked: { releaseGates(gates: readonly bigint[]): Promise<void> }
}

export class Twins {
  readonly t: TestStore
  readonly memory: MemoryStore
  readonly sessions: string[] = []
  readonly held: ClaimedRun[][] = []
  /** Runs that were left to their targets, whatever has become of them. */
  readonly awaiting: ClaimedRun[] = []
  readonly runs: string[] = []
  readonly jobs: string[] = []
  readonly slotRuns = new Map<string, string>()
  readonly planned: PlannedJob[] = []
  /** How far the time of planners is ahead. */
  aheadMs = 0
  readonly #learnt = new Set<string>()

  constructor(t: TestStore, mutants: ReadonlySet<StoreMutant>) {
    this.t = t
    this.memory = new MemoryStore({
      ...{ clock: systemClock, random: systemRandom, horizonMs: HORIZON_MS, mutants },
      nextId: (_, jobId, slotMs) => this.slotRuns.get(`${slotMs} ${jobId}`) ?? 'no such run',
    })
  }

  static async open(t: TestStore, mutants: ReadonlySet<StoreMutant> = new Set()): Promise<Twins> {
    await t.sql.query(EMPTIED.map((table) => `delete from punctual.${table}`).join('; '))
    const twins = new Twins(t, mutants)
    for (const overlap of OVERLAPS)
      await t.job({ name: overlap, every: '1h', overlap, maxAttempts: 2 })
    const concurrency = { key: 'a', limit: 2 }
    await t.job({ name: 'gated', every: '1h', overlap: 'queue-all', concurrency })
    await t.job({ name: 'after end', everyAfterEnd: '1h', overlap: 'skip', pauseAfterFailures: 9 })
    // Lanes are created on first use.
    for (const priority of [5, 9]) await t.store.lanes.intern({ ...LANE, priority })
    await twins.#copyJobs()
    for (let i = 0; i < WORKERS; i++) await twins.session(i)
    await twins.compare()
    return twins
  }

  /** Keeps two steps out of one millisecond, so that the order of what they queue is defined. */
  async pass(ms = 1): Promise<void> {
    const untilMs = systemClock.wallMs() + ms
    // waits: for the clock of both stores to advance by itself
    while (systemClock.wallMs() < untilMs) await systemClock.sleep(1)
  }

  async compare(): Promise<void> {
    const { db } = this.memory
    expect(pictureOfMemory(db)).toEqual(await pictureOf(this.t))
    await this.#copyCursors()
  }

  async #copyJobs(): Promise<void> {
    const { db } = this.memory
    const { rows } = await this.t.sql.query(
      'select j.*, (extract(epoch from created_at) * 1000)::float8 as created_ms, t.spec from punctual.jobs j join punctual.timings t on t.id = j.timing',
    )
    const lanes = await this.t.sql.query('select * from punctual.lanes')
    const cursors = await this.#cursors()
    db.transact(() => {
      for (const { id, tenant_id: tenantId, queue, handler, priority } of lanes.rows)
        db.lanes.insert(`${tenantId} ${queue} ${handler} ${priority}`, {
          ...{ id, tenantId, queue, handler, priority },
        })
      for (const row of rows) {
        this.jobs.push(row.id)
        db.timings.set(String(row.timing), row.spec)
        db.jobs.insert(row.id, {
          ...{ id: row.id, name: row.name, createdMs: Math.floor(row.created_ms), tenantId: 1 },
          ...{ lane: row.lane, timing: row.timing, timeoutMs: row.timeout_ms },
          ...{ maxAttempts: row.max_attempts, traits: row.traits, payload: row.payload },
          ...{ policy: row.policy, planningError: null, startMs: null, maxRuns: row.max_runs },
          flow: row.flow && flowFields(1, row.flow),
        })
      }
      for (const cursor of cursors) db.cursors.insert(cursor.jobId, cursor)
    })
    this.jobs.sort()
  }

  async #cursors(): Promise<CursorRow[]> {
    const ms = (column: string) => `(extract(epoch from ${column}) * 1000)::float8`
    const { rows } = await this.t.sql.query(
      `select *, ${ms('next_at')} as next_ms, ${ms('cursor_at')} as cursor_ms, ${ms('anchor_at')} as anchor_ms,
         ${ms('end_at')} as end_ms from punctual.cursors`,
    )
    return rows.map((row) => ({
      ...{ jobId: row.job_id, tenantId: 1, shard: row.shard, timing: row.timing },
      ...{ version: row.version, nextMs: row.next_ms, cursorMs: row.cursor_ms },
      ...{ anchorMs: row.anchor_ms, endMs: row.end_ms, runsLeft: row.runs_left },
      ...{ failures: row.failures, paused: row.paused },
    }))
  }

  /** An end that rearms a job uses its server's time, so the cursors are copied. */
  async #copyCursors(): Promise<void> {
    const cursors = await this.#cursors()
    this.memory.db.transact(() => {
      for (const cursor of cursors) this.memory.db.cursors.set(cursor.jobId, cursor)
    })
  }

  async session(worker: number): Promise<void> {
    const leaseMs = 30_000
    const id = await this.t.session(leaseMs)
    await this.memory.work.openSession({ id, leaseMs } as Parameters<
      typeof this.memory.work.openSession
    >[0])
    this.sessions[worker] = id
    this.held[worker] ??= []
  }

  /** Makes the same call on both stores and expects equal answers. */
  async both<T>(ask: (store: Twin) => Promise<T>) {
    const { work, upkeep, schedules, parked } = this.t.store
    const theirs = await ask({ work, upkeep, audit: schedules.audit, parked })
    const ours = await ask({ ...this.memory, parked: this.memory.work })
    expect(plain(ours)).toEqual(plain(theirs))
    return theirs
  }

  runAt(pick: number): string | undefined {
    return this.runs[pick % Math.max(1, this.runs.length)]
  }

  /** The process has sent no heartbeat for longer than its lease. */
  async expire(worker: number): Promise<void> {
    const id = this.sessions[worker] as string
    await this.t.expire(id)
    const { db } = this.memory
    db.transact(() => {
      const session = db.sessions.get(id)
      if (session) db.sessions.set(id, { ...session, expiresMs: 0 })
    })
  }

  /** Reaps the sessions that have expired; a worker that was reaped opens another session. */
  async reapExpired(worker: number): Promise<void> {
    const expired = await this.both(
      async ({ upkeep }) => (await upkeep.expiredSessions()).sessionIds,
    )
    await this.both(({ upkeep }) => upkeep.reap(expired, CRASHES_UNTIL_QUARANTINE))
    const isReaped = !this.memory.db.sessions.has(this.sessions[worker] as string)
    if (isReaped) await this.session(worker)
  }

  /** A slot whose run was taken back may have another run. */
  async learnSlots(): Promise<void> {
    const { rows } = await this.t.sql.query(
      'select (extract(epoch from slot_at) * 1000)::float8 as ms, job_id, id from punctual.runs where slot_at is not null order by id',
    )
    for (const { ms, job_id: jobId, id } of rows) {
      if (this.#learnt.has(id)) continue
      this.#learnt.add(id)
      this.slotRuns.set(`${ms} ${jobId}`, id)
      this.runs.push(id)
    }
  }
}

const LANE = { tenantId: 1, queue: 'default', handler: 'test' }
/** Converts maps and sets to sorted lists. */
function plain(answer: unknown): unknown {
  if (answer instanceof Map) return [...answer].map(([key, value]) => `${key} ${value}`).sort()
  if (answer instanceof Set) return [...answer].sort()
  if (Array.isArray(answer)) return answer.map(plain).map(asText).sort()
  return answer
}

const asText = (value: unknown) =>
  JSON.stringify(value, (_, v) => (typeof v === 'bigint' ? String(v) : v))
