/**
 * Pages of jobs by name, each with its latest run and the status that follows from both. What is rare among many jobs
 * is found by the few that may be meant; otherwise jobs are looked at in the order of their names, so many at once, and a
 * page that has looked at enough comes back short with the name where to go on.
 */
import { limits } from '@punctual/core/errors'
import {
  type CompiledJobPageFilter,
  type JobItem,
  type JobStatus,
  jobStatusTable,
} from '@punctual/core/job'
import type { RunState } from '@punctual/core/run'
import { uuidArray } from '../connection/binary-arrays.ts'
import type { Row, Value } from '../connection/channel.ts'
import type { ReadSource } from '../connection/read-source.ts'
import { type CursorScope, decodeCursor, encodeCursor, questionOf } from '../runs/page-cursor.ts'
import { date } from '../runs/rows.ts'
import { toJob } from './rows.ts'

/** Where jobs of a status are that are few beside all; the others are looked for among all. */
const FEW: Partial<Record<JobStatus, readonly string[]>> = {
  queued: ['queue'],
  running: ['leases'],
  cancelling: ['leases'],
  waiting_dependencies: ['parked'],
  paused: ['paused'],
}
const STRETCH = 2_000
const STRETCH_GROWS = 4
const PAGE_MS = 100
const TOTAL_MS = 100
const UNTIL_NAME = ''

export interface PageOfJobs {
  readonly jobs: readonly JobItem[]
  readonly nextCursor: string | null
  readonly complete: boolean
}

interface Question {
  readonly tenantId: number
  readonly filter: CompiledJobPageFilter
  /** The jobs among which all are that match; null = all jobs. */
  readonly ids: readonly string[] | null
}

interface Look {
  readonly after: string
  readonly looks: number
  readonly rows: number
  readonly skip: number
  readonly counting: boolean
}

export class JobPages {
  readonly #database: ReadSource

  constructor(database: ReadSource) {
    this.#database = database
  }

