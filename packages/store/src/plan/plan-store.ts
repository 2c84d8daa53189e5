/** The planner's access to PostgreSQL. */
import { invariant } from '@punctual/core/errors'
import {
  type CalendarVersion,
  type DueJob,
  decodeRules,
  type JobRules,
  type PlannedJob,
} from '@punctual/core/job'
import type { DueRequest, PlannerView, PlanStore, TenantCalendars } from '@punctual/core/ports'
import type pg from 'pg'
import {
  int2Array,
  int4Array,
  int4ArrayOrNull,
  int8ArrayOfNumbers,
  textArray,
  uuidArray,
} from '../connection/binary-arrays.ts'
import type { ClientPool } from '../connection/client-pool.ts'
import type { Database } from '../connection/database.ts'
import { isDataFault } from '../connection/faults.ts'
import { retrying } from '../connection/retrying.ts'
import { zoneData as ownZoneData } from '../schema/zone-data.ts'
import { DEADLINE_MS, instantsOf, type PlanWriter } from './plan-writer.ts'
import {
  advanceCursors,
  announcePlanner,
  holdCalendars,
  type ListDueJobsRow,
  listDueJobs,
  listTimings,
  retirePlanner,
  setAside,
} from './statements.gen.ts'

export interface PlanStoreOptions {
  readonly database: Database
  readonly clientPool: ClientPool
  readonly writer: PlanWriter
  /** Creates the days of these instants. */
  readonly ensureDaysOf: (instantsMs: readonly number[]) => Promise<void>
  /** Runs entered the queues of these lanes. */
  readonly onQueued: (lanes: readonly number[]) => void
  readonly pauseFailing: (jobIds: readonly string[]) => Promise<void>
  /** @default that of this process */
  readonly zoneData?: string | undefined
}

type Refused = (job: DueJob, reason: string) => Promise<void>

export class PostgresPlanStore implements PlanStore {
  readonly #options: PlanStoreOptions
  readonly #database: Database

  constructor(options: PlanStoreOptions) {
    this.#options = options
    this.#database = options.database
  }

  async announcePlanner(id: string, ttlMs: number): Promise<PlannerView> {
    const zoneData = this.#options.zoneData ?? ownZoneData
    const [row] = await this.#database.upkeep.runPinned(announcePlanner(id, ttlMs, zoneData))
    invariant(row, 'announcing a planner returns one row')
    const { nowMs, others, anyJob, newest } = row
    const newerZoneData = newest !== null && newest > zoneData ? newest : null
    const planners = [...(newerZoneData === null ? [id] : []), ...(others ?? [])]
    return { nowMs, planners, newerZoneData, anyJob }
  }

  async retirePlanner(id: string): Promise<void> {
    await this.#database.upkeep.runPinned(retirePlanner(id))
  }

  async dueJobs({ shards, fromMs, untilMs, limit }: DueRequest): Promise<readonly DueJob[]> {
    const call = listDueJobs(int2Array(shards), fromMs, untilMs, limit)
    const [columns] = await this.#database.upkeep.runPinned(call)
    invariant(columns, 'the due jobs are one row')
    return toDueJobs(columns)
  }

  async rules(timings: readonly number[]): Promise<ReadonlyMap<number, JobRules>> {
    const rows = await this.#database.upkeep.runPinned(listTimings(int4Array(timings)))
    return new Map(rows.map(({ id, spec }) => [id, decodeRules(spec)]))
  }

  calendars(
    names: ReadonlyMap<number, ReadonlySet<string>>,
  ): Promise<ReadonlyMap<number, TenantCalendars>> {
    return this.#options.writer.calendars.read(names)
  }

  askedSkips(jobIds: readonly string[]): Promise<ReadonlyMap<string, ReadonlySet<number>>> {
    return this.#options.writer.askedSkips(jobIds)
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
        await onRefused(only.job, error instanceof Error ? error.message : String(error))
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
    const call = advanceCursors(
      uuidArray(jobs.map(({ job }) => job.id)),
      int8ArrayOfNumbers(jobs.map(({ job }) => job.nextMs)),
      int4Array(jobs.map(({ job }) => job.version)),
      int8ArrayOfNumbers(jobs.map(({ nextMs }) => nextMs)),
      int8ArrayOfNumbers(jobs.map(({ decisions }) => decisions.at(-1)?.slotMs ?? null)),
      int4ArrayOrNull(jobs.map(({ runsLeft }) => runsLeft)),
      int8ArrayOfNumbers(jobs.map(({ anchorMs }) => anchorMs)),
    )
    const [moved] = await this.#database.runPrepared(client, call, DEADLINE_MS)
    const ours = (moved?.positions ?? []).flatMap((n) => jobs[n - 1] ?? [])
    const lanes = await this.#options.writer.write(client, ours)
    return { accepted: ours.length, lanes }
  }

  /**
   * Returns the jobs whose calendars are still the versions that were read, and locks these until
   * the commit: changes of a calendar wait. A calendar that another session is changing is not
   * waited for; its jobs are planned at a later tick.
   */
  async #byCurrentCalendars(client: pg.Client, jobs: readonly PlannedJob[]) {
    const wanted = new Map<string, CalendarVersion & { readonly tenantId: number }>()
    const keyOf = (tenantId: number, { name, version }: CalendarVersion) =>
      `${tenantId} ${version} ${name}`
    for (const { job, calendars = [] } of jobs)
      for (const calendar of calendars)
        wanted.set(keyOf(job.tenantId, calendar), { tenantId: job.tenantId, ...calendar })
    if (wanted.size === 0) return jobs
    const sorted = [...wanted].sort(([a], [b]) => (a < b ? -1 : 1))
    const call = holdCalendars(
      int4Array(sorted.map(([, { tenantId }]) => tenantId)),
      textArray(sorted.map(([, { name }]) => name)),
      int4Array(sorted.map(([, { version }]) => version)),
    )
    const rows = await this.#database.runPrepared(client, call, DEADLINE_MS)
    const held = new Set(rows.map(({ n }) => sorted[n - 1]?.[0]))
    return jobs.filter(({ job, calendars = [] }) =>
      calendars.every((calendar) => held.has(keyOf(job.tenantId, calendar))),
    )
  }

  pauseFailing(jobIds: readonly string[]): Promise<void> {
    return this.#options.pauseFailing(jobIds)
  }

  async setAside(job: DueJob, reason: string): Promise<void> {
    const call = setAside(job.id, job.version, reason.slice(0, 1_000))
    await this.#database.upkeep.runPinned(call)
  }
}

/** One array a column instead of one row a job: a planner reads thousands of jobs a second. */
function toDueJobs(columns: ListDueJobsRow): DueJob[] {
  const { jobIds, tenants, nextMs, versions, timings, runsLeft, askedSkips, failures } = columns
  const { anchorsMs, endsMs, cursorsMs, suspended } = columns
  return (jobIds ?? []).map((id, i) => ({
    id,
    tenantId: at(tenants, i),
    nextMs: at(nextMs, i),
    version: at(versions, i),
    timing: at(timings, i),
    anchorMs: at(anchorsMs, i),
    endMs: at(endsMs, i),
    runsLeft: at(runsLeft, i),
    hasSkips: at(askedSkips, i) > 0,
    failures: at(failures, i),
    cursorMs: at(cursorsMs, i),
    suspended: at(suspended, i) === 1,
  }))
}

function at<T>(column: readonly T[] | null, i: number): T {
  const value = column?.[i]
  invariant(value !== undefined, 'each job has a value in each column')
  return value
}
