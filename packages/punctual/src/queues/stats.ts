/** `punctual.stats`: how runs ended, by minutes, days and jobs, from counters and sums. */
import { type Instant, instantOf, integer, refuseOption } from '@punctual/core/check'
import { limits } from '@punctual/core/errors'
import type { Ends, RecentEnds, Report } from '@punctual/core/queue'
import { type FinalState, finalStates } from '@punctual/core/run'
import type { PostgresStore } from '@punctual/store'

const DAY_MS = 86_400_000
const FINAL = Object.keys(finalStates) as FinalState[]

/** The days and the grouping of a report. */
export interface ReportOptions {
  /** The first day, given as any instant of it in UTC. @default thirty days before `to` */
  from?: Instant
  /** The last day, given as any instant of it in UTC. @default today */
  to?: Instant
  /**
   * `day`: all runs, by the day they ended. `job`: runs of jobs, by the day they were due. @default
   * day
   */
  by?: 'day' | 'job'
}

/** `punctual.stats`: how runs ended, by minutes, days and jobs. */
export class Stats {
  readonly #store: PostgresStore
  readonly #tenantId: number

  /** @internal */
  constructor(store: PostgresStore, tenantId: number) {
    this.#store = store
    this.#tenantId = tenantId
  }

  /**
   * How runs ended in the last minutes, by queue and handler.
   * @param options - `minutes`: how far back, from 1 to 1,440; 5 by default.
   */
  async recent(options: { minutes?: number } = {}): Promise<RecentEnds[]> {
    const { minutes = 5 } = options
    integer('minutes', minutes, 1, 1_440)
    const found = await this.#store.replica.read(({ stats }) =>
      stats.recent(minutes, this.#tenantId),
    )
    const lanes = grouped(found, ({ queue, handler }) => JSON.stringify([queue, handler]))
    return lanes.map(([first, ends]) => ({ queue: first.queue, handler: first.handler, ...ends }))
  }

  /**
   * How runs ended, by day or by job, up to 366 days.
   * @throws `PunctualError` with `invalid_option`.
   * @example
   * ```ts
   * const { rows } = await punctual.stats.report({ from: '2026-11-01T00:00:00Z', by: 'job' })
   * for (const { name, runs, successRate } of rows) console.log(name, runs, successRate)
   * ```
   */
  async report(options: ReportOptions = {}): Promise<Report> {
    const { by = 'day', fromMs, toMs } = this.#range(options)
    const { replica } = this.#store
    if (by === 'day') {
      const ends = await replica.read(({ stats }) => stats.days(fromMs, toMs, this.#tenantId))
      const days = grouped(ends, ({ day }) => day)
      return { rows: days.map(([{ day }, ends]) => ({ name: day, ...ends })), countedTo: null }
    }
    const { throughMs, jobs } = await replica.read(({ stats }) =>
      stats.jobs(fromMs, toMs, this.#tenantId),
    )
    const rows = grouped(jobs, ({ id }) => id ?? '')
    return {
      rows: rows.map(([{ id, name }, ends]) => ({ name, jobId: id, ...ends })),
      countedTo: throughMs < toMs ? new Date(throughMs) : null,
    }
  }

  #range({ from, to, by, ...others }: ReportOptions) {
    const [unknown] = Object.keys(others)
    if (unknown !== undefined)
      refuseOption('options', 'an object with only from, to and by', unknown)
    if (by !== undefined && by !== 'day' && by !== 'job') refuseOption('by', 'day or job', by)
    const dayOf = (ms: number) => Math.floor(ms / DAY_MS) * DAY_MS
    const nowMs = this.#store.database.clock.nowMs()
    const toMs = dayOf(to === undefined ? nowMs : instantOf('to', to)) + DAY_MS
    const fromMs = from === undefined ? toMs - 31 * DAY_MS : dayOf(instantOf('from', from))
    if (fromMs >= toMs || toMs - fromMs > limits.reportDays * DAY_MS)
      refuseOption('from', `up to ${limits.reportDays} days before to`, from)
    return { by, fromMs, toMs }
  }
}

/**
 * How the runs of each worker ended in the last hour, by worker id; workers without ended runs are
 * missing.
 */
export async function endsOfWorkers(store: PostgresStore): Promise<ReadonlyMap<string, Ends>> {
  const found = await store.replica.read(({ stats }) => stats.workers())
  return new Map(grouped(found, (row) => row.worker).map(([{ worker }, ends]) => [worker, ends]))
}

/** Groups rows by key, each group with its first row, in the order of first appearance. */
function grouped<Row extends { state: FinalState; runs: number }>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
): [Row, Ends][] {
  const groups = new Map<string, [Row, Record<FinalState, number>]>()
  for (const row of rows) {
    const [, ended] = groups.get(keyOf(row)) ?? [row, noneEnded()]
    ended[row.state] += row.runs
    if (!groups.has(keyOf(row))) groups.set(keyOf(row), [row, ended])
  }
  return [...groups.values()].map(([row, ended]) => [row, toEnds(ended)])
}

export function noneEnded(): Record<FinalState, number> {
  return Object.fromEntries(FINAL.map((state) => [state, 0])) as Record<FinalState, number>
}

function toEnds(ended: Readonly<Record<FinalState, number>>): Ends {
  const runs = FINAL.reduce((sum, state) => sum + ended[state], 0)
  const tried = ended.succeeded + ended.dead + ended.unknown
  return { runs, ended, successRate: tried === 0 ? null : ended.succeeded / tried }
}
