/**
 * What has ended anywhere in the fleet since the last look: read from the tables that hold it anyway, by indexes that
 * are there, so that it costs nothing while nobody asks. Successes are not among it: they have no index by time, since
 * every run would pay for that.
 */
import type { DeadLetter } from '@punctual/core/dead-letter'
import type { Failure } from '@punctual/core/errors'
import { type FinalState, finalStateOf } from '@punctual/core/run'
import { uuidArray } from '../connection/binary-arrays.ts'
import type { Row, Value } from '../connection/channel.ts'
import type { Database } from '../connection/database.ts'
import type { DeadLetterReader } from '../dead-letters/reader.ts'
import type { EndsCursor } from './ends-cursor.ts'

const PAGE = 1_000

/** A run that was cancelled, skipped or lost. */
export interface RunEnd {
  readonly runId: string
  readonly at: Date
  readonly state: FinalState
  readonly handler: string
  readonly queue: string
  /** How many attempts it has had. */
  readonly attempt: number
  readonly jobId: string | null
  readonly error: Failure | null
  readonly reason: string | null
}

export interface WorkerLoss {
  readonly workerId: string
  readonly at: Date
  readonly host: string
  readonly pid: number
}

interface Look {
  readonly rows: readonly Row[]
  readonly told: () => void
}

/** What one look takes at most, about; the rest is for the next. @default everything */
export interface LookBounds {
  readonly most?: number
}

/** Snapshot, time of the statement, then id and time of one that ended, if there is one, and what is known of it. */
const ID = 3
const AT = 4

export class EndsReader {
  readonly #database: Database
  readonly #letters: DeadLetterReader

  constructor(database: Database, letters: DeadLetterReader) {
    this.#database = database
    this.#letters = letters
  }

  /** Runs that died, the first to die first. */
  async deaths(
    cursor: EndsCursor,
    tenantId: number,
    bounds: LookBounds = {},
  ): Promise<DeadLetter[]> {
    const { rows, told } = await this.#look(cursor, 'list-deaths', [tenantId], bounds)
    const found: DeadLetter[] = []
    for (let i = 0; i < rows.length; i += PAGE) {
      const ids = rows.slice(i, i + PAGE).map((row) => row[ID] as string)
      found.push(...(await this.#letters.find(ids, tenantId)))
    }
    told()
    return found.sort((a, b) => a.diedAt.getTime() - b.diedAt.getTime())
  }

  /** Runs that were cancelled, skipped or lost, the first to end first. */
  async ends(cursor: EndsCursor, tenantId: number, bounds: LookBounds = {}): Promise<RunEnd[]> {
    const { rows, told } = await this.#look(cursor, 'list-ends', [tenantId], bounds)
    const jobs = await this.#jobsOf(rows.map((row) => row[ID] as string))
    told()
    return rows.map((row) => toEnd(row, jobs))
  }

  /** Workers that were not heard of for a whole lease, and whose runs went to others. */
  async losses(cursor: EndsCursor, bounds: LookBounds = {}): Promise<WorkerLoss[]> {
    const { rows, told } = await this.#look(cursor, 'list-losses', [], bounds)
    told()
    return rows.map(([, , , id, at, host, pid]) => ({
      ...{ workerId: id as string, at: new Date(at as string) },
      ...{ host: host as string, pid: Number(pid) },
    }))
  }

  /** What is new to the cursor, which learns of it when all is read that belongs to it: a look that fails changes nothing. */
  async #look(
    cursor: EndsCursor,
    path: string,
    scope: readonly Value[],
    { most = Number.POSITIVE_INFINITY }: LookBounds,
  ): Promise<Look> {
    const statement = this.#database.statement(`activity/${path}`)
    const scan = cursor.begin()
    const fresh: Row[] = []
    let first: Row | null = null
    let last: Row | null = null
    do {
      const after = [last?.[AT] ?? null, last?.[ID] ?? null]
      const values = [...scope, scan.fromMs, ...after, PAGE]
      const rows: Row[] = await this.#database.control.query(statement, values)
      // What is committed while the other pages are read belongs to the next look.
      first ??= rows[0] as Row
      fresh.push(...rows.filter((row) => row[ID] !== null && cursor.isNew(row[ID] as string)))
      last = rows.length < PAGE ? null : (rows.at(-1) as Row)
    } while (last !== null && fresh.length < most)
    const [xmin, xmax, nowMs] = first.map(Number) as [number, number, number]
    const told = () => {
      for (const row of fresh) cursor.tell(row[ID] as string, Date.parse(row[AT] as string))
      if (last === null) cursor.reached(scan, nowMs, { xmin, xmax })
      else cursor.cutAt(Date.parse(last[AT] as string), nowMs)
    }
    return { rows: fresh, told }
  }

  async #jobsOf(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (ids.length === 0) return new Map()
    const sorted = [...ids].sort()
    const bounds = [sorted[0] as string, sorted.at(-1) as string]
    const statement = this.#database.statement('activity/list-run-jobs')
    const rows = await this.#database.control.query(statement, [uuidArray(sorted), ...bounds])
    return new Map(rows.map(([id, jobId]) => [id as string, jobId as string]))
  }
}

function toEnd(row: Row, jobs: ReadonlyMap<string, string>): RunEnd {
  const [, , , id, at, state, handler, queue, attempt, error, reason] = row
  return {
    runId: id as string,
    at: new Date(at as string),
    state: finalStateOf.get(Number(state)) as FinalState,
    handler: handler as string,
    queue: queue as string,
    attempt: Number(attempt),
    jobId: jobs.get(id as string) ?? null,
    error: error ? (JSON.parse(error) as Failure) : null,
    reason: reason ?? null,
  }
}
