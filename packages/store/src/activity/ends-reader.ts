/**
 * Reads the runs that ended anywhere in the fleet since the last look, from existing tables and
 * through existing indexes, so that it costs nothing while nobody asks. Successes are left out:
 * they have no index by time, since every run would pay for that.
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
  /** How many attempts the run has had. */
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
  readonly confirm: () => void
}

/** Roughly how many ends one look reads; the next look reads the rest. @default all */
export interface LookBounds {
  readonly most?: number
}

/** Columns: snapshot, time of the statement, then id and time of an end, if any, and its facts. */
const ID = 3
const AT = 4

export class EndsReader {
  readonly #database: Database
  readonly #deadLetters: DeadLetterReader

  constructor(database: Database, deadLetters: DeadLetterReader) {
    this.#database = database
    this.#deadLetters = deadLetters
  }

  /** Runs that died, earliest first. */
  async deaths(
    cursor: EndsCursor,
    tenantId: number,
    bounds: LookBounds = {},
  ): Promise<DeadLetter[]> {
    const { rows, confirm } = await this.#look(cursor, 'list-deaths', [tenantId], bounds)
    const found: DeadLetter[] = []
    for (let i = 0; i < rows.length; i += PAGE) {
      const ids = rows.slice(i, i + PAGE).map((row) => row[ID] as string)
      found.push(...(await this.#deadLetters.find(ids, tenantId)))
    }
    confirm()
    return found.sort((a, b) => a.diedAt.getTime() - b.diedAt.getTime())
  }

  /** Runs that were cancelled, skipped or lost, earliest first. */
  async ends(cursor: EndsCursor, tenantId: number, bounds: LookBounds = {}): Promise<RunEnd[]> {
    const { rows, confirm } = await this.#look(cursor, 'list-ends', [tenantId], bounds)
    const jobs = await this.#jobsOf(rows.map((row) => row[ID] as string))
    confirm()
    return rows.map((row) => toEnd(row, jobs))
  }

  /** Workers whose leases expired without a heartbeat, so that their runs went to other workers. */
  async losses(cursor: EndsCursor, bounds: LookBounds = {}): Promise<WorkerLoss[]> {
    const { rows, confirm } = await this.#look(cursor, 'list-losses', [], bounds)
    confirm()
    return rows.map(([, , , id, at, host, pid]) => ({
      ...{ workerId: id as string, at: new Date(at as string) },
      ...{ host: host as string, pid: Number(pid) },
    }))
  }

  /** Returns new ends; `confirm` moves the cursor once all is read, so a failure skips none. */
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
      // Rows that are committed while the other pages are read belong to the next look.
      first ??= rows[0] as Row
      fresh.push(...rows.filter((row) => row[ID] !== null && cursor.isNew(row[ID] as string)))
      last = rows.length < PAGE ? null : (rows.at(-1) as Row)
    } while (last !== null && fresh.length < most)
    const [xmin, xmax, nowMs] = first.map(Number) as [number, number, number]
    const confirm = () => {
      for (const row of fresh) cursor.remember(row[ID] as string, Date.parse(row[AT] as string))
      if (last === null) cursor.reached(scan, nowMs, { xmin, xmax })
      else cursor.cutAt(Date.parse(last[AT] as string), nowMs)
    }
    return { rows: fresh, confirm }
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
