/** Counts how runs ended, from counters and the janitor's sums of past days; reads no history. */
import { limits } from '@punctual/core/errors'
import { type FinalState, finalStateOf, runIdFloor } from '@punctual/core/run'
import type { Row } from '../connection/channel.ts'
import type { ReadSource } from '../connection/read-source.ts'

const HOUR_MS = 3_600_000
const HOURS_AT_ONCE = 24
const OTHERS = '00000000-0000-0000-0000-000000000000'

export interface CountedEnds {
  readonly state: FinalState
  readonly runs: number
}

const endsOf = (
  state: string | null | undefined,
  runs: string | null | undefined,
): CountedEnds => ({
  state: finalStateOf.get(Number(state)) as FinalState,
  runs: Number(runs),
})

export class StatStore {
  readonly #database: ReadSource

  constructor(database: ReadSource) {
    this.#database = database
  }

  #query(path: string, values: readonly (number | string)[]): Promise<Row[]> {
    // Without a name, so that the server plans it for the requested days.
    const { text } = this.#database.statement(path)
    return this.#database.browse.query({ name: '', text }, values)
  }

  async recent(minutes: number, tenantId: number) {
    const rows = await this.#query('stats/sum-recent', [tenantId, minutes])
    return rows.map(([queue, handler, state, runs]) => ({
      ...{ queue: queue as string, handler: handler as string },
      ...endsOf(state, runs),
    }))
  }

  /** How each worker's runs ended in the last hour. */
  async workers() {
    const rows = await this.#query('sessions/sum-session-ends', [])
    return rows.map(([worker, state, runs]) => ({
      worker: worker as string,
      ...endsOf(state, runs),
    }))
  }

  async days(fromMs: number, toMs: number, tenantId: number) {
    const rows = await this.#query('stats/sum-days', [tenantId, fromMs, toMs])
    return rows.map(([day, state, runs]) => ({ day: day as string, ...endsOf(state, runs) }))
  }

  /**
   * `throughMs`: slots that were due later are not counted yet. A null id stands for all jobs
   * beyond the limit together.
   */
  async jobs(fromMs: number, toMs: number, tenantId: number) {
    const values = [tenantId, fromMs, toMs, limits.reportedJobs]
    const rows = await this.#query('stats/sum-jobs', values)
    const jobs = rows.flatMap(([, id, name, state, runs]) =>
      id ? [{ id: id === OTHERS ? null : id, name: name ?? null, ...endsOf(state, runs) }] : [],
    )
    return { throughMs: Number(rows[0]?.[0]), jobs }
  }

  /** Counts the runs of jobs in past hours; returns how many rows it wrote. */
  async sumJobHours(): Promise<number> {
    let written = 0
    for (let hour = 0; hour < HOURS_AT_ONCE; hour++) {
      const [next] = await this.#query('stats/read-through', [])
      if (next?.[1] !== 't') return written
      const throughMs = Number(next[0])
      const [row] = await this.#query('upkeep/sweeps/sum-job-hour', [
        ...[throughMs, runIdFloor(throughMs), runIdFloor(throughMs + HOUR_MS)],
        limits.reportedJobs,
      ])
      written += Number(row?.[0])
    }
    return written
  }
}
