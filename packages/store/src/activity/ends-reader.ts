/**
 * Reads the runs that ended anywhere in the fleet since the last look, from existing tables and
 * through existing indexes, so that it costs nothing while nobody asks. Successes are left out:
 * they have no index by time, since every run would pay for that.
 */
import type { DeadLetter } from '@punctual/core/dead-letter'
import { invariant } from '@punctual/core/errors'
import type { WorkerLoss } from '@punctual/core/queue'
import type { RunEnd } from '@punctual/core/run'
import { uuidArray } from '../connection/binary-arrays.ts'
import type { Database } from '../connection/database.ts'
import type { DeadLetterReader } from '../dead-letters/reader.ts'
import type { Call } from '../sql/typed.ts'
import type { EndsCursor } from './ends-cursor.ts'
import {
  type ListEndsRow,
  listDeaths,
  listEnds,
  listLosses,
  listRunJobs,
} from './statements.gen.ts'

const PAGE = 1_000

/** The snapshot and the time of a statement, and an end that it found, if any. */
interface LookRow {
  readonly xmin: number
  readonly xmax: number
  readonly nowMs: number
  readonly id: string | null
  /** As PostgreSQL writes it, with microseconds: the next page starts after it. */
  readonly at: string | null
}

type Found<Row> = Row & { readonly id: string; readonly at: string }

interface Look<Row> {
  readonly rows: readonly Found<Row>[]
  readonly confirm: () => void
}

/** The statement for the ends from an instant on; those after an end for the next page. */
type PageCall<Row> = (fromMs: number, afterAt: string | null, afterId: string | null) => Call<Row>

/** Roughly how many ends one look reads; the next look reads the rest. @default all */
export interface LookBounds {
  readonly most?: number
}

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
    const { rows, confirm } = await this.#look(
      cursor,
      (...page) => listDeaths(tenantId, ...page, PAGE),
      bounds,
    )
    const found: DeadLetter[] = []
    for (let i = 0; i < rows.length; i += PAGE) {
      const ids = rows.slice(i, i + PAGE).map(({ id }) => id)
      found.push(...(await this.#deadLetters.find(ids, tenantId)))
    }
    confirm()
    return found.sort((a, b) => a.diedAt.getTime() - b.diedAt.getTime())
  }

  /** Runs that were cancelled, skipped or lost, earliest first. */
  async ends(cursor: EndsCursor, tenantId: number, bounds: LookBounds = {}): Promise<RunEnd[]> {
    const { rows, confirm } = await this.#look(
      cursor,
      (...page) => listEnds(tenantId, ...page, PAGE),
      bounds,
    )
    const jobs = await this.#jobsOf(rows.map(({ id }) => id))
    confirm()
    return rows.map((row) => toEnd(row, jobs.get(row.id) ?? null))
  }

  /** Workers whose leases expired without a heartbeat, so that their runs went to other workers. */
  async losses(cursor: EndsCursor, bounds: LookBounds = {}): Promise<WorkerLoss[]> {
    const { rows, confirm } = await this.#look(
      cursor,
      (...page) => listLosses(...page, PAGE),
      bounds,
    )
    confirm()
    return rows.map(({ id, at, host, pid }) => {
      invariant(host !== null && pid !== null, 'a worker has a host and a process id')
      return { workerId: id, at: new Date(at), host, pid }
    })
  }

  /** Returns new ends; `confirm` moves the cursor once all is read, so a failure skips none. */
  async #look<Row extends LookRow>(
    cursor: EndsCursor,
    pageCall: PageCall<Row>,
    { most = Number.POSITIVE_INFINITY }: LookBounds,
  ): Promise<Look<Row>> {
    const scan = cursor.begin()
    const fresh: Found<Row>[] = []
    let first: Row | undefined
    let last: Row | undefined
    do {
      const call = pageCall(scan.fromMs, last?.at ?? null, last?.id ?? null)
      const rows: Row[] = await this.#database.control.run(call)
      // Rows that are committed while the other pages are read belong to the next look.
      first ??= rows[0]
      fresh.push(...rows.filter(isFound).filter(({ id }) => cursor.isNew(id)))
      last = rows.length < PAGE ? undefined : rows.at(-1)
    } while (last && fresh.length < most)
    invariant(first, 'a look without ends is one row')
    const { xmin, xmax, nowMs } = first
    const cutAt = last?.at ?? null
    const confirm = () => {
      for (const { id, at } of fresh) cursor.remember(id, Date.parse(at))
      if (cutAt === null) cursor.reached(scan, nowMs, { xmin, xmax })
      else cursor.cutAt(Date.parse(cutAt), nowMs)
    }
    return { rows: fresh, confirm }
  }

  async #jobsOf(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const sorted = [...ids].sort()
    const [first, last] = [sorted[0], sorted.at(-1)]
    if (first === undefined || last === undefined) return new Map()
    const call = listRunJobs(uuidArray(sorted), first, last)
    const rows = await this.#database.control.run(call)
    return new Map(rows.map(({ id, jobId }) => [id, jobId]))
  }
}

function isFound<Row extends LookRow>(row: Row): row is Found<Row> {
  return row.id !== null && row.at !== null
}

function toEnd(row: Found<ListEndsRow>, jobId: string | null): RunEnd {
  const { id, at, state, handler, queue, attempt, error, reason } = row
  invariant(
    state !== null && handler !== null && queue !== null && attempt !== null,
    'an ended run has a state and a lane',
  )
  return {
    runId: id,
    at: new Date(at),
    state,
    handler,
    queue,
    attempt,
    jobId,
    error,
    reason,
  }
}
