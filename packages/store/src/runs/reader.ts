/** Reads runs for humans: one run in full, lists by state, logs. Never used for a decision. */
import { invariant, limits } from '@punctual/core/errors'
import {
  type FinalState,
  finalStates,
  isFinal,
  type LiveState,
  type LogLine,
  type LogPosition,
  type Run,
  type RunState,
  type RunSummary,
  runIdFloor,
  runIdTimeMs,
  runStates,
} from '@punctual/core/run'
import { int2Array, uuidArray } from '../connection/binary-arrays.ts'
import { DAY_MS, dayStart } from '../connection/day-names.ts'
import type { ReadSource } from '../connection/read-source.ts'
import { readTime } from '../connection/statements.gen.ts'
import { type FilterInStore, runFilterValues } from './filter-values.ts'
import { RunFinder } from './finder.ts'
import { summary, toLogLine } from './rows.ts'
import {
  findFinished,
  listFinished,
  listLastLogs,
  listLive,
  listLogs,
  selectRuns,
} from './statements.gen.ts'

/** A run's id carries its due time, so some days lie in the future. */
const DAYS_AHEAD = 14
const DAYS_AT_ONCE = 15

export interface ListFilter extends FilterInStore {
  readonly tenantId?: number
  readonly limit?: number
  /** How many days back finished runs are searched. @default 90 */
  readonly days?: number
}

/** Matching runs of one stretch of ids. */
export interface RunSelection {
  readonly runs: readonly { readonly id: string; readonly state: LiveState }[]
  /** Where the next stretch starts; null after the last. */
  readonly next: string | null
}

/** Whether the filter can be answered without the definitions of runs. */
function isPlain({ states, queue, handler, tenantId, limit, days, ...others }: ListFilter) {
  return Object.values(others).every((value) => value === undefined)
}

const LIVE: readonly RunState[] = [
  ...['running', 'cancelling', 'awaiting'],
  ...['waiting', 'scheduled', 'queued'],
] as const

export class RunReader {
  readonly #database: ReadSource
  readonly #finder: RunFinder

  constructor(database: ReadSource) {
    this.#database = database
    this.#finder = new RunFinder(database)
  }

  /** Returns the run with its attempts; null when it does not exist. */
  find(id: string, tenantId: number | null = null): Promise<Run | null> {
    return this.#finder.find(id, tenantId)
  }

  /** The database's clock. */
  async nowMs(): Promise<number> {
    const [row] = await this.#database.reads.run(readTime())
    invariant(row, 'the clock is one row')
    return Math.floor(row.ms)
  }

  /** Returns which of these runs have ended. */
  async finished(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const sorted = [...ids].sort()
    const [first, last] = [sorted[0] ?? null, sorted.at(-1) ?? null]
    const rows = await this.#database.reads.run(findFinished(uuidArray(sorted), first, last))
    return new Set(rows.map(({ runId }) => runId))
  }

  /** The lines of a run's log after a position, oldest first. */
  async logs(
    id: string,
    after: LogPosition = { attempt: 0, seq: -1 },
    limit: number = limits.logLinesPerPage,
    tenantId: number | null = null,
  ): Promise<LogLine[]> {
    const { browse } = this.#database
    const rows = await browse.run(listLogs(id, after.attempt, after.seq, limit, tenantId))
    return rows.map(toLogLine)
  }

  /** The last lines of a run's log, oldest first. */
  async lastLogs(id: string, count: number, tenantId: number | null = null): Promise<LogLine[]> {
    const rows = await this.#database.browse.run(listLastLogs(id, count, tenantId))
    return rows.map(toLogLine).reverse()
  }

  /** Reads live runs first: a run that ends meanwhile is then found among the finished ones. */
  async list(filter: ListFilter = {}): Promise<RunSummary[]> {
    const limit = Math.min(filter.limit ?? 50, 1_000)
    const wants = (state: RunState) => !filter.states?.length || filter.states.includes(state)
    const live = await this.#live(filter, LIVE.filter(wants), limit)
    const finished = await this.#finished(filter, limit)
    const ended = new Set(finished.map(({ id }) => id))
    return [...live.filter(({ id }) => !ended.has(id)), ...finished].slice(0, limit)
  }

  /**
   * Selects the live runs that match, in the order of their ids, from the stretch after an id.
   * Examines at most `size` runs, unless the filter names ids.
   */
  async select(filter: ListFilter, after: string, size: number): Promise<RunSelection> {
    const [row] = await this.#database.reads.runPinned(
      selectRuns(...this.#scope(filter), after, size, [...(filter.states ?? [])]),
    )
    invariant(row, 'a stretch of runs is one row')
    return row
  }

  #scope(filter: ListFilter) {
    return runFilterValues(filter, filter.tenantId ?? 1)
  }

  async #live(filter: ListFilter, states: readonly RunState[], limit: number) {
    if (states.length === 0) return []
    const rows = await this.#database.browse.run(
      listLive(...this.#scope(filter), limit, [...states], isPlain(filter) ? limit : null),
    )
    return rows.map((row): RunSummary => ({ ...summary(row), state: row.state }))
  }

  /** Walks the days, newest first: one statement over all of them would lock every partition. */
  async #finished(filter: ListFilter, limit: number): Promise<RunSummary[]> {
    const states = runStates
      .filter(isFinal)
      .filter((state) => !filter.states?.length || filter.states.includes(state))
    if (states.length === 0) return []
    const found: RunSummary[] = []
    if (filter.ids) return this.#finishedOf(filter.ids, filter, states, limit)
    const todayMs = dayStart(this.#database.clock.nowMs())
    const days = filter.days ?? 90
    for (let back = -DAYS_AHEAD; back <= days && found.length < limit; back += DAYS_AT_ONCE) {
      const count = Math.min(DAYS_AT_ONCE, days - back + 1)
      const starts = Array.from({ length: count }, (_, i) => todayMs - (back + i) * DAY_MS)
      const lists = await Promise.all(
        starts.map((fromMs) => this.#day(filter, states, fromMs, limit)),
      )
      found.push(...lists.flat())
    }
    return found.slice(0, limit)
  }

  /** Searches only the days that the ids name. */
  async #finishedOf(
    ids: readonly string[],
    filter: ListFilter,
    states: readonly FinalState[],
    limit: number,
  ): Promise<RunSummary[]> {
    const days = new Set(ids.map((id) => dayStart(runIdTimeMs(id))))
    const found: RunSummary[] = []
    for (const day of [...days].sort((a, b) => b - a))
      if (found.length < limit) found.push(...(await this.#day(filter, states, day, limit)))
    return found.slice(0, limit)
  }

  async #day(filter: ListFilter, states: readonly FinalState[], fromMs: number, limit: number) {
    const codes = int2Array(states.map((state) => finalStates[state]))
    const [from, before] = [runIdFloor(fromMs), runIdFloor(fromMs + DAY_MS)]
    const rows = await this.#database.browse.run(
      listFinished(...this.#scope(filter), codes, from, before, limit),
    )
    return rows.map(
      (row): RunSummary => ({
        ...summary(row),
        state: row.state,
        finishedAt: row.finishedAt,
        error: row.error ?? row.reason,
      }),
    )
  }
}
