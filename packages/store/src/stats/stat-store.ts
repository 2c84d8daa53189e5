/** Counts how runs ended, from counters and the janitor's sums of past days; reads no history. */
import { invariant, limits } from '@punctual/core/errors'
import { runIdFloor } from '@punctual/core/run'
import type { ReadSource } from '../connection/read-source.ts'
import { sumSessionEnds } from '../sessions/statements.gen.ts'
import { sumJobHour } from '../upkeep/statements.gen.ts'
import { readThrough, sumDays, sumJobs, sumRecent } from './statements.gen.ts'

const HOUR_MS = 3_600_000
const HOURS_AT_ONCE = 24
const OTHERS = '00000000-0000-0000-0000-000000000000'

/** Its statements are planned again for each call, for the requested days. */
export class StatStore {
  readonly #database: ReadSource

  constructor(database: ReadSource) {
    this.#database = database
  }

  recent(minutes: number, tenantId: number) {
    return this.#database.browse.runReplanned(sumRecent(tenantId, minutes))
  }

  /** How each worker's runs ended in the last hour. */
  async workers() {
    const rows = await this.#database.browse.runReplanned(sumSessionEnds())
    return rows.map(({ sessionId, ...ends }) => ({ worker: sessionId, ...ends }))
  }

  days(fromMs: number, toMs: number, tenantId: number) {
    return this.#database.browse.runReplanned(sumDays(tenantId, fromMs, toMs))
  }

  /**
   * `throughMs`: slots that were due later are not counted yet. A null id stands for all jobs
   * beyond the limit together.
   */
  async jobs(fromMs: number, toMs: number, tenantId: number) {
    const call = sumJobs(tenantId, fromMs, toMs, limits.reportedJobs)
    const rows = await this.#database.browse.runReplanned(call)
    invariant(rows[0], 'a sum without runs is one row')
    const jobs = rows
      .flatMap(({ ends }) => ends ?? [])
      .map(({ jobId, ...ends }) => ({ id: jobId === OTHERS ? null : jobId, ...ends }))
    return { throughMs: rows[0].through, jobs }
  }

  /** Counts the runs of jobs in past hours; returns how many rows it wrote. */
  async sumJobHours(): Promise<number> {
    const { browse } = this.#database
    let written = 0
    for (let hour = 0; hour < HOURS_AT_ONCE; hour++) {
      const [next] = await browse.runReplanned(readThrough())
      if (!next?.isPast) return written
      const { through } = next
      const ids = [runIdFloor(through), runIdFloor(through + HOUR_MS)] as const
      const [row] = await browse.runReplanned(sumJobHour(through, ...ids, limits.reportedJobs))
      written += row?.rows ?? 0
    }
    return written
  }
}
