/** Registers, changes and finds jobs. The name identifies a job; declaring it again changes it. */
import type { Random } from '@punctual/core/clock'
import { invariant, PunctualError } from '@punctual/core/errors'
import type { Quotas } from '@punctual/core/identity'
import { type CompiledJob, firstSlot, type Job, type JobResult } from '@punctual/core/job'
import { RunIdSource } from '@punctual/core/run'
import type { TimingCache } from '@punctual/core/schedule'
import type pg from 'pg'
import { findNames } from '../calendars/statements.gen.ts'
import {
  int2Array,
  int4Array,
  int4ArrayOrNull,
  int8ArrayOfNumbers,
  jsonbArray,
  textArray,
  uuidArray,
} from '../connection/binary-arrays.ts'
import type { Database } from '../connection/database.ts'
import { retrying } from '../connection/retrying.ts'
import type { LaneRegistry } from '../lanes/registry.ts'
import { encodeFlow } from '../submit/flow-keys.ts'
import type { QuotaKeeper } from '../tenants/quota-keeper.ts'
import type { JobEdits } from './edits.ts'
import type { JobTransaction } from './job-transaction.ts'
import { type JobFilter, listJobs } from './list-jobs.ts'
import { type StoredJob, toJob } from './rows.ts'
import { isSame } from './same-job.ts'
import { findJobs, insertCursors, insertJobs, listNames, updateJob } from './statements.gen.ts'
import { TimingIds } from './timing-ids.ts'

export interface JobStoreOptions {
  readonly database: Database
  readonly jobs: JobTransaction
  readonly edits: JobEdits
  readonly timings: TimingCache
  readonly quotas: QuotaKeeper
  readonly lanes: LaneRegistry
  readonly random: Random
  /** Jobs were created or changed: planners read them at once. */
  readonly onChanged: () => void
}

/** A job with the ids that it refers to, and whether this call created it. */
interface PlacedJob {
  readonly job: CompiledJob
  readonly id: string
  readonly lane: number
  readonly timing: number
  readonly isNew: boolean
  readonly quotas: Quotas
}

const BATCH = 1_000
/** How often a job that is deleted while it is changed is created again. */
const CHANGE_TRIES = 10

/** The last byte of an id is random. */
const shardOf = (id: string): number => Number.parseInt(id.slice(-2), 16)

export class JobStore {
  readonly #options: JobStoreOptions
  readonly #database: Database
  readonly #ids: RunIdSource
  readonly #timings: TimingCache
  readonly #jobs: JobTransaction
  readonly #timingIds: TimingIds

  constructor(options: JobStoreOptions) {
    this.#options = options
    this.#database = options.database
    this.#timings = options.timings
    this.#jobs = options.jobs
    this.#ids = new RunIdSource(options.random)
    this.#timingIds = new TimingIds(options.database)
  }

