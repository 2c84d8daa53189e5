/** `punctual.jobs`: what runs on a schedule, or once under a name. */
import { encodeJson, type Instant, instantOf, refuseOption } from '@punctual/core/check'
import { limits, PunctualError } from '@punctual/core/errors'
import {
  type BackfillResult,
  type CompiledJob,
  compileJob,
  type Job,
  type JobDefaults,
  type JobItem,
  type JobOptions,
  type JobPage,
  type JobPageFilter,
  type JobResult,
  type JobSlot,
  type SlotExplanation,
  timingInput,
} from '@punctual/core/job'
import { type FirePreview, previewFires } from '@punctual/core/schedule'
import type { JobFilter, PostgresStore } from '@punctual/store'
import type { WriteScope } from '../audit/control-writes.ts'
import { at } from '../submit/submit-call.ts'
import { checkJob, checkJobFilter, checkOptional, checkSync } from './arguments.ts'
import { type BackfillOptions, backfill } from './backfill.ts'
import { Calendars } from './calendars.ts'
import { type CreateOptions, createJob, createJobs } from './create.ts'
import { declareStored, withChanges } from './declaration.ts'
import { explainSlot } from './explain-slot.ts'
import { jobNotFound, needJob } from './find-job.ts'
import { type JobPageOptions, pageOfJobs } from './pages.ts'
import { definitionOf, recordJob, recordPause, recordSync, recordUpsert } from './records.ts'
import {
  pageOfSlots,
  type SlotPage,
  type SlotsOptions,
  slotRangeOf,
  toJobSlot,
} from './slot-pages.ts'
import { planSync, type SyncOptions, type SyncResult } from './sync.ts'

/** `punctual.jobs`: what runs on a schedule, or once under a name. */
export class Jobs {
  readonly #scope: WriteScope
  readonly #store: PostgresStore
  readonly #defaults: JobDefaults
  readonly #tenantId: number
  /** Named sets of dates and windows that jobs refer to. */
  readonly calendars: Calendars

  /** @internal */
  constructor(scope: WriteScope, installation: JobDefaults) {
    this.#scope = scope
    this.#store = scope.store
    this.#defaults = installation
    this.#tenantId = scope.tenantId
    this.calendars = new Calendars(scope)
  }

  /**
   * Creates or updates the job with this name. An identical job changes nothing.
   * @throws `PunctualError` with `invalid_option`, `invalid_schedule`, `invalid_timezone`,
   * `never_fires` or `calendar_not_found`.
   * @example
   * ```ts
   * await punctual.jobs.upsert({
   *   name: 'nightly-report',
   *   handler: 'report',
   *   cron: '30 2 * * *',
   *   timezone: 'Europe/Berlin',
   * })
   * ```
   */
  async upsert(job: JobOptions): Promise<JobResult> {
    const [result] = await this.upsertMany([job])
    return result as JobResult
  }

