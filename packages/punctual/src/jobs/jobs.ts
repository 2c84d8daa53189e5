/** `punctual.jobs`: what runs again and again, or once under a name. */
import { encodeJson, type Instant, instantOf, refuseOption } from '@punctual/core/check'
import { limits, PunctualError } from '@punctual/core/errors'
import {
  type CompiledJob,
  compileJob,
  type Job,
  type JobDefaults,
  type JobItem,
  type JobOptions,
  type JobPage,
  type JobPageFilter,
  type SlotReason,
  timingInput,
} from '@punctual/core/job'
import { type FirePreview, previewFires } from '@punctual/core/schedule'
import type { BackfillResult, JobFilter, JobResult, PostgresStore } from '@punctual/store'
import { at } from '../submit/submit-call.ts'
import { checkedOptions } from '../tenants/checked-options.ts'
import { checkJob, checkJobFilter, checkOptional, checkSync } from './arguments.ts'
import { Calendars } from './calendars.ts'
import { type Declaration, declareStored } from './declaration.ts'
import { explainSlot, type SlotExplanation } from './explain-slot.ts'
import { type JobPageOptions, pageOfJobs } from './pages.ts'
import { planSync, type SyncOptions, type SyncResult } from './sync.ts'

const SLOTS_MAX = 10_000
const DAY_MS = 86_400_000

/** Which slots of the past are run, and how fast. */
export interface BackfillOptions {
  /** The first moment of the range. */
  from: Instant
  /** The end of the range, not included. Up to 100,000 slots may lie in it. */
  to: Instant
  /** The pause between two runs. @default 0 */
  paceMs?: number
}

/** Which slots are listed. */
export interface SlotsOptions {
  /** The first moment of the range. @default a day before `to` */
  from?: Instant
  /** The end of the range. @default now */
  to?: Instant
  /** Up to 10,000. @default 100 */
  limit?: number
}

/** A slot of the ledger; `decision` is null where one is missing. */
export interface JobSlot {
  /** The slot; of a range, the last one. */
  readonly slotAt: Date
  /** The first slot of the range; null when it is the only one. */
  readonly fromAt: Date | null
  /** How many slots it stands for. */
  readonly slots: number
  /** Whether it became a run; null when nothing was decided. */
  readonly decision: 'run' | 'skip' | null
  /** Why it did, or did not. */
  readonly reason: SlotReason | null
  /** The run that it became; null when it became none. */
  readonly runId: string | null
  /** When that was decided. */
  readonly decidedAt: Date | null
}

/** `punctual.jobs`: what runs again and again, or once under a name. */
export class Jobs {
  readonly #store: PostgresStore
  readonly #defaults: JobDefaults
  readonly #tenantId: number
  /** Named sets of dates and windows that jobs refer to. */
  readonly calendars: Calendars

  /** @internal */
  constructor(store: PostgresStore, installation: JobDefaults, tenantId: number) {
    this.#store = store
    this.#defaults = installation
    this.#tenantId = tenantId
    this.calendars = new Calendars(store, tenantId)
  }

  /**
   * Registers a job, or changes the one of this name. The same job again changes nothing.
   * @throws `PunctualError` with `invalid_option`, `invalid_schedule`, `invalid_timezone`, `never_fires` or
   * `calendar_not_found`.
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

  /** As `upsert`, for up to 10,000 jobs: all are registered, or none. */
  async upsertMany(jobs: readonly JobOptions[]): Promise<readonly JobResult[]> {
    if (!Array.isArray(jobs) || jobs.length > limits.batchSize)
      refuseOption('jobs', `a list of at most ${limits.batchSize} jobs`, jobs)
    return this.#store.schedules.jobs.upsert(this.#compile(jobs), this.#tenantId)
  }

  #compile(jobs: readonly JobOptions[]): CompiledJob[] {
    const compile = (job: JobOptions) => compileJob(job, this.#defaults)
    const compiled =
      jobs.length === 1 ? jobs.map(compile) : jobs.map((job, i) => at(i, () => compile(job)))
    const names = new Set<string>()
    for (const { name } of compiled) {
      if (names.has(name))
        throw new PunctualError(
          'invalid_option',
          `The name ${JSON.stringify(name)} is given twice. Give each job its own name.`,
          { field: 'name' },
        )
      names.add(name)
    }
    return compiled
  }

  /** A job by its name or id, or null. */
  async get(nameOrId: string): Promise<Job | null> {
    return this.#store.schedules.jobs.find(checkJob(nameOrId), this.#tenantId)
  }

