/**
 * Turns slots of jobs into runs ahead of their time, so that a second in which many are due is in the queue
 * before it comes, and a planner's death makes nothing late. Planners divide the shards among themselves;
 * that is an optimisation only: a job is moved on by whoever finds it as it was read, so that any number of
 * planners may race, with clocks that are minutes apart: only the database's clock is asked.
 *
 * What is due now comes before what was missed. All state is owned by this one loop.
 */
import type { Clock } from '@punctual/core/clock'
import { type DueJob, type JobRules, type PlannedJob, planJob } from '@punctual/core/job'
import type { PlannerView, PlanStore, TenantCalendars } from '@punctual/core/ports'
import { TimingCache } from '@punctual/core/schedule'
import type { Role } from './role.ts'
import { ownedShards } from './shards.ts'
import { StepDetector } from './step-detector.ts'

export interface PlannerOptions {
  readonly store: PlanStore
  readonly clock: Clock
  /** A number of this planner that no other has. */
  readonly id: string
  /** How far ahead slots become runs. */
  readonly aheadMs: number
  /** How long after its last word a planner is taken for dead. */
  readonly ttlMs: number
  /** Whether hints tell of new and changed jobs: then looking is slower. */
  readonly hintsArrive: () => boolean
  readonly batch?: number
  /**
   * While there is time, plans in small pieces and not around full seconds: that is when most schedules fire, and
   * then the database belongs to those who run them. @default false
   */
  readonly givesWay?: boolean
  onPlanned?(result: { jobs: number; runs: number; skips: number }): void
  onSetAside?(job: string, reason: string): void
  /** The database's clock has jumped ahead by so much: nothing is planned until it is right. */
  onHeld?(aheadMs: number): void
  /** Another planner has newer time zone data: this one leaves the jobs to it. */
  onOutdated?(newerZoneData: string): void
}

const BATCH = 2_000
const SMALL_BATCH = 400
/** Around a full second: a small piece that is begun before takes less than what is left. */
const BUSY_FROM_MS = 880
const BUSY_UNTIL_MS = 120
/** Decisions that are written together; what is left of a batch after an outage comes next. */
const DECISIONS_MAX = 20_000
/** With the time to live of a planner this is how long a take-over may last: less than 10 s. */
const REST_WITH_HINTS_MS = 2_000
const REST_MS = 1_000
const REST_WITHOUT_JOBS_MS = 15_000
/** Jobs whose next slot is older than this are looked for now and then only. */
const RECENT_MS = 60_000
const MISSED_EVERY_MS = 10_000
const RULES_MAX = 200_000

export class Planner implements Role {
  readonly name = 'planner'
  readonly #options: PlannerOptions
  readonly #timings = new TimingCache()
  readonly #rules = new Map<number, JobRules>()
  readonly #steps: StepDetector
  #shards: { of: string; owned: readonly number[] } = { of: '', owned: [] }
  #missedAtMs = Number.NEGATIVE_INFINITY
  #turn = 0
  #outdatedBy: string | null = null
  /** Nothing that was found to plan is due soon. */
  #early = false

  constructor(options: PlannerOptions) {
    this.#options = options
    this.#steps = new StepDetector(options.clock)
  }

