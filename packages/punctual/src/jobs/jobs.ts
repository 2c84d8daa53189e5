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
import { at } from '../submit/submit-call.ts'
import { checkedOptions } from '../tenants/checked-options.ts'
import { checkJob, checkJobFilter, checkOptional, checkSync } from './arguments.ts'
import { Calendars } from './calendars.ts'
import { type Declaration, declareStored } from './declaration.ts'
import { explainSlot } from './explain-slot.ts'
import { type JobPageOptions, pageOfJobs } from './pages.ts'
import { planSync, type SyncOptions, type SyncResult } from './sync.ts'

const SLOTS_MAX = 10_000
const DAY_MS = 86_400_000

/** The past slots to run, and at which pace. */
export interface BackfillOptions {
  /** Start of the range, inclusive. */
  from: Instant
  /** End of the range, exclusive. The range may contain up to 100,000 slots. */
  to: Instant
  /** Delay between the due times of two runs, in ms, up to one day. @default 0 */
  paceMs?: number
}

/** The slots to list. */
export interface SlotsOptions {
  /** Start of the range, inclusive. @default one day before `to` */
  from?: Instant
  /** End of the range, inclusive. @default now */
  to?: Instant
  /** The most slots to return, up to 10,000. @default 100 */
  limit?: number
}

/** `punctual.jobs`: what runs on a schedule, or once under a name. */
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

  /** Like `upsert`, for up to 10,000 jobs: all are registered, or none. */
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

  async #need(nameOrId: string) {
    const job = await this.#store.schedules.jobs.find(checkJob(nameOrId), this.#tenantId)
    return job ?? notFound(nameOrId)
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
      const job = held ?? notFound(nameOrId)
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
  delete(nameOrId: string): Promise<boolean> {
    return this.#store.schedules.steering.delete(checkJob(nameOrId), this.#tenantId)
  }

  /**
   * Stops creating runs; false when the job was paused already. Runs of future slots are withdrawn.
   * Runs of past slots (backfills, missed slots, jitter) continue.
   * @param note - The reason, shown with the paused job, up to 1,024 characters.
   * @throws `PunctualError` with `job_not_found` or `invalid_option`.
   */
  async pause(nameOrId: string, note?: string): Promise<boolean> {
    const why = checkOptional('note', note, limits.descriptionLength)
    return this.#store.schedules.steering.pause(checkJob(nameOrId), why, this.#tenantId)
  }

  /**
   * Resumes a paused job; false when it was not paused. Slots that passed during the pause are
   * skipped.
   * @throws `PunctualError` with `job_not_found`.
   */
  resume(nameOrId: string): Promise<boolean> {
    return this.#store.schedules.steering.resume(checkJob(nameOrId), this.#tenantId)
  }

  /**
   * Runs the job now, independently of its slots.
   * @param options - `payload` replaces the job's payload for this run.
   * @returns The id of the run.
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
    return this.#store.schedules.steering.skip(checkJob(nameOrId), slotMs, who, this.#tenantId)
  }

  /**
   * Runs past slots that have not run. Repeating the call runs no slot twice. Slots without a
   * decision, because no planner was running, are first decided by the job's misfire rules.
   * @throws `PunctualError` with `job_not_found`, and with `invalid_option` when the range has more
   * than 100,000 slots.
   */
  async backfill(nameOrId: string, options: BackfillOptions): Promise<BackfillResult> {
    checkedOptions(options, ['from', 'to', 'paceMs'])
    const { id } = await this.#need(nameOrId)
    const fromMs = instantOf('from', options.from)
    const toMs = Math.min(instantOf('to', options.to), this.#nowMs())
    if (toMs <= fromMs) refuseOption('to', 'later than from, and from in the past', options.to)
    const { paceMs = 0 } = options
    if (!Number.isInteger(paceMs) || paceMs < 0 || paceMs > DAY_MS)
      refuseOption('paceMs', 'an integer of milliseconds, up to a day', paceMs)
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
   * The slots of a range and their decisions, oldest first.
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
    return planSync(this.#store, declared.source, compiled, {
      ...declared.options,
      tenantId: this.#tenantId,
    })
  }

  #nowMs(): number {
    return Math.floor(this.#store.database.clock.nowMs())
  }
}

const WHENS = ['cron', 'every', 'everyAfterEnd', 'at', 'delayMs']

/** A changed schedule replaces the previous one, also when it is of another kind. */
function withChanges(declared: Declaration, changes: object): Declaration {
  const rest: Record<string, unknown> = { ...declared }
  if (WHENS.some((when) => when in changes)) for (const when of WHENS) delete rest[when]
  return { ...rest, ...changes }
}

function notFound(nameOrId: string): never {
  const message = `No job has the name or id ${JSON.stringify(nameOrId)}. \`punctual jobs list\` lists the jobs.`
  throw new PunctualError('job_not_found', message, { id: nameOrId })
}