  async #need(nameOrId: string) {
    const job = await this.#store.schedules.jobs.find(checkJob(nameOrId), this.#tenantId)
    return job ?? notFound(nameOrId)
  }

  /** All jobs by name, a page at a time: give the last name of a page as `after` to get the next. */
  async list(filter: JobFilter = {}): Promise<readonly Job[]> {
    checkJobFilter(filter)
    return this.#store.replica.read(({ jobs }) => jobs.list(filter, this.#tenantId))
  }

  /**
   * Changes some of a job, and leaves the rest as it is.
   * @param version - Only if it is still this version of it.
   * @throws `PunctualError` with `job_not_found`, `version_changed`, or what `upsert` throws.
   */
  change(
    nameOrId: string,
    changes: Partial<Omit<JobOptions, 'name'>>,
    version?: number,
  ): Promise<'updated' | 'unchanged'> {
    return this.#store.transaction(async () => {
      const held = await this.#store.schedules.steering.held(checkJob(nameOrId), this.#tenantId)
      const job = held ?? notFound(nameOrId)
      if (version !== undefined && job.version !== version)
        throw new PunctualError(
          'version_changed',
          `The job ${JSON.stringify(job.name)} is version ${job.version} by now, not ${version}. Look at it again, and change that.`,
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
   * A page of jobs by name, each with its status and its latest run, and how many match.
   * @throws `PunctualError` with `invalid_option` or `invalid_cursor`.
   */
  async page(filter: JobPageFilter = {}, options: JobPageOptions = {}): Promise<JobPage> {
    return pageOfJobs(this.#store, filter, options, this.#tenantId)
  }

  /** A job with its status and its latest run, or null. */
  async inspect(nameOrId: string): Promise<JobItem | null> {
    const job = await this.get(nameOrId)
    if (!job) return null
    const [item] = await this.#store.schedules.jobPages.find([job.id], this.#tenantId)
    return item ?? null
  }

  /**
   * Removes a job; false when there is none. All of its runs that have not started are cancelled, however they were
   * made; what runs, or is to be tried again, goes on. The ledger stays.
   */
  delete(nameOrId: string): Promise<boolean> {
    return this.#store.schedules.steering.delete(checkJob(nameOrId), this.#tenantId)
  }

  /**
   * Makes no more runs of it; false when it was paused already. Runs of slots ahead are taken back. Those that were
   * decided for slots of the past (backfills, missed slots, jitter) go on.
   * @param note - Why, for those who find it paused, in up to 1,024 characters.
   * @throws `PunctualError` with `job_not_found` or `invalid_option`.
   */
  async pause(nameOrId: string, note?: string): Promise<boolean> {
    const why = checkOptional('note', note, limits.descriptionLength)
    return this.#store.schedules.steering.pause(checkJob(nameOrId), why, this.#tenantId)
  }

  /**
   * Goes on; false when it was not paused. Slots that passed meanwhile are skipped.
   * @throws `PunctualError` with `job_not_found`.
   */
  resume(nameOrId: string): Promise<boolean> {
    return this.#store.schedules.steering.resume(checkJob(nameOrId), this.#tenantId)
  }

  /**
   * Runs it now, apart from its slots.
   * @param options - `payload` stands in for that of the job.
   * @returns the id of the run.
   * @throws `PunctualError` with `job_not_found`.
   */
  async trigger(nameOrId: string, options: { payload?: unknown } = {}): Promise<{ id: string }> {
    const payload =
      options.payload === undefined
        ? null
        : encodeJson(options.payload, 'payload', this.#defaults.payloadBytes ?? limits.payloadBytes)
    return {
      id: await this.#store.schedules.steering.trigger(checkJob(nameOrId), payload, this.#tenantId),
    }
  }

  /**
   * The next slots, and on request those around the next two changes of the clocks.
   * @param options - `count`: how many, 5 unless said. `from`: those after this moment, which is now unless said.
   * `aroundChanges`: also those around changes of the clocks.
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
    const { expression, tz, gap, fold: overlap, dayRule, seed, anchor } = input
    const from = new Date(fromMs)
    const fires = previewFires(expression, {
      ...{ from, tz, gap, fold: overlap, dayRule, seed, anchor, count: options.count ?? 5 },
      aroundChanges: options.aroundChanges ?? false,
    })
    const endMs = job.endAt?.getTime() ?? Number.POSITIVE_INFINITY
    return fires.filter(({ at }) => at.getTime() < endMs)
  }

  /**
   * One slot ahead is not to run.
   * @param by - Who asks for it, in up to 256 characters.
   * @throws `PunctualError` with `job_not_found`, and with `slot_not_found` when the instant is no slot that is still
   * ahead.
   */
  async skip(nameOrId: string, slot: Instant, by?: string): Promise<void> {
    const slotMs = instantOf('slot', slot)
    const who = checkOptional('by', by, limits.createdByLength)
    return this.#store.schedules.steering.skip(checkJob(nameOrId), slotMs, who, this.#tenantId)
  }

  /**
   * Runs slots of the past that have not run; asking again runs none twice. What passed without a decision, because no
   * planner was running, is decided first, by the misfire rules of the job.
   * @throws `PunctualError` with `job_not_found`, and with `invalid_option` when there are more than 100,000 slots in
   * the range.
   */
  async backfill(nameOrId: string, options: BackfillOptions): Promise<BackfillResult> {
    checkedOptions(options, ['from', 'to', 'paceMs'])
    const { id } = await this.#need(nameOrId)
    const fromMs = instantOf('from', options.from)
    const toMs = Math.min(instantOf('to', options.to), this.#nowMs())
    if (toMs <= fromMs) refuseOption('to', 'later than from, and from in the past', options.to)
    const { paceMs = 0 } = options
    if (!Number.isInteger(paceMs) || paceMs < 0 || paceMs > DAY_MS)
      refuseOption('paceMs', 'whole milliseconds up to a day', paceMs)
    const { slots, steering } = this.#store.schedules
    const untilMs = Math.min(toMs - 1, await steering.decidePassed(id, this.#tenantId))
    const job = await this.#need(id)
    const wanted = slots.backfillable(job, fromMs, untilMs, limits.slotsPerBackfill + 1)
    if (wanted.length > limits.slotsPerBackfill)
      refuseOption('from', `a range of at most ${limits.slotsPerBackfill} slots`, options.from)
    const ran = await slots.ran(job, wanted)
    return steering.backfill(id, wanted, ran, paceMs, this.#tenantId)
  }

  /**
   * What was decided for its slots, oldest first.
   * @throws `PunctualError` with `job_not_found`.
   */
  async slots(nameOrId: string, options: SlotsOptions = {}): Promise<readonly JobSlot[]> {
    const job = await this.#need(nameOrId)
    const toMs = options.to === undefined ? this.#nowMs() : instantOf('to', options.to)
    const fromMs = options.from === undefined ? toMs - DAY_MS : instantOf('from', options.from)
    const { limit = 100 } = options
    if (!Number.isInteger(limit) || limit < 1 || limit > SLOTS_MAX)
      refuseOption('limit', `an integer from 1 to ${SLOTS_MAX}`, limit)
    const rows = await this.#store.schedules.slots.slots(job, fromMs, toMs, limit)
    return rows.map(({ slotMs, slot }) => ({
      slotAt: new Date(slotMs),
      fromAt: slot?.fromAt ?? null,
      slots: slot?.slots ?? 1,
      decision: slot?.decision ?? null,
      reason: slot?.reason ?? null,
      runId: slot?.runId ?? null,
      decidedAt: slot?.decidedAt ?? null,
    }))
  }

  /**
   * Why it ran, or did not, at an instant; now unless said.
   * @throws `PunctualError` with `job_not_found`.
   */
  async explain(nameOrId: string, at?: Instant): Promise<SlotExplanation> {
    const job = await this.#need(nameOrId)
    const atMs = at === undefined ? this.#nowMs() : instantOf('at', at)
    return explainSlot(this.#store, job, atMs, this.#nowMs())
  }

  /**
   * Makes the jobs of a source those that are declared. Jobs of other sources, and those without one, are never
   * touched. An older version that declares the same source during a rolling deploy does not undo what a newer one
   * made unless it declares it differently; only `prune` removes.
   * @throws `PunctualError` with `job_of_other_source` when a name belongs to another source, with `invalid_option`
   * when the source is no name or an option is unknown, or what `upsert` throws.
   */
  async sync(
    source: string,
    jobs: readonly JobOptions[],
    options: SyncOptions = {},
  ): Promise<SyncResult> {
    const of = checkSync(source, jobs, options)
    const compiled = this.#compile(of.jobs.map((job) => ({ ...job, source: of.source })))
    return planSync(this.#store, of.source, compiled, { ...of.options, tenantId: this.#tenantId })
  }

  #nowMs(): number {
    return Math.floor(this.#store.database.clock.nowMs())
  }
}

const WHENS = ['cron', 'every', 'everyAfterEnd', 'at', 'delayMs']

/** Another way to say when takes the place of the one before. */
function withChanges(declared: Declaration, changes: object): Declaration {
  const rest: Record<string, unknown> = { ...declared }
  if (WHENS.some((when) => when in changes)) for (const when of WHENS) delete rest[when]
  return { ...rest, ...changes }
}

function notFound(nameOrId: string): never {
  const message = `There is no job ${JSON.stringify(nameOrId)}. \`punctual jobs list\` shows those there are.`
  throw new PunctualError('job_not_found', message, { id: nameOrId })
}
