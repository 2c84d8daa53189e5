/** The planner's access to PostgreSQL. */
import type { Random } from '@punctual/core/clock'
import {
  type CalendarVersion,
  type DueJob,
  decodeRules,
  type JobRules,
  type PlannedJob,
  type SlotDecision,
  slotReasons,
} from '@punctual/core/job'
import type { DueRequest, PlannerView, PlanStore, TenantCalendars } from '@punctual/core/ports'
import { RunIdSource } from '@punctual/core/run'
import { type Calendar, parseCalendar } from '@punctual/core/schedule'
import type pg from 'pg'
import {
  booleanArray,
  int2Array,
  int4Array,
  int4ArrayOrNull,
  int8ArrayOfNumbers,
  textArray,
  uuidArray,
  uuidArrayOrNull,
} from '../connection/binary-arrays.ts'
import type { ClientPool } from '../connection/client-pool.ts'
import type { Database } from '../connection/database.ts'
import { isDataFault } from '../connection/faults.ts'
import { retrying } from '../connection/retrying.ts'
import { zoneData as ownZoneData } from '../schema/zone-data.ts'

/** Limit for any statement of a planner, after which the connection is given up. */
const DEADLINE_MS = 10_000
const SEQUENCE_LIMIT = 1 << 20
const SPECS_MAX = 1_000

export interface PlanStoreOptions {
  readonly database: Database
  readonly clientPool: ClientPool
  readonly random: Random
  /** Creates the days of these instants. */
  readonly ensureDaysOf: (instantsMs: readonly number[]) => Promise<void>
  /** Runs entered the queues of these lanes. */
  readonly onQueued: (lanes: readonly number[]) => void
  readonly pauseFailing: (jobIds: readonly string[]) => Promise<void>
  /** @default that of this process */
  readonly zoneData?: string
}

type Refused = (job: DueJob, reason: string) => Promise<void>

const numbers = (array: string | null | undefined): (number | null)[] =>
  array
    ? array
        .slice(1, -1)
        .split(',')
        .map((text) => (text === 'NULL' ? null : Number(text)))
    : []

/** The instants whose days a decision is written to: that of its slot, and that of its run. */
export function instantsOf(slot: SlotDecision): number[] {
  return slot.decision === 'run' ? [slot.slotMs, slot.dueMs] : [slot.slotMs]
}

const dueMsOf = (slot: SlotDecision): number => (slot.decision === 'run' ? slot.dueMs : slot.slotMs)

export class PostgresPlanStore implements PlanStore {
  readonly #options: PlanStoreOptions
  readonly #database: Database
  readonly #ids: RunIdSource
  readonly #specs = new Map<string, Calendar>()
  #sequence = 0

  constructor(options: PlanStoreOptions) {
    this.#options = options
    this.#database = options.database
    this.#ids = new RunIdSource(options.random)
  }

  async announcePlanner(id: string, ttlMs: number): Promise<PlannerView> {
    const { upkeep, statements } = this.#database
    const zoneData = this.#options.zoneData ?? ownZoneData
    const values = [id, ttlMs, zoneData]
    const [row] = await upkeep.pinnedOne(statements.get('plan/announce-planner'), values)
    const [nowMs, others, anyJob, newest] = row as readonly (string | null)[]
    const outdated = newest !== null && newest !== undefined && newest > zoneData
    return {
      nowMs: Number(nowMs),
      planners: [...(outdated ? [] : [id]), ...(others ? others.slice(1, -1).split(',') : [])],
      newerZoneData: outdated ? newest : null,
      anyJob: anyJob === 't',
    }
  }

  async retirePlanner(id: string): Promise<void> {
    const { upkeep, statements } = this.#database
    await upkeep.pinnedOne(statements.get('plan/retire-planner'), [id])
  }

  async dueJobs({ shards, fromMs, untilMs, limit }: DueRequest): Promise<readonly DueJob[]> {
    const { upkeep, statements } = this.#database
    const values = [int2Array(shards), fromMs, untilMs, limit]
    const [row] = await upkeep.pinnedOne(statements.get('plan/list-due-jobs'), values)
    const [ids, ...columns] = row as readonly (string | null)[]
    if (!ids) return []
    const [tenants, nexts, versions, timings, anchors, ends, left, skips, failures, ...last] =
      columns.map(numbers) as (number | null)[][] as [
        number[],
        number[],
        number[],
        number[],
        ...(number | null)[][],
      ]
    const [cursors, suspended] = last
    return ids
      .slice(1, -1)
      .split(',')
      .map((id, i) => ({
        id,
        tenantId: tenants[i] as number,
        nextMs: nexts[i] as number,
        version: versions[i] as number,
        timing: timings[i] as number,
        anchorMs: anchors?.[i] ?? null,
        endMs: ends?.[i] ?? null,
        runsLeft: left?.[i] ?? null,
        hasSkips: (skips?.[i] ?? 0) > 0,
        failures: failures?.[i] ?? 0,
        cursorMs: cursors?.[i] ?? 0,
        ...(suspended?.[i] === 1 && { suspended: true }),
      }))
  }

