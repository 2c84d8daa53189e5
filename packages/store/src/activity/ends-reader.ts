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
import { listDeaths, listEnds, listLosses, listRunJobs } from './statements.gen.ts'

const PAGE = 1_000

/** An end as it is found: its time is text, since the next page starts at its microsecond. */
interface FoundEnd {
  readonly id: string
  readonly at: string
}

/** The snapshot and the time of a statement, and one of the ends that it found. */
interface LookRow<End> {
  readonly xmin: number
  readonly xmax: number
  readonly nowMs: number
  readonly end: End | null
}

interface Look<End> {
  readonly ends: readonly End[]
  readonly confirm: () => void
}

/** The statement for the ends from an instant on; those after an end for the next page. */
type PageCall<End> = (
  fromMs: number,
  afterAt: string | null,
  afterId: string | null,
) => Call<LookRow<End>>

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
    const { ends, confirm } = await this.#look(
      cursor,
      (...page) => listDeaths(tenantId, ...page, PAGE),
      bounds,
    )
    const found: DeadLetter[] = []
    for (let i = 0; i < ends.length; i += PAGE) {
      const ids = ends.slice(i, i + PAGE).map(({ id }) => id)
      found.push(...(await this.#deadLetters.find(ids, tenantId)))
    }
    confirm()
    return found.sort((a, b) => a.diedAt.getTime() - b.diedAt.getTime())
  }

  /** Runs that were cancelled, skipped or lost, earliest first. */
  async ends(cursor: EndsCursor, tenantId: number, bounds: LookBounds = {}): Promise<RunEnd[]> {
    const { ends, confirm } = await this.#look(
      cursor,
      (...page) => listEnds(tenantId, ...page, PAGE),
      bounds,
    )
    const jobs = await this.#jobsOf(ends.map(({ id }) => id))
    confirm()
    return ends.map(({ id, at, ...end }) => ({
      ...end,
      runId: id,
      at: new Date(at),
      jobId: jobs.get(id) ?? null,
    }))
  }

  /** Workers whose leases expired without a heartbeat, so that their runs went to other workers. */
  async losses(cursor: EndsCursor, bounds: LookBounds = {}): Promise<WorkerLoss[]> {
    const { ends, confirm } = await this.#look(
      cursor,
      (...page) => listLosses(...page, PAGE),
      bounds,
    )
    confirm()
    return ends.map(({ id, at, host, pid }) => ({ workerId: id, at: new Date(at), host, pid }))
  }

  /** Returns new ends; `confirm` moves the cursor once all is read, so a failure skips none. */
  async #look<End extends FoundEnd>(
    cursor: EndsCursor,
    pageCall: PageCall<End>,
    { most = Number.POSITIVE_INFINITY }: LookBounds,
  ): Promise<Look<End>> {
    const scan = cursor.begin()
    const ends: End[] = []
    let first: LookRow<End> | undefined
    let last: End | null = null
    do {
      const call: Call<LookRow<End>> = pageCall(scan.fromMs, last?.at ?? null, last?.id ?? null)
      const rows = await this.#database.control.run(call)
      // Rows that are committed while the other pages are read belong to the next look.
      first ??= rows[0]
      ends.push(...rows.flatMap(({ end }) => (end && cursor.isNew(end.id) ? [end] : [])))
      last = (rows.length < PAGE ? null : rows.at(-1)?.end) ?? null
    } while (last && ends.length < most)
    invariant(first, 'a look without ends is one row')
    const { xmin, xmax, nowMs } = first
    const cutAt = last?.at ?? null
    const confirm = () => {
      for (const { id, at } of ends) cursor.remember(id, Date.parse(at))
      if (cutAt === null) cursor.reached(scan, nowMs, { xmin, xmax })
      else cursor.cutAt(Date.parse(cutAt), nowMs)
    }
    return { ends, confirm }
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
