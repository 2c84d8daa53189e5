/** Reads dead letters for humans and for bulk actions. Never used to decide who handles one. */
import type {
  CompiledDeadLetterFilter,
  DeadLetter,
  DeadLetterCause,
  DeadLetterState,
} from '@punctual/core/dead-letter'
import { type FinalState, finalStateOf } from '@punctual/core/run'
import { uuidArray } from '../connection/binary-arrays.ts'
import type { Row, Value } from '../connection/channel.ts'
import type { ReadSource } from '../connection/read-source.ts'
import { type LastWords, toCause, toDeadLetter, toLastWords } from './rows.ts'

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

function scope(filter: CompiledDeadLetterFilter, tenantId: number): Value[] {
  const { queue, handler, job, fingerprint, reason, fromMs, beforeMs } = filter
  return [tenantId, queue, handler, job, fingerprint, reason, fromMs, beforeMs]
}

export class DeadLetterReader {
  readonly #database: ReadSource

  constructor(database: ReadSource) {
    this.#database = database
  }

  #query(path: string, values: readonly Value[]): Promise<Row[]> {
    return this.#database.reads.query(this.#database.statement(`dead-letters/${path}`), values)
  }

  /** Latest death first; `after` is the last id of the previous page. */
  async list(
    filter: CompiledDeadLetterFilter,
    page: { state: DeadLetterState; after: string | null; limit: number },
    tenantId: number,
  ): Promise<DeadLetter[]> {
    const rows = await this.#query('list-letters', [
      ...scope(filter, tenantId),
      handledOnly[page.state],
      page.after,
      page.limit,
    ])
    return this.#withWords(rows)
  }

  /** The cause with the most dead letters first. */
  async causes(
    filter: CompiledDeadLetterFilter,
    page: { state: DeadLetterState; limit: number },
    tenantId: number,
  ): Promise<DeadLetterCause[]> {
    const values = [...scope(filter, tenantId), handledOnly[page.state], page.limit]
    const rows = await this.#query('group-letters', values)
    const words = await this.#lastWords(rows.map(([, , , , sample]) => sample as string))
    return rows.map((row) => toCause(row, words))
  }

  async find(ids: readonly string[], tenantId: number): Promise<DeadLetter[]> {
    return this.#withWords(await this.#query('find-letters', [tenantId, uuidArray(ids)]))
  }

  async count(filter: CompiledDeadLetterFilter, tenantId: number): Promise<DeadLetterCount> {
    const [row] = await this.#query('count-letters', scope(filter, tenantId))
    return { letters: Number(row?.[0]), until: row?.[1] as string }
  }

  /** The next open ones among those counted, earliest death first. */
  async pick(
    filter: CompiledDeadLetterFilter,
    { until }: DeadLetterCount,
    after: string | null,
    most: number,
    tenantId: number,
  ): Promise<string[]> {
    const values = [...scope(filter, tenantId), until, after, most]
    return (await this.#query('pick-letters', values)).map(([id]) => id as string)
  }

  /** The final states of those of these runs that have ended. */
  async ends(ids: readonly string[]): Promise<ReadonlyMap<string, FinalState>> {
    const rows = await this.#ofDays('list-ends', ids)
    return new Map(
      rows.map(([id, state]) => [id as string, finalStateOf.get(Number(state)) as FinalState]),
    )
  }

  /** How many dead letters are open in each queue; counted up to 10,000 per lane. */
  async countOpen(): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#query('count-open', [])
    return new Map(rows.map(([queue, count]) => [queue as string, Number(count)]))
  }

  /** A run's last checkpoint, as JSON; null when it has none. */
  async checkpoint(id: string): Promise<string | null> {
    const statement = this.#database.statement('work/progress/list-checkpoints')
    const [row] = await this.#database.reads.query(statement, [uuidArray([id])])
    return row?.[1] ?? null
  }

  async #withWords(rows: readonly Row[]): Promise<DeadLetter[]> {
    const words = await this.#lastWords(rows.map(([id]) => id as string))
    return rows.map((row) => toDeadLetter(row, words.get(row[0] as string)))
  }

  async #lastWords(ids: readonly string[]): Promise<ReadonlyMap<string, LastWords>> {
    const rows = await this.#ofDays('list-last-words', ids)
    return new Map(rows.map((row) => [row[0] as string, toLastWords(row)]))
  }

  async #ofDays(path: string, ids: readonly string[]): Promise<Row[]> {
    if (ids.length === 0) return []
    const sorted = [...ids].sort()
    const bounds = [sorted[0] as string, sorted.at(-1) as string]
    return this.#query(path, [uuidArray(sorted), ...bounds])
  }
}