  /**
   * Creates a job. The name of a one-time job that has ended is free: the new job replaces it, and
   * its runs are kept.
   * @throws `PunctualError` with `job_exists` when the name is in use, or with the errors of
   * `upsert`.
   */
  async create(job: JobOptions): Promise<JobItem> {
    const [compiled] = this.#compile([job])
    return createJob(this.#scope, compiled as CompiledJob, this)
  }

  /**
   * Creates up to 10,000 jobs, all or none.
   * @throws `PunctualError` with `job_exists` when a name is in use, or with the errors of `upsert`.
   */
  async createMany(
    jobs: readonly JobOptions[],
    options: CreateOptions = {},
  ): Promise<readonly JobItem[]> {
    return createJobs(this.#scope, this.#compile(jobs), options)
  }

  /** Like `upsert`, for up to 10,000 jobs: all are registered, or none. */
  async upsertMany(jobs: readonly JobOptions[]): Promise<readonly JobResult[]> {
    const compiled = this.#compile(jobs)
    const upsert = () => this.#store.schedules.jobs.upsert(compiled, this.#tenantId)
    return recordUpsert(this.#scope, namesOf(compiled), upsert)
  }

  #compile(jobs: readonly JobOptions[]): CompiledJob[] {
    if (!Array.isArray(jobs) || jobs.length > limits.batchSize)
      refuseOption('jobs', `a list of at most ${limits.batchSize} jobs`, jobs)
    const compile = (job: JobOptions) => compileJob(job, this.#defaults)
    const compiled =
      jobs.length === 1 ? jobs.map(compile) : jobs.map((job, i) => at(i, () => compile(job)))
    const names = new Set<string>()
    for (const { name } of compiled) {
      if (names.has(name))
        throw new PunctualError(
          'invalid_option',
          `The name ${JSON.stringify(name)} is used twice. Give each job its own name.`,
          { field: 'name' },
        )
      names.add(name)
    }
    return compiled
  }

  /** A job by its name or id, or null when there is none. */
  async get(nameOrId: string): Promise<Job | null> {
    return this.#store.schedules.jobs.find(checkJob(nameOrId), this.#tenantId)
  }

  #need(nameOrId: string) {
    return needJob(this.#store, nameOrId, this.#tenantId)
  }

  /**
   * All jobs by name, page by page: pass the last name of a page as `after` to get the next page.
   */
  async list(filter: JobFilter = {}): Promise<readonly Job[]> {
    checkJobFilter(filter)
    return this.#store.replica.read(({ jobs }) => jobs.list(filter, this.#tenantId))
  }

  /**
   * Changes some options of a job and keeps the others.
   * @param version - Applies the change only if the job still has this version.
   * @throws `PunctualError` with `job_not_found`, `version_changed`, or the errors of `upsert`.
   */
  change(
    nameOrId: string,
    changes: Partial<Omit<JobOptions, 'name'>>,
    version?: number,
  ): Promise<'updated' | 'unchanged'> {
    return this.#store.transaction(async () => {
      const held = await this.#store.schedules.steering.held(checkJob(nameOrId), this.#tenantId)
      const job = held ?? jobNotFound(nameOrId)
      if (version !== undefined && job.version !== version)
        throw new PunctualError(
          'version_changed',
          `The job ${JSON.stringify(job.name)} now has version ${job.version}, not ${version}. Read it again and change that version.`,
          { id: job.id },
        )
      const declared = withChanges(declareStored(job, this.#defaults), changes)
      const { source, createdBy } = job
      const options = { ...declared, ...(source !== null && { source }) } as unknown as JobOptions
      const { change } = await this.upsert({ ...options, ...(createdBy !== null && { createdBy }) })
      return change === 'unchanged' ? change : 'updated'
    })
  }

  /**
   * A page of jobs sorted by name, each with its status and latest run, and the number of matching
   * jobs.
   * @throws `PunctualError` with `invalid_option` or `invalid_cursor`.
   */
  async page(filter: JobPageFilter = {}, options: JobPageOptions = {}): Promise<JobPage> {
    return pageOfJobs(this.#store, filter, options, this.#tenantId)
  }

  /** A job with its status and latest run, or null when there is none. */
  async inspect(nameOrId: string): Promise<JobItem | null> {
    const job = await this.get(nameOrId)
    if (!job) return null
    const [item] = await this.#store.schedules.jobPages.find([job.id], this.#tenantId)
    return item ?? null
  }

  /**
   * Deletes a job; false when there is none. All its runs that have not started are cancelled,
   * however they were created; runs that have started continue, including their retries. The ledger
   * stays.
   */
  async delete(nameOrId: string): Promise<boolean> {
    const job = checkJob(nameOrId)
    const remove = () => this.#store.schedules.steering.delete(job, this.#tenantId)
    return recordJob(this.#scope, job, remove, (deleted, was) =>
      deleted ? { action: 'job.delete', before: definitionOf(was) } : null,
    )
  }

  /**
   * Stops creating runs; false when the job was paused already. Runs of future slots are withdrawn.
   * Runs of past slots (backfills, missed slots, jitter) continue.
   * @param note - The reason, shown with the paused job, up to 1,024 characters.
   * @throws `PunctualError` with `job_not_found` or `invalid_option`.
   */
  async pause(nameOrId: string, note?: string): Promise<boolean> {
    const why = checkOptional('note', note, limits.descriptionLength)
    const job = checkJob(nameOrId)
    const pause = () => this.#store.schedules.steering.pause(job, why, this.#tenantId)
    return recordPause(this.#scope, 'job.pause', job, pause)
  }

  /**
   * Resumes a paused job; false when it was not paused. Slots that passed during the pause are
   * skipped.
   * @throws `PunctualError` with `job_not_found`.
   */
  async resume(nameOrId: string): Promise<boolean> {
    const job = checkJob(nameOrId)
    const resume = () => this.#store.schedules.steering.resume(job, this.#tenantId)
    return recordPause(this.#scope, 'job.resume', job, resume)
  }

  /**
   * Runs the job now, independently of its slots.
   * @param options - `payload` replaces the job's payload for this run.
   * @returns The id of the run.
   * @throws `PunctualError` with `job_not_found`.
   */
  async trigger(nameOrId: string, options: { payload?: unknown } = {}): Promise<{ id: string }> {
    const job = checkJob(nameOrId)
    const given = options.payload !== undefined && { payload: options.payload }
    const bytesMax = this.#defaults.payloadBytes ?? limits.payloadBytes
    const payload = given ? encodeJson(given.payload, 'payload', bytesMax) : null
    const trigger = () => this.#store.schedules.steering.trigger(job, payload, this.#tenantId)
    const id = await recordJob(this.#scope, job, trigger, (runId) => ({
      action: 'job.trigger',
      after: { runId, ...given },
    }))
    return { id }
  }

  /**
   * The next slots and, on request, those around the next two clock changes.
   * @param options - `count`: how many, 5 by default. `from`: returns slots after this instant, now
   * by default. `aroundChanges`: adds the slots around clock changes.
   * @throws `PunctualError` with `job_not_found`.
   */
  async preview(
    nameOrId: string,
    options: { count?: number; from?: Instant; aroundChanges?: boolean } = {},
  ): Promise<FirePreview[]> {
    const job = await this.#need(nameOrId)
    const askedMs = options.from === undefined ? this.#nowMs() : instantOf('from', options.from)
    const fromMs = Math.max(askedMs, (job.startAt?.getTime() ?? 0) - 1)
    const input = timingInput(job.rules, { seed: job.id, anchorMs: job.anchorMs ?? fromMs })
    if (input === null) {
      const at = job.anchorMs === null ? null : new Date(job.anchorMs)
      return at && at.getTime() > fromMs ? [{ at, local: at.toISOString() }] : []
    }
    const { expression, tz, gap, fold, dayRule, seed, anchor } = input
    const from = new Date(fromMs)
    const fires = previewFires(expression, {
      ...{ from, tz, gap, fold, dayRule, seed, anchor, count: options.count ?? 5 },
      aroundChanges: options.aroundChanges ?? false,
    })
    const endMs = job.endAt?.getTime() ?? Number.POSITIVE_INFINITY
    return fires.filter(({ at }) => at.getTime() < endMs)
  }

  /**
   * Skips one future slot.
   * @param by - Who requests it, up to 256 characters.
   * @throws `PunctualError` with `job_not_found`, and with `slot_not_found` when the instant is not
   * a future slot of the job.
   */
  async skip(nameOrId: string, slot: Instant, by?: string): Promise<void> {
    const slotMs = instantOf('slot', slot)
    const who = checkOptional('by', by, limits.createdByLength)
    const job = checkJob(nameOrId)
    const skip = () => this.#store.schedules.steering.skip(job, slotMs, who, this.#tenantId)
    return recordJob(this.#scope, job, skip, () => ({
      action: 'job.skip',
      after: { slot, ...(by !== undefined && { by }) },
    }))
  }

  /**
   * Runs past slots that have not run. Repeating the call runs no slot twice. Slots without a
   * decision, because no planner was running, are first decided by the job's misfire rules.
   * @throws `PunctualError` with `job_not_found`, and with `invalid_option` when the range has more
   * than 100,000 slots.
   */
  async backfill(nameOrId: string, options: BackfillOptions): Promise<BackfillResult> {
    return backfill(this.#scope, nameOrId, options)
  }

  /**
   * The slots of a range and their decisions, oldest first.
   * @throws `PunctualError` with `job_not_found`.
   */
  async slots(nameOrId: string, options: SlotsOptions = {}): Promise<readonly JobSlot[]> {
    const job = await this.#need(nameOrId)
    const { fromMs, toMs, limit } = slotRangeOf(options, this.#nowMs())
    const rows = await this.#store.schedules.slots.slots(job, fromMs, toMs, limit)
    return rows.map(toJobSlot)
  }

  /**
   * A page of the slots of a range, oldest first. A page is shorter than `limit`, or even empty,
   * when one decision for many slots is stored far behind it: continue with its cursor.
   * @throws `PunctualError` with `job_not_found` or `invalid_cursor`.
   */
  async slotPage(
    nameOrId: string,
    options: SlotsOptions & { cursor?: string } = {},
  ): Promise<SlotPage> {
    const job = await this.#need(nameOrId)
    return pageOfSlots(this.#store, job, slotRangeOf(options, this.#nowMs()), options.cursor)
  }

  /**
   * Explains why the job ran, or did not run, at an instant; now by default.
   * @throws `PunctualError` with `job_not_found`.
   */
  async explain(nameOrId: string, at?: Instant): Promise<SlotExplanation> {
    const job = await this.#need(nameOrId)
    const atMs = at === undefined ? this.#nowMs() : instantOf('at', at)
    return explainSlot(this.#store, job, atMs, this.#nowMs())
  }

  /**
   * Registers the declared jobs as the jobs of a source. Never touches jobs of other sources or
   * without a source. During a rolling deploy, an older version that declares the same source does
   * not undo jobs of a newer version unless it declares them differently; only `prune` removes
   * jobs.
   * @throws `PunctualError` with `job_of_other_source` when a name belongs to another source, with
   * `invalid_option` when the source is not a valid name or an option is unknown, or with the
   * errors of `upsert`.
   */
  async sync(
    source: string,
    jobs: readonly JobOptions[],
    options: SyncOptions = {},
  ): Promise<SyncResult> {
    const declared = checkSync(source, jobs, options)
    const compiled = this.#compile(
      declared.jobs.map((job) => ({ ...job, source: declared.source })),
    )
    const { prune, dryRun } = declared.options
    const how = { prune, dryRun, tenantId: this.#tenantId }
    const sync = () => planSync(this.#store, declared.source, compiled, how)
    if (dryRun) return this.#store.transaction(sync)
    return recordSync(this.#scope, declared.source, namesOf(compiled), { prune, sync })
  }

  #nowMs(): number {
    return Math.floor(this.#store.database.clock.nowMs())
  }
}

const namesOf = (jobs: readonly CompiledJob[]) => jobs.map(({ name }) => name)
