/** `punctual.deadLetters`: runs that died, looked at, replayed and discarded. */
import { checkText, encodeJson, refuseOption } from '@punctual/core/check'
import {
  type CompiledDeadLetterFilter,
  compileDeadLetterFilter,
  type DeadLetter,
  type DeadLetterCause,
  type DeadLetterFilter,
  type DeadLetterHandling,
  type DeadLetterState,
  deadLetterStateOf,
  isEmptyFilter,
} from '@punctual/core/dead-letter'
import { limits, PunctualError } from '@punctual/core/errors'
import { type FinishedRun, isRunId, type LogLine } from '@punctual/core/run'
import type { KeyBusy, PostgresStore } from '@punctual/store'
import { type HandlingOptions, handledBy } from '../runs/handling.ts'
import { idOf, type RunReference } from '../runs/reference.ts'
import {
  checkManyOptions,
  type ManyOptions,
  type ReplayManyOptions,
  type ReplayManyResult,
  replayMany,
} from './replay-many.ts'

const LIST_MAX = 1_000
const LOG_LINES = 100
const DISCARD_BATCH = 500
const REPLAY_BATCH = 500

/** Which dead letters are looked at, and how many. */
export interface DeadLetterPage extends DeadLetterFilter {
  /** Whether somebody has handled them. @default 'open' */
  state?: DeadLetterState
  /** Up to 1,000. @default 50 */
  limit?: number
}

/** Which dead letters are listed, a page at a time. */
export interface DeadLetterListOptions extends DeadLetterPage {
  /** Those after this one: give the last of a page to get the next page. */
  after?: RunReference
}

/** How one dead letter is replayed. */
export interface ReplayOptions extends HandlingOptions {
  /** Instead of its own, which stays with the dead run as it was. */
  payload?: unknown
  /** Go on from the last checkpoint of the dead run, where it has one. @default false */
  fromCheckpoint?: boolean
}

/** A dead letter with all that is known of its run. */
export interface DeadLetterDetails extends DeadLetter {
  /** The run that died, with its attempts. */
  readonly run: FinishedRun
  /** The last hundred lines of its log, oldest first. */
  readonly log: readonly LogLine[]
  /** What its last checkpoint has kept; null when there is none. */
  readonly checkpoint: unknown
}

/** What a replay came to. `already_handled`: somebody was faster, and nothing was made. */
export type ReplayResult =
  | { readonly result: 'replayed'; readonly id: string }
  | { readonly result: 'already_handled'; readonly handled: DeadLetterHandling }
  | KeyBusy

/** What discarding many came to. */
export interface DiscardManyResult {
  /** How many open ones the filter had. */
  readonly matching: number
  /** How many of them were closed. */
  readonly discarded: number
}

/** `punctual.deadLetters`: runs that died, looked at, replayed and discarded. */
export class DeadLetters {
  readonly #store: PostgresStore
  readonly #payloadBytes: number
  readonly #tenantId: number

  /** @internal */
  constructor(store: PostgresStore, options: { payloadBytes: number }, tenantId: number) {
    this.#store = store
    this.#payloadBytes = options.payloadBytes
    this.#tenantId = tenantId
  }

  /** The last to die first; those that nobody has handled, unless asked for others. */
  async list(options: DeadLetterListOptions = {}): Promise<DeadLetter[]> {
    const filter = await this.#filter(options, ['state', 'limit', 'after'])
    const after = options.after === undefined ? null : idOf(options.after)
    const asked = { ...page(options), after }
    return this.#store.replica.read(({ letters }) => letters.list(filter, asked, this.#tenantId))
  }

  /** What dies alike, together; the largest group first. */
  async causes(options: DeadLetterPage = {}): Promise<DeadLetterCause[]> {
    const filter = await this.#filter(options, ['state', 'limit'])
    const asked = page(options)
    return this.#store.replica.read(({ letters }) => letters.causes(filter, asked, this.#tenantId))
  }

