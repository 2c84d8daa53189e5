/** `punctual.deadLetters`: lists, replays and discards runs that died. */
import { checkText, encodeJson, refuseOption } from '@punctual/core/check'
import {
  type CompiledDeadLetterFilter,
  compileDeadLetterFilter,
  type DeadLetter,
  type DeadLetterCause,
  type DeadLetterDetails,
  type DeadLetterFilter,
  type DeadLetterState,
  type DiscardManyResult,
  deadLetterStateOf,
  isEmptyFilter,
  type ReplayManyResult,
  type ReplayResult,
} from '@punctual/core/dead-letter'
import { limits, PunctualError } from '@punctual/core/errors'
import { type FinishedRun, isRunId } from '@punctual/core/run'
import type { OpenTransaction, PageOfDeadLetters, PostgresStore } from '@punctual/store'
import type { WriteScope } from '../audit/control-writes.ts'
import { type HandlingOptions, handledBy } from '../runs/handling.ts'
import { idOf, type RunReference } from '../runs/reference.ts'
import { recordDeadLetter, recordDeadLetters } from './records.ts'
import {
  checkManyOptions,
  type ManyOptions,
  type ReplayManyOptions,
  replayMany,
} from './replay-many.ts'

const LIST_MAX = 1_000
const LOG_LINES = 100
const DISCARD_BATCH = 500
const REPLAY_BATCH = 500

/** Which dead letters to read, and how many. */
export interface DeadLetterPage extends DeadLetterFilter {
  /** Whether they have been handled: replayed or discarded. @default 'open' */
  state?: DeadLetterState
  /** The most entries to return, up to 1,000. @default 50 */
  limit?: number
}

/** A page of the list of dead letters. */
export interface DeadLetterListOptions extends DeadLetterPage {
  /** Only dead letters after this one: pass the last one of a page to get the next page. */
  after?: RunReference
}

/** Options of `replay`. */
export interface ReplayOptions extends HandlingOptions {
  /** Replaces the payload of the new run; the dead run keeps its own. */
  payload?: unknown
  /** Continues from the dead run's last checkpoint, if it has one. @default false */
  fromCheckpoint?: boolean
}

/** `punctual.deadLetters`: lists, replays and discards runs that died. */
export class DeadLetters {
  readonly #scope: WriteScope
  readonly #store: PostgresStore
  readonly #payloadBytes: number
  readonly #tenantId: number

  /** @internal */
  constructor(scope: WriteScope, payloadBytes: number) {
    this.#scope = scope
    this.#store = scope.store
    this.#payloadBytes = payloadBytes
    this.#tenantId = scope.tenantId
  }

  /** Dead letters, the latest death first; only open ones by default. */
  async list(options: DeadLetterListOptions = {}): Promise<DeadLetter[]> {
    const found: DeadLetter[] = []
    const { limit } = page(options)
    let after = options.after
    do {
      const part = await this.page({
        ...options,
        limit: limit - found.length,
        ...(after !== undefined && { after }),
      })
      found.push(...part.deadLetters)
      after = part.next ?? undefined
    } while (after !== undefined && found.length < limit)
    return found
  }

  /**
   * As many as a response may carry: the page may be shorter than `limit` although others follow.
   * @internal
   */
  async page(options: DeadLetterListOptions): Promise<PageOfDeadLetters> {
    const filter = await this.#filter(options, ['state', 'limit', 'after'])
    const after = options.after === undefined ? null : idOf(options.after)
    const range = { ...page(options), after }
    return this.#store.replica.read(({ deadLetters: letters }) =>
      letters.page(filter, range, this.#tenantId),
    )
  }

  /** Dead letters grouped by cause (the same fingerprint), the largest group first. */
  async causes(options: DeadLetterPage = {}): Promise<DeadLetterCause[]> {
    const filter = await this.#filter(options, ['state', 'limit'])
    const range = page(options)
    return this.#store.replica.read(({ deadLetters: letters }) =>
      letters.causes(filter, range, this.#tenantId),
    )
  }

  /** A dead letter with its run, log and checkpoint, or null when there is none. */
  async get(deadLetter: RunReference): Promise<DeadLetterDetails | null> {
    const id = idOf(deadLetter)
    const [[found], run, log, checkpoint] = await Promise.all([
      this.#store.deadLetters.find([id], this.#tenantId),
      this.#store.runs.find(id, this.#tenantId),
      this.#store.runs.lastLogs(id, LOG_LINES, this.#tenantId),
      this.#store.deadLetters.checkpoint(id),
    ])
    if (!found || !run) return null
    return {
      ...found,
      run: run as FinishedRun,
      log,
      checkpoint: checkpoint === null ? null : JSON.parse(checkpoint),
    }
  }

