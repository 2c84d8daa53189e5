/** Reads dead letters for humans and for bulk actions. Never used to decide who handles one. */
import type {
  CompiledDeadLetterFilter,
  DeadLetter,
  DeadLetterCause,
  DeadLetterState,
} from '@punctual/core/dead-letter'
import { invariant, limits } from '@punctual/core/errors'
import type { FinalState } from '@punctual/core/run'
import { uuidArray } from '../connection/binary-arrays.ts'
import type { ReadSource } from '../connection/read-source.ts'
import type { ArrayOf, Call, Num, Text } from '../sql/typed.ts'
import { listCheckpoints } from '../work/statements.gen.ts'
import { type LastWords, toCause, toDeadLetter, toLastWords } from './rows.ts'
import {
  countLetters,
  countOpen,
  findLetters,
  groupLetters,
  type ListLettersRow,
  listEnds,
  listLastWords,
  listLetters,
  pickLetters,
} from './statements.gen.ts'

/** How many open dead letters match, and up to when: runs that die later are not included. */
export interface DeadLetterCount {
  readonly letters: number
  readonly until: string
}

export interface DeadLetterRange {
  readonly state: DeadLetterState
  /** The id of the last dead letter of the previous page. */
  readonly after: string | null
  readonly limit: number
  /** What a page may load of names and messages of errors. @default limits.pageBytes */
  readonly bytes?: number
}

export interface PageOfDeadLetters {
  readonly deadLetters: readonly DeadLetter[]
  /** The id to continue after; null after the last page. */
  readonly next: string | null
}

const handledOnly: Readonly<Record<DeadLetterState, boolean | null>> = {
  open: false,
  handled: true,
  all: null,
}

type Scope = [
  ...[tenantId: Num, queue: Text, handler: Text, job: Text, fingerprint: Text, reason: Text],
  ...[fromMs: Num, beforeMs: Num],
]

function scope(filter: CompiledDeadLetterFilter, tenantId: number): Scope {
  const { queue, handler, job, fingerprint, reason, fromMs, beforeMs } = filter
  return [tenantId, queue, handler, job, fingerprint, reason, fromMs, beforeMs]
}

export class DeadLetterReader {
  readonly #database: ReadSource

  constructor(database: ReadSource) {
    this.#database = database
  }

  /**
   * A page, latest death first; `after` is the last id of the previous one. The page is shorter than
   * `limit` when its errors would exceed the number of bytes.
   */
  async page(
    filter: CompiledDeadLetterFilter,
    { state, after, limit, bytes = limits.pageBytes }: DeadLetterRange,
    tenantId: number,
  ): Promise<PageOfDeadLetters> {
    const all = await this.#database.browse.run(
      listLetters(...scope(filter, tenantId), handledOnly[state], after, limit),
    )
    const { words, lastId } = await this.#lastWords(
      all.map(({ runId }) => runId),
      bytes,
    )
    const end = lastId === null ? all.length : all.findIndex(({ runId }) => runId === lastId) + 1
    const rows = all.slice(0, end)
    const more = rows.length < all.length || all.length === limit
    return {
      deadLetters: rows.map((row) => toDeadLetter(row, words.get(row.runId))),
      next: more ? (rows.at(-1)?.runId ?? null) : null,
    }
  }

  /** The cause with the most dead letters first. */
  async causes(
    filter: CompiledDeadLetterFilter,
    page: { state: DeadLetterState; limit: number },
    tenantId: number,
  ): Promise<DeadLetterCause[]> {
    const rows = await this.#database.browse.run(
      groupLetters(...scope(filter, tenantId), handledOnly[page.state], page.limit),
    )
    const { words } = await this.#lastWords(rows.map(({ sample }) => sample))
    return rows.map((row) => toCause(row, words))
  }

  async find(ids: readonly string[], tenantId: number): Promise<DeadLetter[]> {
    return this.#withWords(await this.#database.reads.run(findLetters(tenantId, uuidArray(ids))))
  }

  async count(filter: CompiledDeadLetterFilter, tenantId: number): Promise<DeadLetterCount> {
    const [row] = await this.#database.browse.run(countLetters(...scope(filter, tenantId)))
    invariant(row, 'a count is one row')
    return { letters: row.letters, until: row.untilAt }
  }

  /** The next open ones among those counted, earliest death first. */
  async pick(
    filter: CompiledDeadLetterFilter,
    { until }: DeadLetterCount,
    after: string | null,
    most: number,
    tenantId: number,
  ): Promise<string[]> {
    const call = pickLetters(...scope(filter, tenantId), until, after, most)
    return (await this.#database.reads.run(call)).map(({ runId }) => runId)
  }

  /** The final states of those of these runs that have ended. */
  async ends(ids: readonly string[]): Promise<ReadonlyMap<string, FinalState>> {
    const rows = await this.#ofDays(listEnds, ids)
    return new Map(rows.map(({ runId, state }) => [runId, state]))
  }

  /** How many dead letters are open in each queue; counted up to 10,000 per lane. */
  async countOpen(): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#database.browse.run(countOpen())
    return new Map(rows.map(({ queue, letters }) => [queue, letters]))
  }

  /** A run's last checkpoint, as JSON; null when it has none. */
  async checkpoint(id: string): Promise<string | null> {
    const [row] = await this.#database.reads.run(
      listCheckpoints(uuidArray([id]), limits.claimBytes),
    )
    return row?.state ?? null
  }

  async #withWords(rows: readonly ListLettersRow[]): Promise<DeadLetter[]> {
    const { words } = await this.#lastWords(rows.map(({ runId }) => runId))
    return rows.map((row) => toDeadLetter(row, words.get(row.runId)))
  }

  /** The errors of runs, and the last run that they contain; null when they are complete. */
  async #lastWords(ids: readonly string[], bytes: number = limits.pageBytes) {
    const rows = await this.#ofDays((...range) => listLastWords(...range, bytes), ids)
    const words = new Map(rows.map((row): [string, LastWords] => [row.runId, toLastWords(row)]))
    const last = rows.at(-1)
    return { words, lastId: last === undefined || last.isLast ? null : last.runId }
  }

  /** Names the smallest and the largest id, so that the server reads only their partitions. */
  async #ofDays<Row>(
    statement: (ids: ArrayOf<'uuid'>, smallest: string, largest: string) => Call<Row>,
    ids: readonly string[],
  ): Promise<Row[]> {
    const sorted = [...ids].sort()
    const [smallest, largest] = [sorted[0], sorted.at(-1)]
    if (smallest === undefined || largest === undefined) return []
    return this.#database.reads.run(statement(uuidArray(ids), smallest, largest))
  }
}