  /**
   * Creates jobs, or changes the existing jobs of these names. Handles them sorted by name, first
   * all new ones and then all changed ones, in any order of the list: two calls with the same
   * names then wait for each other instead of deadlocking.
   */
  async upsert(
    jobs: readonly CompiledJob[],
    tenantId: number,
    tries = CHANGE_TRIES,
  ): Promise<JobResult[]> {
    const sorted = [...jobs].sort((a, b) => (a.name < b.name ? -1 : 1))
    const placed: PlacedJob[] = []
    for (let i = 0; i < sorted.length; i += BATCH)
      placed.push(...(await this.#insertBatch(sorted.slice(i, i + BATCH), tenantId)))
    const byJob = new Map<CompiledJob, JobResult>()
    for (let i = 0; i < placed.length; i += BATCH) {
      const batch = placed.slice(i, i + BATCH)
      const changed = await this.#changeBatch(batch, tenantId, tries)
      for (const [n, result] of changed.entries()) {
        const placedJob = batch[n]
        if (placedJob) byJob.set(placedJob.job, result)
      }
    }
    const results = jobs.map((job) => {
      const result = byJob.get(job)
      invariant(result, 'every declared job has a result')
      return result
    })
    if (results.some(({ change }) => change !== 'unchanged')) this.#options.onChanged()
    return results
  }

  /**
   * Creates jobs whose names are free, all or none.
   * @throws `job_exists` with the first name that another job has
   */
  async create(jobs: readonly CompiledJob[], tenantId: number): Promise<readonly StoredJob[]> {
    const sorted = [...jobs].sort((a, b) => (a.name < b.name ? -1 : 1))
    const created = new Map<string, StoredJob>()
    for (let i = 0; i < sorted.length; i += BATCH) {
      const placed = await this.#insertBatch(sorted.slice(i, i + BATCH), tenantId)
      const taken = placed.find(({ isNew }) => !isNew)
      if (taken) throw nameTaken(taken.job.name)
      for (const job of await this.#byId(placed, tenantId)) created.set(job.name, job)
    }
    this.#options.onChanged()
    return jobs.map(({ name }) => {
      const job = created.get(name)
      invariant(job, 'a job that was created is found')
      return job
    })
  }

  async #byId(jobs: readonly { id: string }[], tenantId: number): Promise<StoredJob[]> {
    const call = findJobs(tenantId, uuidArray(jobs.map(({ id }) => id)), null)
    return (await this.#database.control.runPinned(call)).map(toJob)
  }

  /** Returns the changes that `upsert` would make. */
  async compare(jobs: readonly CompiledJob[], tenantId: number): Promise<JobResult[]> {
    const stored = await this.byName(
      jobs.map(({ name }) => name),
      tenantId,
    )
    return jobs.map((job) => {
      const { name } = job
      const found = stored.get(name)
      if (!found) return { id: '', name, change: 'created' }
      const { queue, handler, priority } = job.run
      const sameLane =
        found.queue === queue && found.handler === handler && found.priority === priority
      const sameRules = found.rulesText === job.rulesText
      const same = sameLane && sameRules && isSame(found, job, found.lane, found.timing)
      return { id: found.id, name, change: same ? 'unchanged' : 'updated' }
    })
  }

  /** Returns the jobs among these names that belong to another source, or to none. */
  async ofOtherSources(names: readonly string[], source: string, tenantId: number) {
    const stored = await this.byName(names, tenantId)
    return [...stored.values()].filter((job) => job.source !== source)
  }

  /** Returns the existing jobs, by name. */
  async byName(names: readonly string[], tenantId: number): Promise<Map<string, StoredJob>> {
    const found = new Map<string, StoredJob>()
    for (let i = 0; i < names.length; i += BATCH) {
      const call = findJobs(tenantId, null, names.slice(i, i + BATCH))
      for (const row of await this.#database.control.runPinned(call))
        found.set(row.name, toJob(row))
    }
    return found
  }

  /** Creates the jobs whose names are free. */
  async #insertBatch(jobs: readonly CompiledJob[], tenantId: number): Promise<PlacedJob[]> {
    const quotas = await this.#options.quotas.checkActive(tenantId)
    await this.#checkCalendars(jobs, tenantId)
    const timings = await this.#timingIds.intern(jobs.map(({ rulesText }) => rulesText))
    const placed = await Promise.all(
      jobs.map(async (job) => {
        const { queue, handler, priority } = job.run
        const id = this.#ids.next(this.#database.clock.nowMs())
        const lane = await this.#options.lanes.intern({ tenantId, queue, handler, priority })
        const timing = timings.get(job.rulesText)
        invariant(timing !== undefined, 'the timing rules of every job have a number')
        return { job, id, lane, timing }
      }),
    )
    const made = await retrying({ clock: this.#database.localClock, deadlineMs: 10_000 }, () =>
      this.#jobs.transaction((client) => this.#insert(client, placed, tenantId, quotas)),
    )
    return placed.map((job) => ({ ...job, isNew: made.has(job.id), quotas }))
  }

  /** Changes the jobs that already existed. */
  async #changeBatch(
    jobs: readonly PlacedJob[],
    tenantId: number,
    tries: number,
  ): Promise<JobResult[]> {
    // Most repeated declarations change nothing: one query finds these.
    const others = jobs.filter(({ isNew }) => !isNew).map(({ job }) => job.name)
    const stored = await this.byName(others, tenantId)
    const results: JobResult[] = []
    for (const { job, id, lane, timing, isNew, quotas } of jobs) {
      const { name } = job
      const found = stored.get(name)
      if (isNew) results.push({ id, name, change: 'created' })
      else if (found && isSame(found, job, lane, timing))
        results.push({ id: found.id, name, change: 'unchanged' })
      else {
        this.#options.quotas.checkJob(quotas, job, this.#timings)
        results.push(await this.#change({ job, lane, timing }, tenantId, tries))
      }
    }
    return results
  }

  async #insert(
    client: pg.Client,
    jobs: readonly { job: CompiledJob; id: string; lane: number; timing: number }[],
    tenantId: number,
    quotas: Quotas,
  ): Promise<ReadonlySet<string>> {
    const checkCount = await this.#options.quotas.holdJobs(quotas, tenantId, client)
    const compiled = jobs.map(({ job }) => job)
    const call = insertJobs(
      tenantId,
      uuidArray(jobs.map(({ id }) => id)),
      textArray(compiled.map(({ name }) => name)),
      int4Array(jobs.map(({ lane }) => lane)),
      int4Array(jobs.map(({ timing }) => timing)),
      textArray(compiled.map(({ payload }) => payload)),
      int4Array(compiled.map(({ run }) => run.timeoutMs)),
      int2Array(compiled.map(({ run }) => run.maxAttempts)),
      int2Array(compiled.map((job) => job.traits)),
      int8ArrayOfNumbers(compiled.map(({ startMs }) => startMs)),
      int4ArrayOrNull(compiled.map(({ maxRuns }) => maxRuns)),
      textArray(compiled.map(({ run }) => run.policy)),
      jsonbArray(compiled.map(({ run }) => run.labels)),
      textArray(compiled.map(({ description }) => description)),
      textArray(compiled.map(({ owner }) => owner)),
      textArray(compiled.map(({ source }) => source)),
      textArray(compiled.map(({ run }) => run.createdBy)),
      jsonbArray(compiled.map(({ flow }) => encodeFlow(tenantId, flow))),
    )
    const rows = await this.#jobs.run(client, call)
    const made = new Set(rows.map(({ id }) => id))
    const [first] = rows
    const fresh = jobs.filter(({ id }) => made.has(id))
    if (!first) return made
    for (const { job } of fresh) this.#options.quotas.checkJob(quotas, job, this.#timings)
    const nowMs = first.createdMs
    const beginnings = fresh.map(({ job, id }) => firstSlot(job, id, this.#timings, nowMs))
    beginnings.forEach(({ nextMs }, i) => {
      if (nextMs === null) throw neverFires(fresh[i]?.job.name ?? '')
    })
    const cursors = insertCursors(
      tenantId,
      uuidArray(fresh.map(({ id }) => id)),
      int8ArrayOfNumbers(beginnings.map(({ nextMs }) => nextMs)),
      int8ArrayOfNumbers(beginnings.map(({ anchorMs }) => anchorMs)),
      int8ArrayOfNumbers(fresh.map(({ job }) => job.endMs)),
      int4ArrayOrNull(fresh.map(({ job }) => job.maxRuns)),
      int4Array(fresh.map(({ timing }) => timing)),
      int2Array(fresh.map(({ id }) => shardOf(id))),
      nowMs,
    )
    await this.#jobs.run(client, cursors)
    await checkCount()
    return made
  }

  /** Makes the existing job of this name as declared, unless it already is. */
  async #change(
    { job, lane, timing }: { job: CompiledJob; lane: number; timing: number },
    tenantId: number,
    tries: number,
  ): Promise<JobResult> {
    const changed = await this.#jobs.steer(job.name, tenantId, async (client, held) => {
      const { stored, nowMs } = held
      if (isSame(stored, job, lane, timing)) return false
      const at = await this.#options.edits.place(client, held, job)
      const call = updateJob(
        ...([
          stored.id,
          lane,
          timing,
          job.payload,
          job.run.timeoutMs,
          job.run.maxAttempts,
        ] as const),
        ...([job.traits, job.startMs, job.maxRuns, job.run.policy, job.run.labels] as const),
        ...([job.description, job.owner, job.source] as const),
        ...([at.nextMs, at.anchorMs, job.endMs, at.runsLeft, nowMs] as const),
        ...([at.cursorMs, at.overMs, encodeFlow(tenantId, job.flow)] as const),
      )
      await this.#jobs.run(client, call)
      return true
    })
    if (changed === null) {
      const found = await this.find(job.name, tenantId)
      if (tries === 0 || (found && !found.hasCursor)) throw cannotChange(job.name, found)
      // Another session deleted it between our two queries.
      const [result] = await this.upsert([job], tenantId, tries - 1)
      invariant(result, 'a declared job has a result')
      return result
    }
    return { id: changed.id, name: job.name, change: changed.result ? 'updated' : 'unchanged' }
  }

  find(nameOrId: string, tenantId: number): Promise<StoredJob | null> {
    return this.#jobs.find(nameOrId, tenantId)
  }

  /** The names of the existing jobs among these ids. */
  async names(ids: readonly string[], tenantId: number): Promise<ReadonlyMap<string, string>> {
    const rows = await this.#database.control.run(listNames(tenantId, uuidArray(ids)))
    return new Map(rows.map(({ id, name }) => [id, name]))
  }

  list(filter: JobFilter, tenantId: number): Promise<Job[]> {
    return listJobs(this.#database, filter, tenantId)
  }

  async #checkCalendars(jobs: readonly CompiledJob[], tenantId: number): Promise<void> {
    const wanted = new Set(jobs.flatMap(({ rules }) => rules.calendars ?? []))
    if (wanted.size === 0) return
    const rows = await this.#database.control.run(findNames(tenantId, [...wanted]))
    const known = new Set(rows.map(({ name }) => name))
    for (const name of wanted)
      if (!known.has(name))
        throw new PunctualError(
          'calendar_not_found',
          `The calendar ${JSON.stringify(name)} does not exist. Create it first.`,
          { field: 'calendars', id: name },
        )
  }
}

function nameTaken(name: string): PunctualError {
  return new PunctualError(
    'job_exists',
    `A job named ${JSON.stringify(name)} already exists. Choose another name, or update that job.`,
    { field: 'name' },
  )
}

function neverFires(name: string): PunctualError {
  return new PunctualError(
    'never_fires',
    `The job ${JSON.stringify(name)} would never run: its schedule has no slot from now on. Check the year, startAt and endAt.`,
    { field: 'cron', id: name },
  )
}

function cannotChange(name: string, found: StoredJob | null): PunctualError {
  const job = JSON.stringify(name)
  if (found && !found.hasCursor)
    return new PunctualError(
      'cursor_missing',
      `The job ${job} has no row in punctual.cursors, so nothing plans it. Delete the job and declare it again.`,
      { id: found.id },
    )
  return new PunctualError(
    'version_changed',
    `The job ${job} was repeatedly deleted and created again while it was being declared. Declare it again when no other process does.`,
    { field: 'name' },
  )
}