  async rules(timings: readonly number[]): Promise<ReadonlyMap<number, JobRules>> {
    const { upkeep, statements } = this.#database
    const rows = await upkeep.pinnedOne(statements.get('plan/list-timings'), [int4Array(timings)])
    return new Map(rows.map(([id, spec]) => [Number(id), decodeRules(spec as string)]))
  }

  async calendars(tenantIds: readonly number[]): Promise<ReadonlyMap<number, TenantCalendars>> {
    const { upkeep, statements } = this.#database
    const values = [int4Array(tenantIds)]
    const rows = await upkeep.pinnedOne(statements.get('plan/list-calendars'), values)
    const found = new Map<number, { of: Map<string, Calendar>; versions: Map<string, number> }>()
    for (const [tenant, name, version, spec] of rows) {
      const tenantId = Number(tenant)
      const known = found.get(tenantId) ?? { of: new Map(), versions: new Map() }
      known.of.set(name as string, this.#parsed(spec as string))
      known.versions.set(name as string, Number(version))
      found.set(tenantId, known)
    }
    return found
  }

  /** Caches parsed calendars: they are read often and change rarely. */
  #parsed(spec: string): Calendar {
    const known = this.#specs.get(spec)
    if (known) return known
    if (this.#specs.size >= SPECS_MAX) this.#specs.clear()
    const calendar = parseCalendar(JSON.parse(spec))
    this.#specs.set(spec, calendar)
    return calendar
  }

  async askedSkips(jobIds: readonly string[]): Promise<ReadonlyMap<string, ReadonlySet<number>>> {
    const { upkeep, statements } = this.#database
    const skips = new Map<string, Set<number>>()
    const rows = await upkeep.pinnedOne(statements.get('plan/list-skips'), [uuidArray(jobIds)])
    for (const [id, slotMs] of rows) {
      const known = skips.get(id as string)
      if (known) known.add(Number(slotMs))
      else skips.set(id as string, new Set([Number(slotMs)]))
    }
    return skips
  }

  async plan(jobs: readonly PlannedJob[], onRefused: Refused): Promise<number> {
    if (jobs.length === 0) return 0
    const sorted = [...jobs].sort((a, b) => (a.job.id < b.job.id ? -1 : 1))
    return this.#planSorted(sorted, onRefused)
  }

  async #planSorted(jobs: readonly PlannedJob[], onRefused: Refused): Promise<number> {
    const daysOf = () => jobs.flatMap(({ decisions }) => decisions.flatMap(instantsOf))
    try {
      const { accepted, lanes } = await retrying(
        {
          clock: this.#database.localClock,
          deadlineMs: 10_000,
          ensurePartitions: () => this.#options.ensureDaysOf(daysOf()),
        },
        () => this.#options.clientPool.pinned((client) => this.#transact(client, jobs)),
      )
      if (lanes.length > 0) this.#options.onQueued(lanes)
      return accepted
    } catch (error) {
      if (!isDataFault(error)) throw error
      const [only] = jobs
      if (jobs.length === 1 && only) {
        await onRefused(only.job, (error as Error).message)
        return 0
      }
      const half = jobs.length >> 1
      const first = await this.#planSorted(jobs.slice(0, half), onRefused)
      return first + (await this.#planSorted(jobs.slice(half), onRefused))
    }
  }

  /** Advances the cursors, then writes the decisions of the jobs whose cursors it advanced. */
  async #transact(client: pg.Client, given: readonly PlannedJob[]) {
    const jobs = await this.#byCurrentCalendars(client, given)
    if (jobs.length === 0) return { accepted: 0, lanes: [] }
    const [moved] = await this.#run(client, 'plan/advance-cursors', [
      uuidArray(jobs.map(({ job }) => job.id)),
      int8ArrayOfNumbers(jobs.map(({ job }) => job.nextMs)),
      int4Array(jobs.map(({ job }) => job.version)),
      int8ArrayOfNumbers(jobs.map(({ nextMs }) => nextMs)),
      int8ArrayOfNumbers(jobs.map(({ decisions }) => decisions.at(-1)?.slotMs ?? null)),
      int4ArrayOrNull(jobs.map(({ runsLeft }) => runsLeft)),
      int8ArrayOfNumbers(jobs.map(({ anchorMs }) => anchorMs)),
    ])
    const ours = numbers(moved?.[0]).map((n) => jobs[(n as number) - 1] as PlannedJob)
    const lanes = await this.write(client, ours)
    return { accepted: ours.length, lanes }
  }

  /**
   * Returns the jobs whose calendars are still the versions that were read, and locks these until
   * the commit: changes of a calendar wait. A calendar that another session is changing is not
   * waited for; its jobs are planned at a later tick.
   */
  async #byCurrentCalendars(client: pg.Client, jobs: readonly PlannedJob[]) {
    const wanted = new Map<string, { tenantId: number; name: string; version: number }>()
    const keyOf = (tenantId: number, { name, version }: CalendarVersion) =>
      `${tenantId} ${version} ${name}`
    for (const { job, calendars = [] } of jobs)
      for (const calendar of calendars)
        wanted.set(keyOf(job.tenantId, calendar), { tenantId: job.tenantId, ...calendar })
    if (wanted.size === 0) return jobs
    const keys = [...wanted.keys()].sort()
    const sorted = keys.map((key) => wanted.get(key) as CalendarVersion & { tenantId: number })
    const rows = await this.#run(client, 'plan/hold-calendars', [
      int4Array(sorted.map(({ tenantId }) => tenantId)),
      textArray(sorted.map(({ name }) => name)),
      int4Array(sorted.map(({ version }) => version)),
    ])
    const held = new Set(rows.map(([n]) => keys[Number(n) - 1]))
    return jobs.filter(({ job, calendars = [] }) =>
      calendars.every((calendar) => held.has(keyOf(job.tenantId, calendar))),
    )
  }

  /** Writes the decisions for jobs whose cursors are locked; returns the lanes of the new runs. */
  async write(client: pg.Client, jobs: readonly PlannedJob[]): Promise<number[]> {
    const rows = jobs.flatMap(({ job, decisions, computed }) =>
      decisions.map((slot) => ({ job, slot, computed })),
    )
    if (rows.length === 0) return []
    const nowMs = this.#database.clock.nowMs()
    // Sorted like the ids of the runs and like the queue: neighbouring rows share index pages. Runs
    // that are due by now keep the order of their slots, so that a missed slot starts before the
    // next one.
    const placeMs = (slot: SlotDecision) => Math.max(dueMsOf(slot), nowMs)
    rows.sort((a, b) => placeMs(a.slot) - placeMs(b.slot))
    const ids = rows.map(({ slot }) =>
      slot.decision === 'run' ? this.#ids.next(Math.max(slot.dueMs, nowMs)) : null,
    )
    const first = this.#sequence
    this.#sequence = (this.#sequence + rows.length) % SEQUENCE_LIMIT
    const queued = await this.#run(client, 'plan/insert-slots', [
      int8ArrayOfNumbers(rows.map(({ slot }) => slot.slotMs)),
      uuidArray(rows.map(({ job }) => job.id)),
      ids.includes(null) ? uuidArrayOrNull(ids) : uuidArray(ids as string[]),
      int8ArrayOfNumbers(
        rows.map(({ slot }) => (slot.fromMs === slot.slotMs ? null : slot.fromMs)),
      ),
      int4Array(rows.map(({ slot }) => slot.slots)),
      int4Array(rows.map(({ job }) => job.tenantId)),
      int2Array(rows.map(({ slot }) => slotReasons[slot.reason])),
      int8ArrayOfNumbers(rows.map(({ slot }) => (slot.decision === 'run' ? slot.dueMs : null))),
      first,
      booleanArray(rows.map(({ computed }) => computed)),
    ])
    return queued.map(([lane]) => Number(lane))
  }

  async #run(client: pg.Client, path: string, values: unknown[]): Promise<(string | null)[][]> {
    const { name, text } = this.#database.statement(path)
    const query = { text, values, rowMode: 'array' as const, query_timeout: DEADLINE_MS }
    const named = this.#database.prepared ? { ...query, name } : query
    return (await client.query(named)).rows
  }

  pauseFailing(jobIds: readonly string[]): Promise<void> {
    return this.#options.pauseFailing(jobIds)
  }

  async setAside(job: DueJob, reason: string): Promise<void> {
    const { upkeep, statements } = this.#database
    const values = [job.id, job.version, reason.slice(0, 1_000)]
    await upkeep.pinnedOne(statements.get('plan/set-aside'), values)
  }
}