  async page(
    filter: CompiledJobPageFilter,
    page: { limit: number; cursor: string | undefined; skip: number },
    tenantId: number,
  ): Promise<PageOfJobs> {
    const scope: CursorScope = { list: 'jobs', tenantId, question: questionOf(filter) }
    const after = page.cursor === undefined ? UNTIL_NAME : decodeCursor(scope, page.cursor)
    const question = await this.#ask(filter, tenantId)
    const found: Row[] = []
    let skip = page.skip
    const end = await this.#walk(question, after, PAGE_MS, async (look) => {
      // One more than is wanted tells whether there is a next page.
      const rows = page.limit + 1 - found.length
      const stretch = await this.#look(question, { ...look, rows, skip, counting: false })
      found.push(...stretch.rows)
      skip = Math.max(0, skip - stretch.matched)
      return { ...stretch, enough: found.length > page.limit }
    })
    const given = found.slice(0, page.limit)
    const full = found.length > page.limit
    const next = full ? nameOf(given.at(-1) as Row) : end
    return {
      jobs: given.map(toItem),
      nextCursor: next === null ? null : encodeCursor(scope, next),
      complete: full || next === null,
    }
  }

  /** How many match: exact to 10,000, unless more have to be looked at than there is time for. */
  async total(
    filter: CompiledJobPageFilter,
    tenantId: number,
  ): Promise<{ total: number; totalExact: boolean }> {
    const question = await this.#ask(filter, tenantId)
    let total = 0
    const end = await this.#walk(question, UNTIL_NAME, TOTAL_MS, async (look) => {
      const rows = limits.numberedJobs + 1 - total
      const stretch = await this.#look(question, { ...look, rows, skip: 0, counting: true })
      total += stretch.matched
      return { ...stretch, enough: total > limits.numberedJobs }
    })
    return { total: Math.min(total, limits.numberedJobs), totalExact: end === null }
  }

  /** Jobs by their ids. */
  async find(ids: readonly string[], tenantId: number): Promise<readonly JobItem[]> {
    const question = { tenantId, filter: {}, ids }
    const look = {
      after: UNTIL_NAME,
      looks: ids.length,
      rows: ids.length,
      skip: 0,
      counting: false,
    }
    return (await this.#look(question, look)).rows.map(toItem)
  }

  /** Looks at stretch after stretch; returns the name behind which nothing was looked at, null at the end. */
  async #walk(
    { ids }: Question,
    from: string,
    budgetMs: number,
    take: (look: {
      after: string
      looks: number
    }) => Promise<{ looked: number; last: string | null; enough: boolean }>,
  ): Promise<string | null> {
    const { localClock } = this.#database
    const startedMs = localClock.monotonicMs()
    let after = from
    let looks = ids === null ? STRETCH : ids.length
    for (;;) {
      const { looked, last, enough } = await take({ after, looks })
      if (last !== null) after = last
      if (enough) return after
      // Of those that are named all are looked at together.
      if (ids !== null || looked < looks || last === null) return null
      if (localClock.monotonicMs() - startedMs >= budgetMs) return after
      looks = Math.min(looks * STRETCH_GROWS, limits.pageLooks)
    }
  }

  async #ask(filter: CompiledJobPageFilter, tenantId: number): Promise<Question> {
    const { statuses, nextFromMs, nextToMs } = filter
    const ranged = nextFromMs !== undefined && nextToMs !== undefined
    const few = statuses?.map((status) => FEW[status] ?? (isOver(status) ? ['over'] : null))
    const kinds = few?.every((it) => it !== null) ? few.flat() : ranged ? ['next'] : null
    if (!kinds) return { tenantId, filter, ids: null }
    const rows = await this.#database.browse.query(
      { ...this.#database.statement('jobs/find-candidates'), name: '' },
      [tenantId, kinds as string[], nextFromMs ?? null, nextToMs ?? null, limits.numberedJobs + 1],
    )
    const ids = rows.length > limits.numberedJobs ? null : rows.map(([id]) => id as string)
    return { tenantId, filter, ids }
  }

  async #look({ tenantId, filter, ids }: Question, look: Look) {
    const values: Value[] = [
      ...[tenantId, look.after, filter.namePrefix ?? null],
      ids ? uuidArray([...ids]) : null,
      ...[filter.queue ?? null, filter.handler ?? null, filter.labels ?? null],
      ...[filter.nextFromMs ?? null, filter.nextToMs ?? null],
      filter.statuses ? [...filter.statuses] : null,
      ...[look.looks, look.rows, look.skip, look.counting],
      jobStatusTable.map(({ job }) => job),
      jobStatusTable.map(({ run }) => run),
      jobStatusTable.map(({ status }) => status),
    ]
    // Without a name, so that it is planned for what is asked.
    const { text } = this.#database.statement('jobs/page-jobs')
    const rows = await this.#database.browse.query({ name: '', text }, values)
    const [looked, last, matched] = rows[0] as Row
    return {
      looked: Number(looked),
      last: last ?? null,
      matched: Number(matched),
      rows: rows.map((row) => row.slice(3)).filter(([status]) => status),
    }
  }
}

const isOver = (status: JobStatus) =>
  ['cancelled', 'completed', 'failed', 'dead_letter'].includes(status)

function nameOf(row: Row): string {
  return row[8] as string
}

function toItem(row: Row): JobItem {
  const [status, runId, state, attempt, startedAt, finishedAt] = row
  const started = date(startedAt)
  const finished = date(finishedAt)
  return {
    ...toJob(row.slice(6)),
    status: status as JobStatus,
    latestRun: runId
      ? {
          id: runId,
          state: state as RunState,
          attempt: Number(attempt),
          startedAt: started,
          finishedAt: finished,
          executionMs: started && finished ? finished.getTime() - started.getTime() : null,
        }
      : null,
  }
}
