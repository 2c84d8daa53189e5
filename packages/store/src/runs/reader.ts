/** Reads runs for humans: one run in full, lists by state, logs. Never used for a decision. */
import { limits } from '@punctual/core/errors'
import {
  type FinalState,
  finalStateOf,
  finalStates,
  type LiveState,
  type LogLine,
  type LogPosition,
  type Run,
  type RunState,
  type RunSummary,
  runIdFloor,
  runIdTimeMs,
} from '@punctual/core/run'
import { int2Array, uuidArray } from '../connection/binary-arrays.ts'
import type { Row } from '../connection/channel.ts'
import { DAY_MS, dayStart } from '../connection/day-names.ts'
import type { ReadSource } from '../connection/read-source.ts'
import { retrying } from '../connection/retrying.ts'
import { type FilterInStore, runFilterValues } from './filter-values.ts'
import { date, summary, toAttempt, toLogLine, toRun } from './rows.ts'

/** A run's id carries its due time, so some days lie in the future. */
const DAYS_AHEAD = 14
const DAYS_AT_ONCE = 15
const FIND_DEADLINE_MS = 10_000

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

const LIVE: readonly RunState[] = ['running', 'cancelling', 'waiting', 'scheduled', 'queued']

export class RunReader {
  readonly #database: ReadSource

  constructor(database: ReadSource) {
    this.#database = database
  }

  /** Retries a broken connection for ten seconds; an unreachable server is a coded error. */
  async find(id: string, tenantId: number | null = null): Promise<Run | null> {
    const { reads, localClock: clock } = this.#database
    const [[row], attempts] = await retrying({ clock, deadlineMs: FIND_DEADLINE_MS }, () =>
      Promise.all([
        reads.query(this.#database.statement('runs/find-run'), [id, tenantId]),
        reads.query(this.#database.statement('runs/list-attempts'), [id]),
      ]),
    )
    return row ? toRun(row, attempts.map(toAttempt)) : null
  }

  /** The database's clock. */
  async nowMs(): Promise<number> {
    const [row] = await this.#database.reads.query(this.#database.statement('jobs/read-clock'))
    return Number(row?.[0])
  }

  /** Returns which of these runs have ended. */
  async finished(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const sorted = [...ids].sort()
    const rows = await this.#database.reads.query(this.#database.statement('runs/find-finished'), [
      uuidArray(sorted),
      sorted[0] as string,
      sorted.at(-1) as string,
    ])
    return new Set(rows.map(([id]) => id as string))
  }

  /** The lines of a run's log after a position, oldest first. */
  async logs(
    id: string,
    after: LogPosition = { attempt: 0, seq: -1 },
    limit: number = limits.logLinesPerPage,
    tenantId: number | null = null,
  ): Promise<LogLine[]> {
    const { reads } = this.#database
    const values = [id, after.attempt, after.seq, limit, tenantId]
    return (await reads.query(this.#database.statement('runs/list-logs'), values)).map(toLogLine)
  }

  /** The last lines of a run's log, oldest first. */
  async lastLogs(id: string, count: number, tenantId: number | null = null): Promise<LogLine[]> {
    const { reads } = this.#database
    const statement = this.#database.statement('runs/list-last-logs')
    const rows = await reads.query(statement, [id, count, tenantId])
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
    const [row] = await this.#database.reads.pinnedOne(
      this.#database.statement('runs/steering/select-runs'),
      [...this.#scope(filter), after, size, [...(filter.states ?? [])]],
    )
    const [next, ids, states] = row as Row
    const stateOf = states?.split(',') ?? []
    const runs = (ids?.split(',') ?? []).map((id, i) => ({ id, state: stateOf[i] as LiveState }))
    return { runs, next: next ?? null }
  }

  #scope(filter: ListFilter) {
    return runFilterValues(filter, filter.tenantId ?? 1)
  }

  async #live(filter: ListFilter, states: readonly RunState[], limit: number) {
    if (states.length === 0) return []
    const rows = await this.#database.reads.query(this.#database.statement('runs/list-live'), [
      ...this.#scope(filter),
      limit,
      [...states],
      isPlain(filter) ? limit : null,
    ])
    return rows.map(
      ([id, state, handler, queue, priority, dueAt, attempt]): RunSummary => ({
        ...summary(id, handler, queue, priority, dueAt, attempt),
        state: state as RunState,
      }),
    )
  }

  /** Walks the days, newest first: one statement over all of them would lock every partition. */
  async #finished(filter: ListFilter, limit: number): Promise<RunSummary[]> {
    const states = (Object.keys(finalStates) as FinalState[]).filter(
      (s) => !filter.states?.length || filter.states.includes(s),
    )
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
    const rows = await this.#database.reads.query(this.#database.statement('runs/list-finished'), [
      ...this.#scope(filter),
      int2Array(states.map((state) => finalStates[state])),
      runIdFloor(fromMs),
      runIdFloor(fromMs + DAY_MS),
      limit,
    ])
    return rows.map((row): RunSummary => {
      const [id, state, handler, queue, priority, dueAt, attempt, finishedAt, error, reason] = row
      return {
        ...summary(id, handler, queue, priority, dueAt, attempt),
        state: finalStateOf.get(Number(state)) as FinalState,
        finishedAt: date(finishedAt),
        error: error ?? reason ?? null,
      }
    })
  }
}