  /** Everything about one, or null. */
  async get(letter: RunReference): Promise<DeadLetterDetails | null> {
    const id = idOf(letter)
    const [[found], run, log, checkpoint] = await Promise.all([
      this.#store.letters.find([id], this.#tenantId),
      this.#store.runs.find(id, this.#tenantId),
      this.#store.runs.lastLogs(id, LOG_LINES, this.#tenantId),
      this.#store.letters.checkpoint(id),
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
   * Makes a new run of a dead one, due now. The dead run stays as it was; the two name each other.
   * @throws `PunctualError` with `dead_letter_not_found` when there is no such dead letter.
   */
  async replay(letter: RunReference, options: ReplayOptions = {}): Promise<ReplayResult> {
    const id = idOf(letter)
    const payload =
      options.payload === undefined
        ? null
        : encodeJson(options.payload, 'payload', this.#payloadBytes)
    const { fromCheckpoint = false } = options
    if (typeof fromCheckpoint !== 'boolean')
      refuseOption('fromCheckpoint', 'true or false', fromCheckpoint)
    const how = { ...handledBy(options), fromCheckpoint }
    const [answer] = await this.#store.deadLetterSteering.replay(
      [{ id, payload }],
      how,
      this.#tenantId,
    )
    if (!answer || answer.result === 'not_found') return this.#notFound(id)
    return answer
  }

  /**
   * Makes new runs of these, in batches of 500 that happen wholly or not at all. Answers in the order asked; of what is
   * no dead letter there is none.
   */
  async replayEach(
    letters: readonly RunReference[],
    options: HandlingOptions & { fromCheckpoint?: boolean } = {},
  ): Promise<readonly ReplayResult[]> {
    const ids = letters.map(idOf)
    const how = { ...handledBy(options), fromCheckpoint: options.fromCheckpoint === true }
    const answers: ReplayResult[] = []
    for (let i = 0; i < ids.length; i += REPLAY_BATCH) {
      const requests = ids.slice(i, i + REPLAY_BATCH).map((id) => ({ id, payload: null }))
      for (const it of await this.#store.deadLetterSteering.replay(requests, how, this.#tenantId))
        if (it.result !== 'not_found') answers.push(it)
    }
    return answers
  }

  /**
   * Replays the open ones of a filter, the first to die first, at a pace. This process drives it: when it ends, what
   * was not replayed stays open. What dies meanwhile, replays included, is left alone.
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
    const compiled = await this.#filterOfMany(filter, options)
    return replayMany(this.#store, compiled, options, {
      ...handledBy(options),
      tenantId: this.#tenantId,
    })
  }

  /**
   * Closes one without doing it again.
   * @param options - `reason` says why, and is kept with it; `by` says who.
   * @throws `PunctualError` with `dead_letter_not_found` when there is no such dead letter.
   */
  async discard(
    letter: RunReference,
    options: { reason: string; by?: string },
  ): Promise<'discarded' | 'already_handled'> {
    const id = idOf(letter)
    const how = handledBy(reasonOf(options))
    const discarded = await this.#store.deadLetterSteering.discard([id], how, this.#tenantId)
    if (discarded.has(id)) return 'discarded'
    const [found] = await this.#store.letters.find([id], this.#tenantId)
    return found ? 'already_handled' : this.#notFound(id)
  }

  /**
   * Closes the open ones of a filter, the first to die first, in batches.
   * @param options - `reason` says why, and is kept with each; `by` says who.
   */
  async discardMany(
    filter: DeadLetterFilter,
    options: ManyOptions & { reason: string; by?: string },
  ): Promise<DiscardManyResult> {
    const how = handledBy(reasonOf(options))
    const compiled = await this.#filterOfMany(filter, options)
    const { limit, dryRun } = checkManyOptions(options)
    const { letters, deadLetterSteering } = this.#store
    const count = await letters.count(compiled, this.#tenantId)
    let discarded = 0
    let looked = 0
    let after: string | null = null
    while (!dryRun && looked < limit && !options.signal?.aborted) {
      const most = Math.min(DISCARD_BATCH, limit - looked)
      const ids: string[] = await letters.pick(compiled, count, after, most, this.#tenantId)
      if (ids.length === 0) break
      discarded += (await deadLetterSteering.discard(ids, how, this.#tenantId)).size
      looked += ids.length
      after = ids.at(-1) ?? null
    }
    return { matching: count.letters, discarded }
  }

  async #filter(filter: DeadLetterFilter, alsoKnown: readonly string[] = []) {
    const compiled = compileDeadLetterFilter(filter, alsoKnown)
    if (compiled.job === null || isRunId(compiled.job)) return compiled
    const job = await this.#store.schedules.jobs.find(compiled.job, this.#tenantId)
    if (job) return { ...compiled, job: job.id }
    const message = `There is no job ${JSON.stringify(compiled.job)}. One that was deleted is named by its id.`
    throw new PunctualError('job_not_found', message, { id: compiled.job })
  }

  async #filterOfMany(filter: DeadLetterFilter, { all = false }: { all?: boolean }) {
    const compiled: CompiledDeadLetterFilter = await this.#filter(filter)
    if (typeof all !== 'boolean') refuseOption('all', 'true or false', all)
    if (isEmptyFilter(compiled) && !all)
      throw new PunctualError(
        'invalid_option',
        'The filter is empty, which means every open dead letter. Say `all: true` if that is meant.',
        { field: 'filter' },
      )
    return compiled
  }

  async #notFound(id: string): Promise<never> {
    const run = await this.#store.runs.find(id, this.#tenantId)
    const message = run
      ? `Run ${id} is ${run.state}, and no dead letter.`
      : `There is no run ${id}. It may be older than the retention, or belong to another schema.`
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
