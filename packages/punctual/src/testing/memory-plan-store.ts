/**
 * The store of the lab: answers the planners' requests from memory, by the same rules as
 * PostgreSQL. A job advances only if it is unchanged since it was read, and every answer lets the
 * other planners run first.
 */
import type { DueJob, JobRules, PlannedJob } from '@punctual/core/job'
import type { DueRequest, PlannerView, PlanStore, TenantCalendars } from '@punctual/core/ports'
import { type Calendar, type CalendarInput, parseCalendar } from '@punctual/core/schedule'
import { SHARDS } from '@punctual/engine'
import type { StoredLabJob } from './lab-job.ts'
import type { VirtualTime } from './virtual-clock.ts'

export interface MemoryPlanStoreOptions {
  readonly time: VirtualTime
  readonly calendars: Readonly<Record<string, CalendarInput>>
  /** Every planner sees only itself, so that all planners plan the same shards. */
  readonly race: boolean
  readonly onPlanned: (job: StoredLabJob, plan: PlannedJob) => void
  readonly onFailing: (job: StoredLabJob) => void
}

export class MemoryPlanStore implements PlanStore {
  readonly jobs = new Map<string, StoredLabJob>()
  readonly #options: MemoryPlanStoreOptions
  readonly #planners = new Map<string, number>()
  readonly #rules = new Map<string, number>()
  readonly #byNumber = new Map<number, JobRules>()
  readonly allCalendars: ReadonlyMap<string, Calendar>

  constructor(options: MemoryPlanStoreOptions) {
    this.#options = options
    this.allCalendars = new Map(
      Object.entries(options.calendars).map(([name, input]) => [name, parseCalendar(input)]),
    )
  }

  /** Equal rules get the same number. */
  internRules(text: string, rules: JobRules): number {
    const known = this.#rules.get(text)
    if (known !== undefined) return known
    const timing = this.#rules.size + 1
    this.#rules.set(text, timing)
    this.#byNumber.set(timing, rules)
    return timing
  }

  /** The earliest slot to decide; null when there is none. */
  get nextMs(): number | null {
    let least: number | null = null
    for (const { nextMs } of this.jobs.values())
      if (nextMs !== null && (least === null || nextMs < least)) least = nextMs
    return least
  }

  async announcePlanner(id: string, ttlMs: number): Promise<PlannerView> {
    const { nowMs } = this.#options.time
    this.#planners.set(id, nowMs + ttlMs)
    const alive = [...this.#planners]
      .filter(([, untilMs]) => untilMs > nowMs)
      .map(([planner]) => planner)
    return {
      nowMs,
      planners: this.#options.race ? [id] : alive,
      newerZoneData: null,
      anyJob: this.nextMs !== null,
    }
  }

  async retirePlanner(id: string): Promise<void> {
    this.#planners.delete(id)
  }

  async dueJobs({ shards, fromMs, untilMs, limit }: DueRequest): Promise<readonly DueJob[]> {
    const owned = shards.length === SHARDS ? null : new Set(shards)
    const due: DueJob[] = []
    for (const job of this.jobs.values())
      if (
        job.nextMs !== null &&
        job.nextMs >= fromMs &&
        job.nextMs <= untilMs &&
        (owned === null || owned.has(job.shard))
      )
        due.push(dueJob(job, job.nextMs))
    return due.sort((a, b) => a.nextMs - b.nextMs).slice(0, limit)
  }

  async rules(timings: readonly number[]): Promise<ReadonlyMap<number, JobRules>> {
    const found = timings.flatMap((timing) => {
      const rules = this.#byNumber.get(timing)
      return rules ? [[timing, rules] as const] : []
    })
    return new Map(found)
  }

  async calendars(tenantIds: readonly number[]): Promise<ReadonlyMap<number, TenantCalendars>> {
    const all = { of: this.allCalendars, versions: new Map() }
    return new Map(tenantIds.map((tenantId) => [tenantId, all]))
  }

  async askedSkips(jobIds: readonly string[]): Promise<ReadonlyMap<string, ReadonlySet<number>>> {
    return new Map(jobIds.map((id) => [id, this.jobs.get(id)?.skips ?? new Set<number>()]))
  }

  async plan(plans: readonly PlannedJob[]): Promise<number> {
    return this.accept(plans)
  }

  /** Accepts the plans of jobs that are unchanged since they were read; returns how many. */
  accept(plans: readonly PlannedJob[]): number {
    let accepted = 0
    for (const plan of plans) {
      const job = this.jobs.get(plan.job.id)
      if (!job || job.nextMs !== plan.job.nextMs || job.version !== plan.job.version) continue
      job.nextMs = plan.nextMs
      job.runsLeft = plan.runsLeft
      job.anchorMs = plan.anchorMs
      job.cursorMs = Math.max(job.cursorMs, plan.decisions.at(-1)?.slotMs ?? 0)
      this.#options.onPlanned(job, plan)
      accepted++
    }
    return accepted
  }

  async pauseFailing(jobIds: readonly string[]): Promise<void> {
    for (const id of jobIds) {
      const job = this.jobs.get(id)
      if (job) this.#options.onFailing(job)
    }
  }

  async setAside({ id, version }: DueJob, reason: string): Promise<void> {
    const job = this.jobs.get(id)
    if (!job || job.version !== version) return
    job.nextMs = null
    job.planningError = reason
  }
}

export function dueJob(job: StoredLabJob, nextMs: number): DueJob {
  return {
    ...{ id: job.id, tenantId: 1, nextMs, version: job.version, timing: job.timing },
    ...{ anchorMs: job.anchorMs, endMs: job.compiled.endMs, runsLeft: job.runsLeft },
    ...{ hasSkips: job.skips.size > 0, failures: job.failures, cursorMs: job.cursorMs },
    suspended: false,
  }
}