  /**
   * Creates a new run from a dead one, due now. The dead run stays unchanged; each of the two
   * refers to the other.
   * @throws `PunctualError` with `dead_letter_not_found` when there is no such dead letter.
   */
  async replay(deadLetter: RunReference, options: ReplayOptions = {}): Promise<ReplayResult> {
    const id = idOf(deadLetter)
    const payload =
      options.payload === undefined
        ? null
        : encodeJson(options.payload, 'payload', this.#payloadBytes)
    const { fromCheckpoint = false } = options
    if (typeof fromCheckpoint !== 'boolean')
      refuseOption('fromCheckpoint', 'true or false', fromCheckpoint)
    const how = { ...handledBy(options), fromCheckpoint }
    const replay = async (transaction: OpenTransaction | null) => {
      const { deadLetterSteering } = this.#store
      const requests = [{ id, payload }]
      const [answer] = await deadLetterSteering.replay(requests, how, this.#tenantId, transaction)
      return answer && answer.result !== 'not_found' ? answer : this.#notFound(id)
    }
    return recordDeadLetter(this.#scope, id, replay, (answer) => {
      if (answer.result !== 'replayed') return null
      const { payload, fromCheckpoint, by, note } = options
      const after = { replayedAs: answer.id, payload, fromCheckpoint, by }
      return { action: 'dead_letter.replay', after, note }
    })
  }

  /**
   * Replays these dead letters in batches of 500; each batch succeeds or fails as a whole. Results
   * come in the order of the input; ids without a dead letter have no result.
   */
  async replayEach(
    deadLetters: readonly RunReference[],
    options: HandlingOptions & { fromCheckpoint?: boolean } = {},
  ): Promise<readonly ReplayResult[]> {
    const { note, by, fromCheckpoint } = options
    const entry = {
      action: 'dead_letter.replay_many',
      request: { ids: deadLetters.map(idOf), fromCheckpoint, by },
      note,
      summarise: (answers: readonly ReplayResult[]) => ({
        requested: deadLetters.length,
        replayed: answers.filter(({ result }) => result === 'replayed').length,
      }),
    } as const
    return recordDeadLetters(this.#scope, entry, () => this.#replayEach(deadLetters, options))
  }

  async #replayEach(
    deadLetters: readonly RunReference[],
    options: HandlingOptions & { fromCheckpoint?: boolean },
  ): Promise<readonly ReplayResult[]> {
    const ids = deadLetters.map(idOf)
    const how = { ...handledBy(options), fromCheckpoint: options.fromCheckpoint === true }
    const { transaction } = this.#store.database.ambient
    const answers: ReplayResult[] = []
    for (let i = 0; i < ids.length; i += REPLAY_BATCH) {
      const requests = ids.slice(i, i + REPLAY_BATCH).map((id) => ({ id, payload: null }))
      for (const answer of await this.#store.deadLetterSteering.replay(
        requests,
        how,
        this.#tenantId,
        transaction,
      ))
        if (answer.result !== 'not_found') answers.push(answer)
    }
    return answers
  }

