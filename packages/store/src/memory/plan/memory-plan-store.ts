/** The planner's store in memory: PostgresPlanStore's transactions on the tables that hold runs. */
import { type DueJob, decodeRules, type JobRules, type PlannedJob } from '@punctual/core/job'
import type { DueRequest, PlannerView, PlanStore, TenantCalendars } from '@punctual/core/ports'
import { retrying } from '../../connection/retrying.ts'
import type { MemoryStoreOptions } from '../tables/line.ts'
import { advanceCursors, dueJobs, insertSlots } from './plan.ts'

const PLAN_DEADLINE_MS = 10_000
const FORGOTTEN_MS = 60_000

export interface MemoryPlanStoreOptions extends MemoryStoreOptions {
  /** Returns the id for the run of a slot. */
  readonly nextId: (timeMs: number, jobId: string, slotMs: number) => string
  /** Every planner believes that it is alone, so that all plan the same shards. */
  readonly race: boolean
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

  async calendars(): Promise<ReadonlyMap<number, TenantCalendars>> {
    return new Map()
  }

  async askedSkips(): Promise<ReadonlyMap<string, ReadonlySet<number>>> {
    return new Map()
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
    const { db, line, nextId } = this.#options
    if (db.mutants.has('cursor-outside-transaction')) {
      const ours = await line.call('advance-cursors', () => advanceCursors(db, jobs))
      await line.call('insert-slots', () => insertSlots(db, ours, nextId))
      return ours.length
    }
    return line.call('plan', () => {
      const ours = advanceCursors(db, jobs)
      insertSlots(db, ours, nextId)
      return ours.length
    })
  }

  async pauseFailing(): Promise<void> {}

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