  async tick(): Promise<number> {
    const { store, id, ttlMs, aheadMs, clock } = this.#options
    const view = await store.announcePlanner(id, ttlMs)
    const heldMs = this.#steps.aheadMs(view.nowMs)
    if (heldMs > 0) {
      this.#options.onHeld?.(heldMs)
      return REST_WITH_HINTS_MS
    }
    if (view.newerZoneData !== null) return this.#standBack(view.newerZoneData)
    this.#outdatedBy = null
    if (!view.anyJob) return this.#options.hintsArrive() ? REST_WITHOUT_JOBS_MS : REST_MS
    const busyMs = this.#busyMs(view.nowMs)
    if (busyMs > 0) return busyMs
    const shards = this.#rotated(this.#owned(view.planners))
    const startedMs = clock.monotonicMs()
    const recentMs = view.nowMs - RECENT_MS
    const more = await this.#plan(view, shards, recentMs, view.nowMs + aheadMs)
    if (more) return 0
    if (startedMs - this.#missedAtMs >= MISSED_EVERY_MS) {
      if (await this.#plan(view, shards, 0, recentMs - 1)) return 0
      this.#missedAtMs = startedMs
    }
    const restMs = this.#options.hintsArrive() ? REST_WITH_HINTS_MS : REST_MS
    return Math.max(1, restMs - (clock.monotonicMs() - startedMs))
  }

  /** Until those with newer data are gone: older data is better than nobody who plans. */
  #standBack(newerZoneData: string): number {
    if (this.#outdatedBy !== newerZoneData) this.#options.onOutdated?.(newerZoneData)
    this.#outdatedBy = newerZoneData
    return REST_WITH_HINTS_MS
  }

  /** How long to keep off. Who is behind does not. */
  #busyMs(nowMs: number): number {
    if (!this.#options.givesWay || !this.#early) return 0
    const phaseMs = nowMs % 1_000
    if (phaseMs < BUSY_UNTIL_MS) return BUSY_UNTIL_MS - phaseMs
    return phaseMs >= BUSY_FROM_MS ? 1_000 + BUSY_UNTIL_MS - phaseMs : 0
  }

  /** Each tick begins with another shard: where there is too much to do, none is always last. */
  #rotated(shards: readonly number[]): number[] {
    const start = shards.length > 0 ? (this.#turn++ * 37) % shards.length : 0
    return [...shards.slice(start), ...shards.slice(0, start)]
  }

  /** Computed again when a planner has come or gone. */
  #owned(planners: readonly string[]): readonly number[] {
    const of = [...planners].sort().join()
    if (this.#shards.of !== of)
      this.#shards = { of, owned: ownedShards(this.#options.id, planners) }
    return this.#shards.owned
  }

  /** One batch of jobs; returns whether there may be more. */
  async #plan(
    view: PlannerView,
    shards: readonly number[],
    fromMs: number,
    untilMs: number,
  ): Promise<boolean> {
    const { store, aheadMs } = this.#options
    const limit =
      this.#options.batch ?? (this.#options.givesWay && this.#early ? SMALL_BATCH : BATCH)
    const jobs = await store.dueJobs({ shards, fromMs, untilMs, limit })
    const firstMs = jobs.reduce((least, { nextMs }) => Math.min(least, nextMs), untilMs)
    // What was missed is looked for in another stretch.
    if (untilMs > view.nowMs) this.#early = firstMs > view.nowMs + aheadMs / 2
    if (jobs.length === 0) return false
    await this.#learn(jobs)
    const calendarsOf = await this.#calendars(jobs)
    const asked = jobs.filter((job) => job.hasSkips).map((job) => job.id)
    const skips = asked.length > 0 ? await store.askedSkips(asked) : new Map()
    const window = { nowMs: view.nowMs, untilMs: view.nowMs + aheadMs }
    const planned: PlannedJob[] = []
    const failing: string[] = []
    let decided = 0
    for (const job of jobs) {
      if (decided >= DECISIONS_MAX) break
      try {
        const rules = this.#rules.get(job.timing)
        if (!rules) throw new Error(`The rules ${job.timing} do not exist.`)
        if (job.failures >= (rules.pauseAfterFailures ?? Number.POSITIVE_INFINITY)) {
          failing.push(job.id)
          continue
        }
        const asked = calendarsOf.get(job.tenantId)
        const calendars = asked?.of ?? new Map()
        const context = { window, timings: this.#timings, calendars, skips: skips.get(job.id) }
        const plan = planJob(job, rules, context)
        planned.push(rules.calendars ? { ...plan, calendars: versionsOf(rules, asked) } : plan)
        decided += plan.decisions.length
      } catch (error) {
        await this.#setAside(job, (error as Error).message)
      }
    }
    if (failing.length > 0) await store.pauseFailing(failing)
    const accepted = await store.plan(planned, (job, reason) => this.#setAside(job, reason))
    this.#report(planned, accepted)
    // When none was accepted others are at it; they are not waited for.
    return (jobs.length >= limit || decided >= DECISIONS_MAX) && accepted > 0
  }

  #report(planned: readonly PlannedJob[], jobs: number): void {
    let [runs, skips] = [0, 0]
    for (const { decisions } of planned)
      for (const { decision } of decisions) decision === 'run' ? runs++ : skips++
    this.#options.onPlanned?.({ jobs, runs, skips })
  }

  /** Reads the rules that these jobs need and that are not known. */
  async #learn(jobs: readonly DueJob[]): Promise<void> {
    const unknown = new Set<number>()
    for (const { timing } of jobs) if (!this.#rules.has(timing)) unknown.add(timing)
    if (unknown.size === 0) return
    if (this.#rules.size > RULES_MAX) this.#rules.clear()
    for (const [timing, rules] of await this.#options.store.rules([...unknown]))
      this.#rules.set(timing, rules)
  }

  /**
   * Read after the jobs that name them, in every batch: a calendar is there before the job that names it, and a change
   * of it holds for every slot that is not planned yet.
   */
  async #calendars(jobs: readonly DueJob[]): Promise<ReadonlyMap<number, TenantCalendars>> {
    const tenants = new Set<number>()
    for (const { timing, tenantId } of jobs)
      if (this.#rules.get(timing)?.calendars) tenants.add(tenantId)
    return tenants.size > 0 ? this.#options.store.calendars([...tenants]) : new Map()
  }

  /** One job that cannot be planned does not keep the others from it. */
  async #setAside(job: DueJob, reason: string): Promise<void> {
    await this.#options.store.setAside(job, reason)
    this.#options.onSetAside?.(job.id, reason)
  }

  /** The others need not wait until it is taken for dead. */
  async retire(): Promise<void> {
    await this.#options.store.retirePlanner(this.#options.id)
  }
}

function versionsOf({ calendars = [] }: JobRules, asked: TenantCalendars | undefined) {
  return calendars.map((name) => ({ name, version: asked?.versions.get(name) ?? 0 }))
}
