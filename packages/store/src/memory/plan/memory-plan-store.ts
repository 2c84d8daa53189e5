/** The planner's store in memory: PostgresPlanStore's transactions on the tables that hold runs. */
import { type DueJob, decodeRules, type JobRules, type PlannedJob } from '@punctual/core/job'
import type { DueRequest, PlannerView, PlanStore, TenantCalendars } from '@punctual/core/ports'
import type { Calendar } from '@punctual/core/schedule'
import { retrying } from '../../connection/retrying.ts'
import type { MemoryStoreOptions } from '../tables/line.ts'
import { advanceCursors, dueJobs } from './plan.ts'

const PLAN_DEADLINE_MS = 10_000
const FORGOTTEN_MS = 60_000

export interface MemoryPlanStoreOptions extends MemoryStoreOptions {
  /** Stores the decisions of jobs whose cursors were moved, in the same transaction. */
  readonly record: (plans: readonly PlannedJob[]) => void
  /** Every planner believes that it is alone, so that all plan the same shards. */
  readonly race: boolean
  /** The calendars of all tenants. @default none */
  readonly calendars?: ReadonlyMap<string, Calendar>
  /** Called with jobs that may have failed too often. @default they continue */
  readonly onFailing?: (jobIds: readonly string[]) => void
}

export class MemoryPlanStore implements PlanStore {
  readonly #options: MemoryPlanStoreOptions

  constructor(options: MemoryPlanStoreOptions) {
    this.#options = options
  }

  announcePlanner(id: string, ttlMs: number): Promise<PlannerView> {
    const { db, line, race } = this.#options
    return line.call('announce-planner', () => {
      const nowMs = db.nowMs
      db.planners.set(id, nowMs + ttlMs)
      for (const [other, untilMs] of db.planners.entries())
        if (untilMs < nowMs - FORGOTTEN_MS) db.planners.delete(other)
      const living = db.planners.entries().filter(([, untilMs]) => untilMs > nowMs)
      const others = living.map(([other]) => other).filter((other) => other !== id)
      return {
        nowMs,
        planners: race ? [id] : [id, ...others],
        newerZoneData: null,
        anyJob: db.cursors.values().some(({ nextMs }) => nextMs !== null),
      }
    })
  }

  retirePlanner(id: string): Promise<void> {
    const { db, line } = this.#options
    return line.call('retire-planner', () => void db.planners.delete(id))
  }

  dueJobs(request: DueRequest): Promise<readonly DueJob[]> {
    return this.#options.line.call('list-due-jobs', () => dueJobs(this.#options.db, request))
  }

  rules(timings: readonly number[]): Promise<ReadonlyMap<number, JobRules>> {
    const { db, line } = this.#options
    return line.call('list-timings', () => {
      const found = timings.flatMap((timing) => {
        const text = db.timings.get(String(timing))
        return text === undefined ? [] : [[timing, decodeRules(text)] as const]
      })
      return new Map(found)
    })
  }

  async calendars(
    names: ReadonlyMap<number, ReadonlySet<string>>,
  ): Promise<ReadonlyMap<number, TenantCalendars>> {
    const all = { of: this.#options.calendars ?? new Map(), versions: new Map() }
    return new Map([...names.keys()].map((tenantId) => [tenantId, all]))
  }

  askedSkips(jobIds: readonly string[]): Promise<ReadonlyMap<string, ReadonlySet<number>>> {
    const { db, line } = this.#options
    return line.call('list-skips', () => {
      return new Map(jobIds.map((id) => [id, db.slotSkips.get(id) ?? new Set()]))
    })
  }

  async plan(jobs: readonly PlannedJob[]): Promise<number> {
    if (jobs.length === 0) return 0
    const sorted = [...jobs].sort((a, b) => (a.job.id < b.job.id ? -1 : 1))
    const retries = { clock: this.#options.clock, deadlineMs: PLAN_DEADLINE_MS }
    const accepted = await retrying(retries, () => this.#transact(sorted))
    this.#options.hints.queued([])
    return accepted
  }

  /** Moves the cursors, then stores the decisions for those that this planner could move. */
  async #transact(jobs: readonly PlannedJob[]): Promise<number> {
    const { db, line, record } = this.#options
    if (db.mutants.has('cursor-outside-transaction')) {
      const ours = await line.call('advance-cursors', () => advanceCursors(db, jobs))
      await line.call('insert-slots', () => record(ours))
      return ours.length
    }
    return line.call('plan', () => {
      const ours = advanceCursors(db, jobs)
      record(ours)
      return ours.length
    })
  }

  async pauseFailing(jobIds: readonly string[]): Promise<void> {
    this.#options.onFailing?.(jobIds)
  }

  setAside({ id, version }: DueJob, reason: string): Promise<void> {
    const { db, line } = this.#options
    return line.call('set-aside', () => {
      const [cursor, job] = [db.cursors.get(id), db.jobs.get(id)]
      if (!cursor || !job || cursor.version !== version) return
      db.cursors.set(id, { ...cursor, nextMs: null })
      db.jobs.set(id, { ...job, planningError: reason })
    })
  }
}