  /**
   * Replays the open dead letters that match a filter, the earliest death first, at a pace. This
   * process drives the replay: if it ends, the rest stays open. Runs that die meanwhile, replays
   * included, are not replayed.
   * @example
   * ```ts
   * const { replayed, stopped } = await punctual.deadLetters.replayMany(
   *   { handler: 'send-email' },
   *   { perSecond: 20, canary: 5, stopAtFailureRate: 0.1 },
   * )
   * ```
   */
  async replayMany(
    filter: DeadLetterFilter,
    options: ReplayManyOptions = {},
  ): Promise<ReplayManyResult> {
    const { dryRun, limit, all, note, by, fromCheckpoint } = options
    const entry = {
      action: 'dead_letter.replay_many',
      request: { filter, limit, all, fromCheckpoint, by },
      note,
      summarise: ({ runIds: _, ...counts }: ReplayManyResult) => counts,
    } as const
    const work = () => this.#replayMany(filter, options)
    return dryRun ? work() : recordDeadLetters(this.#scope, entry, work)
  }

  async #replayMany(
    filter: DeadLetterFilter,
    options: ReplayManyOptions,
  ): Promise<ReplayManyResult> {
    const compiled = await this.#filterOfMany(filter, options)
    return replayMany(this.#store, compiled, options, {
      ...handledBy(options),
      tenantId: this.#tenantId,
    })
  }

  /**
   * Closes a dead letter without running it again.
   * @param options - `reason`: stored with the dead letter, up to 1,024 characters; `by`: who
   * discards it.
   * @throws `PunctualError` with `dead_letter_not_found` when there is no such dead letter.
   */
  async discard(
    deadLetter: RunReference,
    options: { reason: string; by?: string },
  ): Promise<'discarded' | 'already_handled'> {
    const id = idOf(deadLetter)
    const how = handledBy(reasonOf(options))
    const discard = async (transaction: OpenTransaction | null) => {
      const { deadLetterSteering } = this.#store
      const discarded = await deadLetterSteering.discard([id], how, this.#tenantId, transaction)
      if (discarded.has(id)) return 'discarded'
      const [found] = await this.#store.deadLetters.find([id], this.#tenantId)
      return found ? 'already_handled' : this.#notFound(id)
    }
    const { by, reason } = options
    const after = { discarded: true, by }
    return recordDeadLetter(this.#scope, id, discard, (result) =>
      result === 'discarded' ? { action: 'dead_letter.discard', after, note: reason } : null,
    )
  }

  /**
   * Discards the open dead letters that match a filter, the earliest death first, in batches.
   * @param options - `reason`: stored with each, up to 1,024 characters; `by`: who discards them.
   */
  async discardMany(
    filter: DeadLetterFilter,
    options: ManyOptions & { reason: string; by?: string },
  ): Promise<DiscardManyResult> {
    const { dryRun, limit, all, reason, by } = options
    const entry = {
      action: 'dead_letter.discard_many',
      request: { filter, limit, all, by },
      note: reason,
      summarise: (counts: DiscardManyResult) => counts,
    } as const
    const work = () => this.#discardMany(filter, options)
    return dryRun ? work() : recordDeadLetters(this.#scope, entry, work)
  }

  async #discardMany(
    filter: DeadLetterFilter,
    options: ManyOptions & { reason: string; by?: string },
  ): Promise<DiscardManyResult> {
    const how = handledBy(reasonOf(options))
    const compiled = await this.#filterOfMany(filter, options)
    const { limit, dryRun } = checkManyOptions(options)
    const { deadLetters: letters, deadLetterSteering, database } = this.#store
    const { transaction } = database.ambient
    const count = await letters.count(compiled, this.#tenantId)
    let discarded = 0
    let checked = 0
    let after: string | null = null
    while (!dryRun && checked < limit && !options.signal?.aborted) {
      const most = Math.min(DISCARD_BATCH, limit - checked)
      const ids: string[] = await letters.pick(compiled, count, after, most, this.#tenantId)
      if (ids.length === 0) break
      const done = await deadLetterSteering.discard(ids, how, this.#tenantId, transaction)
      discarded += done.size
      checked += ids.length
      after = ids.at(-1) ?? null
    }
    return { matching: count.letters, discarded }
  }

  async #filter(filter: DeadLetterFilter, alsoKnown: readonly string[] = []) {
    const compiled = compileDeadLetterFilter(filter, alsoKnown)
    if (compiled.job === null || isRunId(compiled.job)) return compiled
    const job = await this.#store.schedules.jobs.find(compiled.job, this.#tenantId)
    if (job) return { ...compiled, job: job.id }
    const message = `No job has the name or id ${JSON.stringify(compiled.job)}. Refer to a deleted job by its id.`
    throw new PunctualError('job_not_found', message, { id: compiled.job })
  }

  async #filterOfMany(filter: DeadLetterFilter, { all = false }: { all?: boolean }) {
    const compiled: CompiledDeadLetterFilter = await this.#filter(filter)
    if (typeof all !== 'boolean') refuseOption('all', 'true or false', all)
    if (isEmptyFilter(compiled) && !all)
      throw new PunctualError(
        'invalid_option',
        'The filter is empty and would match every open dead letter. Set `all: true` if you want that.',
        { field: 'filter' },
      )
    return compiled
  }

  async #notFound(id: string): Promise<never> {
    const run = await this.#store.runs.find(id, this.#tenantId)
    const message = run
      ? `Run ${id} is ${run.state}, not a dead letter.`
      : `No run has the id ${id}. It may be older than the retention, or belong to another schema.`
    throw new PunctualError('dead_letter_not_found', message, { id })
  }
}

function page(options: DeadLetterPage): { state: DeadLetterState; limit: number } {
  const { limit = 50 } = options
  if (!Number.isInteger(limit) || limit < 1 || limit > LIST_MAX)
    refuseOption('limit', `an integer from 1 to ${LIST_MAX}`, limit)
  return { state: deadLetterStateOf(options.state), limit }
}

function reasonOf({ reason, by }: { reason: string; by?: string }): HandlingOptions {
  checkText('reason', reason, limits.descriptionLength)
  return { note: reason, ...(by !== undefined && { by }) }
}
