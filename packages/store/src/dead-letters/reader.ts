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

  /** Latest death first; `after` is the last id of the previous page. */
  async list(
    filter: CompiledDeadLetterFilter,
    page: { state: DeadLetterState; after: string | null; limit: number },
    tenantId: number,
  ): Promise<DeadLetter[]> {
    const rows = await this.#database.browse.run(
      listLetters(...scope(filter, tenantId), handledOnly[page.state], page.after, page.limit),
    )
    return this.#withWords(rows)
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
    const words = await this.#lastWords(rows.map(({ sample }) => sample))
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
    const words = await this.#lastWords(rows.map(({ runId }) => runId))
    return rows.map((row) => toDeadLetter(row, words.get(row.runId)))
  }

  async #lastWords(ids: readonly string[]): Promise<ReadonlyMap<string, LastWords>> {
    const rows = await this.#ofDays(listLastWords, ids)
    return new Map(rows.map((row) => [row.runId, toLastWords(row)]))
  }

  /** Names the smallest and the largest id, so that the server reads only their partitions. */
  async #ofDays<Row>(
    statement: (ids: ArrayOf<'uuid'>, smallest: string, largest: string) => Call<Row>,
    ids: readonly string[],
  ): Promise<Row[]> {
    const sorted = [...ids].sort()
    const [smallest, largest] = [sorted[0], sorted.at(-1)]
    if (smallest === undefined || largest === undefined) return []
    return this.#database.reads.run(statement(uuidArray(sorted), smallest, largest))
  }
}
