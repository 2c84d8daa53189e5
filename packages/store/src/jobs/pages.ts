/**
 * Pages of jobs by name, each with its latest run and the status that follows from both. A rare
 * status is found through the few candidate jobs; otherwise jobs are examined in the order of their
 * names, in growing stretches, and a page that has used up its time returns short, with the name to
 * continue from.
 */
import { invariant, limits } from '@punctual/core/errors'
import {
  type CompiledJobPageFilter,
  isOver,
  type JobItem,
  type JobStatus,
  jobStatusTable,
} from '@punctual/core/job'
import { uuidArray } from '../connection/binary-arrays.ts'
import type { ReadSource } from '../connection/read-source.ts'
import { type CursorScope, decodeCursor, encodeCursor, questionOf } from '../runs/page-cursor.ts'
import { toJob } from './rows.ts'
import { findCandidates, type PageJobsJob, pageJobs } from './statements.gen.ts'

/** Where to find the jobs of a rare status; jobs of other statuses are searched among all. */
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
  /** The candidates, which include all matching jobs; null for all jobs. */
  readonly ids: readonly string[] | null
}

interface Look {
  readonly after: string
  readonly looks: number
  readonly rows: number
  readonly skip: number
  /** The most bytes of payloads. */
  readonly bytes: number
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
    const found: PageJobsJob[] = []
    let skip = page.skip
    let bytes: number = limits.pageBytes
    let cut = false
    const end = await this.#walk(question, after, PAGE_MS, async (look) => {
      // One row more than wanted shows whether a next page exists.
      const rows = page.limit + 1 - found.length
      const stretch = await this.#look(question, { ...look, rows, skip, bytes, counting: false })
      found.push(...stretch.rows)
      skip = Math.max(0, skip - stretch.matched)
      bytes -= stretch.rows.reduce((sum, { payload }) => sum + payload.length, 0)
      cut = stretch.cut || bytes <= 0
      return { ...stretch, enough: cut || found.length > page.limit }
    })
    const given = found.slice(0, page.limit)
    // A page whose payloads are large is shorter, and the next one continues after it.
    const full = found.length > page.limit || (cut && found.length > 0)
    const next = full ? (given.at(-1)?.name ?? null) : end
    return {
      jobs: given.map(toItem),
      nextCursor: next === null ? null : encodeCursor(scope, next),
      complete: full || next === null,
    }
  }

  /** How many jobs match: exact up to 10,000, unless the search runs out of time. */
  async total(
    filter: CompiledJobPageFilter,
    tenantId: number,
  ): Promise<{ total: number; totalExact: boolean }> {
    const question = await this.#ask(filter, tenantId)
    let total = 0
    const end = await this.#walk(question, UNTIL_NAME, TOTAL_MS, async (look) => {
      const rows = limits.numberedJobs + 1 - total
      const stretch = await this.#look(question, {
        ...look,
        rows,
        skip: 0,
        bytes: 0,
        counting: true,
      })
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
      bytes: limits.pageBytes,
      counting: false,
    }
    return (await this.#look(question, look)).rows.map(toItem)
  }

  /** Examines stretch after stretch; returns the last name examined, or null at the list end. */
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
      // Candidates are all examined together.
      if (ids !== null || looked < looks || last === null) return null
      if (localClock.monotonicMs() - startedMs >= budgetMs) return after
      looks = Math.min(looks * STRETCH_GROWS, limits.pageLooks)
    }
  }

  async #ask(filter: CompiledJobPageFilter, tenantId: number): Promise<Question> {
    const { statuses, nextFromMs, nextToMs } = filter
    const ranged = nextFromMs !== undefined && nextToMs !== undefined
    const few = statuses?.map((status) => FEW[status] ?? (isOver(status) ? ['over'] : null))
    const kinds = few?.every((places) => places !== null) ? few.flat() : ranged ? ['next'] : null
    if (!kinds) return { tenantId, filter, ids: null }
    const most = limits.numberedJobs + 1
    const call = findCandidates(tenantId, kinds, nextFromMs ?? null, nextToMs ?? null, most)
    const rows = await this.#database.browse.runReplanned(call)
    const ids = rows.length > limits.numberedJobs ? null : rows.flatMap(({ jobId }) => jobId ?? [])
    return { tenantId, filter, ids }
  }

  async #look({ tenantId, filter, ids }: Question, look: Look) {
    const call = pageJobs(
      ...([tenantId, look.after, filter.namePrefix ?? null] as const),
      ids ? uuidArray(ids) : null,
      ...([filter.queue ?? null, filter.handler ?? null, filter.labels ?? null] as const),
      ...([filter.nextFromMs ?? null, filter.nextToMs ?? null] as const),
      filter.statuses ?? null,
      ...([look.looks, look.rows, look.skip, look.counting] as const),
      jobStatusTable.map(({ job }) => job),
      jobStatusTable.map(({ run }) => run),
      jobStatusTable.map(({ status }) => status),
      look.bytes,
    )
    const rows = await this.#database.browse.runReplanned(call)
    const [first] = rows
    invariant(first, 'a page without jobs is one row')
    const { looked, last, matched, cut } = first
    return { looked, last, matched, cut, rows: rows.flatMap(({ job }) => job ?? []) }
  }
}

function toItem({
  status,
  runId,
  state,
  attempt,
  startedAt,
  finishedAt,
  ...job
}: PageJobsJob): JobItem {
  const executionMs = startedAt && finishedAt ? finishedAt.getTime() - startedAt.getTime() : null
  const ofRun = { attempt: attempt ?? 0, startedAt, finishedAt, executionMs }
  const latestRun = runId !== null && state !== null ? { id: runId, state, ...ofRun } : null
  return { ...toJob(job), status, latestRun }
}
