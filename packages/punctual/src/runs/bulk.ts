/**
 * Changes all runs that a filter selects: reads a range of ids, changes the matching runs in
 * batches, and continues with the next range. Runs accepted after it began are not included. A
 * batch that has begun is finished, also when the caller aborts. Workers may take runs meanwhile;
 * each batch handles that itself.
 */
import { integer, refuseOption } from '@punctual/core/check'
import { PunctualError } from '@punctual/core/errors'
import {
  type BulkResult,
  type BulkVerb,
  type CompiledRunFilter,
  compileBulkFilter,
  type RunFilter,
  type RunState,
} from '@punctual/core/run'
import type { PostgresStore } from '@punctual/store'

const STRETCH = 5_000
const BATCH = 500
const SAMPLE = 10
const FIRST_ID = '00000000-0000-0000-0000-000000000000'

/** Progress of a change of many runs. */
export interface BulkProgress {
  /** Runs that have matched so far. */
  readonly matched: number
  /** Matching runs processed so far; 0 in a dry run. */
  readonly done: number
}

/** Options of a change of many runs. */
export interface BulkOptions {
  /** Only counts the matching runs. @default false */
  dryRun?: boolean
  /** The most runs to process. @default no limit */
  limit?: number
  /**
   * Allows an empty filter, which selects every run that the operation applies to. @default false
   */
  all?: boolean
  /** Called after each batch. */
  onProgress?: (progress: BulkProgress) => void
  /** Stops after the current batch; the result counts the runs processed until then. */
  signal?: AbortSignal
}

export interface BulkChange<Answer extends string> {
  readonly verb: BulkVerb
  readonly answers: readonly Answer[]
  /** Changes these runs and returns the outcome of each. */
  readonly change: (ids: readonly string[]) => Promise<(id: string) => Answer>
}

const OPTIONS = ['dryRun', 'limit', 'all', 'onProgress', 'signal']

export function checkBulkOptions<T extends BulkOptions>(options: T, more: readonly string[]): T {
  if (typeof options !== 'object' || options === null)
    return refuseOption('options', 'an object', options)
  const known = [...OPTIONS, ...more]
  for (const name of Object.keys(options))
    if (!known.includes(name))
      refuseOption('options', `an object with only ${known.join(', ')}`, name)
  const { dryRun, limit, all } = options
  if (dryRun !== undefined && typeof dryRun !== 'boolean')
    refuseOption('dryRun', 'true or false', dryRun)
  if (all !== undefined && typeof all !== 'boolean') refuseOption('all', 'true or false', all)
  if (limit !== undefined) integer('limit', limit, 1, Number.MAX_SAFE_INTEGER)
  return options
}

/** Resolves the job of a filter to its id. A deleted job can still be given by its id. */
export async function filterInStore<Filter extends CompiledRunFilter>(
  store: PostgresStore,
  { job, ...filter }: Filter,
  tenantId: number,
): Promise<Omit<Filter, 'job'> & { readonly jobId?: string }> {
  if (job === undefined) return filter
  const found = await store.schedules.jobs.find(job, tenantId)
  if (found) return { ...filter, jobId: found.id }
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(job)) return { ...filter, jobId: job }
  const message = `No job has the name or id ${JSON.stringify(job)}. \`punctual jobs list\` lists the jobs.`
  throw new PunctualError('job_not_found', message, { id: job })
}

export async function steerMany<Answer extends string>(
  store: PostgresStore,
  tenantId: number,
  runFilter: RunFilter,
  options: BulkOptions,
  { verb, answers, change }: BulkChange<Answer>,
): Promise<BulkResult<Answer>> {
  const compiled = compileBulkFilter(verb, runFilter, options.all === true)
  const nowMs = await store.runs.nowMs()
  const createdToMs = Math.min(compiled.createdToMs ?? Number.POSITIVE_INFINITY, nowMs + 1)
  const filter = { ...(await filterInStore(store, compiled, tenantId)), createdToMs, tenantId }
  const tally = new Tally(answers)
  const { dryRun = false, limit = Number.POSITIVE_INFINITY, signal, onProgress } = options
  let next: string | null = FIRST_ID
  let stopped = signal?.aborted === true
  while (next !== null && !stopped) {
    const stretch = await store.runs.select(filter, next, STRETCH)
    next = stretch.next
    for (let from = 0; from < stretch.runs.length && !stopped; from += BATCH) {
      const room = Math.min(BATCH, limit - tally.matched)
      const batch = stretch.runs.slice(from, from + room)
      tally.match(batch)
      if (!dryRun) tally.answer(batch, await change(batch.map(({ id }) => id)))
      onProgress?.({ matched: tally.matched, done: dryRun ? 0 : tally.matched })
      const more = next !== null || from + batch.length < stretch.runs.length
      stopped = more && (tally.matched >= limit || signal?.aborted === true)
    }
    stopped ||= next !== null && signal?.aborted === true
  }
  return { dryRun, ...tally.result(), complete: !stopped }
}

class Tally<Answer extends string> {
  readonly #answers: Record<Answer, number>
  readonly #states: Partial<Record<RunState, number>> = {}
  readonly #sample: string[] = []
  matched = 0

  constructor(answers: readonly Answer[]) {
    this.#answers = Object.fromEntries(answers.map((answer) => [answer, 0])) as Record<
      Answer,
      number
    >
  }

  match(runs: readonly { id: string; state: RunState }[]): void {
    this.matched += runs.length
    for (const { id, state } of runs) {
      this.#states[state] = (this.#states[state] ?? 0) + 1
      if (this.#sample.length < SAMPLE) this.#sample.push(id)
    }
  }

  answer(runs: readonly { id: string }[], answerOf: (id: string) => Answer): void {
    for (const { id } of runs) this.#answers[answerOf(id)]++
  }

  result() {
    const { matched } = this
    return { matched, states: this.#states, answers: this.#answers, sample: this.#sample }
  }
}
