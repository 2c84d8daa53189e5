/** Reads runs for people: one with everything about it, lists by state, logs. Never used for a decision. */
import {
  type FinalState,
  finalStateOf,
  finalStates,
  type LogLine,
  type LogPosition,
  limits,
  type Run,
  type RunState,
  type RunSummary,
  runIdFloor,
} from '@punctual/core'
import { int2Array, uuidArray } from './binary-arrays.ts'
import type { Database } from './database.ts'
import { DAY_MS, dayStart } from './days.ts'
import { date, summary, toAttempt, toLogLine, toRun } from './run-rows.ts'

/** A run's id carries its due time: some are ahead. */
const DAYS_AHEAD = 14
const DAYS_AT_ONCE = 15

export interface ListFilter {
  readonly tenantId?: number
  readonly states?: readonly RunState[]
  readonly queue?: string
  readonly handler?: string
  readonly limit?: number
  /** How many days back finished runs are looked for. @default 90 */
  readonly days?: number
}

export class RunReader {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async find(id: string, tenantId: number | null = null): Promise<Run | null> {
    const { read } = this.#database
    const [[row], attempts] = await Promise.all([
      read.query(this.#database.statement('runs/find-run'), [id, tenantId]),
      read.query(this.#database.statement('runs/list-attempts'), [id]),
    ])
    return row ? toRun(row, attempts.map(toAttempt)) : null
  }

  /** Which of these runs have ended. */
  async finished(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const sorted = [...ids].sort()
    const rows = await this.#database.read.query(this.#database.statement('runs/find-finished'), [
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
  ): Promise<LogLine[]> {
    const { read } = this.#database
    const values = [id, after.attempt, after.seq, limit]
    return (await read.query(this.#database.statement('runs/list-logs'), values)).map(toLogLine)
  }

  /** The last lines of a run's log, oldest first. */
  async lastLogs(id: string, count: number): Promise<LogLine[]> {
    const { read } = this.#database
    const rows = await read.query(this.#database.statement('runs/list-last-logs'), [id, count])
    return rows.map(toLogLine).reverse()
  }

  async list(filter: ListFilter = {}): Promise<RunSummary[]> {
    const limit = Math.min(filter.limit ?? 50, 1_000)
    const wants = (state: RunState) => !filter.states?.length || filter.states.includes(state)
    const lists = await Promise.all([
      wants('running') || wants('cancelling') ? this.#running(filter, limit) : [],
      wants('queued') || wants('scheduled') ? this.#waiting(filter, limit) : [],
      this.#finished(filter, limit),
    ])
    return lists
      .flat()
      .filter((run) => wants(run.state))
      .slice(0, limit)
  }

  #scope(filter: ListFilter) {
    return [filter.tenantId ?? 1, filter.queue ?? null, filter.handler ?? null] as const
  }

  async #waiting(filter: ListFilter, limit: number): Promise<RunSummary[]> {
    const rows = await this.#database.read.query(this.#database.statement('runs/list-waiting'), [
      ...this.#scope(filter),
      limit,
    ])
    return rows.map(([id, queued, handler, queue, priority, dueAt, attempt]) => ({
      ...summary(id, handler, queue, priority, dueAt, attempt),
      state: queued === 't' ? 'queued' : 'scheduled',
    }))
  }

  async #running(filter: ListFilter, limit: number): Promise<RunSummary[]> {
    const rows = await this.#database.read.query(this.#database.statement('runs/list-running'), [
      ...this.#scope(filter),
      limit,
    ])
    return rows.map(([id, handler, queue, priority, dueAt, attempt, , , cancelling]) => ({
      ...summary(id, handler, queue, priority, dueAt, attempt),
      state: cancelling === 't' ? 'cancelling' : 'running',
    }))
  }

  /** Walks the days newest first: one statement over all of them would lock every partition. */
  async #finished(filter: ListFilter, limit: number): Promise<RunSummary[]> {
    const states = (Object.keys(finalStates) as FinalState[]).filter(
      (s) => !filter.states?.length || filter.states.includes(s),
    )
    if (states.length === 0) return []
    const found: RunSummary[] = []
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

  async #day(filter: ListFilter, states: readonly FinalState[], fromMs: number, limit: number) {
    const rows = await this.#database.read.query(this.#database.statement('runs/list-finished'), [
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
