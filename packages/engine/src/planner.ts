/**
 * Turns slots of jobs into runs ahead of time: the runs of a crowded second are in the queue before
 * it begins, and the death of a planner makes no run late. Planners divide the shards among
 * themselves, but only as an optimisation: a job advances only if it is unchanged since it was
 * read. So any number of planners may race, even with clocks that are minutes apart, because only
 * the database's clock counts.
 *
 * Slots that are due now come before missed ones. This one loop owns all mutable state.
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
  /** Unique among all planners. */
  readonly id: string
  /** How far ahead slots become runs. */
  readonly aheadMs: number
  /** A planner that has been silent for this long counts as dead. */
  readonly ttlMs: number
  /** Whether hints announce new and changed jobs: then polling is slower. */
  readonly hintsArrive: () => boolean
  readonly batch?: number
  /**
   * Unless it is behind, the planner works in small batches and pauses around full seconds. Most
   * schedules fire then, and the database should serve the workers that run them. @default false
   */
  readonly givesWay?: boolean
  onPlanned?(result: { jobs: number; runs: number; skips: number }): void
  onSetAside?(job: string, reason: string): void
  /**
   * The database's clock jumped ahead by this much: nothing is planned until it is correct again.
   */
  onHeld?(aheadMs: number): void
  /** Another planner has newer time zone data and plans the jobs; this one pauses. */
  onOutdated?(newerZoneData: string): void
}

const BATCH = 2_000
const SMALL_BATCH = 400
/**
 * The pause around a full second; a small batch that began before it ends before the second does.
 */
const BUSY_FROM_MS = 880
const BUSY_UNTIL_MS = 120
/**
 * The most decisions in one write; after an outage the rest of the batch follows in the next tick.
 */
const DECISIONS_MAX = 20_000
/**
 * Together with `ttlMs` this bounds how long taking over from a dead planner takes: less than 10 s.
 */
const REST_WITH_HINTS_MS = 2_000
const REST_MS = 1_000
const REST_WITHOUT_JOBS_MS = 15_000
/** Jobs whose next slot is older than this are read only every `MISSED_EVERY_MS`. */
const RECENT_MS = 60_000
const MISSED_EVERY_MS = 10_000
const RULES_MAX = 200_000
/** The calendars that one batch applies. Jobs that name others wait for the next batch. */
const CALENDARS_MAX = 256

export class Planner implements Role {
  readonly name = 'planner'
  readonly #options: PlannerOptions
  readonly #timings = new TimingCache()
  readonly #rules = new Map<number, JobRules>()
  readonly #steps: StepDetector
  #shards: { planners: string; owned: readonly number[] } = { planners: '', owned: [] }
  #missedAtMs = Number.NEGATIVE_INFINITY
  #turn = 0
  #outdatedBy: string | null = null
  /** True when no slot that was read is due soon. */
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

  /**
   * Pauses until the planners with newer data are gone: stale data is better than no planner at
   * all.
   */
  #standBack(newerZoneData: string): number {
    if (this.#outdatedBy !== newerZoneData) this.#options.onOutdated?.(newerZoneData)
    this.#outdatedBy = newerZoneData
    return REST_WITH_HINTS_MS
  }

  /** How long to pause around the full second; 0 for a planner that is behind. */
  #busyMs(nowMs: number): number {
    if (!this.#options.givesWay || !this.#early) return 0
    const phaseMs = nowMs % 1_000
    if (phaseMs < BUSY_UNTIL_MS) return BUSY_UNTIL_MS - phaseMs
    return phaseMs >= BUSY_FROM_MS ? 1_000 + BUSY_UNTIL_MS - phaseMs : 0
  }

  /** Each tick starts with a different shard, so that under overload no shard is always last. */
  #rotated(shards: readonly number[]): number[] {
    const start = shards.length > 0 ? (this.#turn++ * 37) % shards.length : 0
    return [...shards.slice(start), ...shards.slice(0, start)]
  }

  /** Computed again when a planner starts or ends. */
  #owned(planners: readonly string[]): readonly number[] {
    const key = [...planners].sort().join()
    if (this.#shards.planners !== key)
      this.#shards = { planners: key, owned: ownedShards(this.#options.id, planners) }
    return this.#shards.owned
  }

  /** Plans one batch of jobs; returns whether there may be more. */
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
    // Missed slots are read by a separate query.
    if (untilMs > view.nowMs) this.#early = firstMs > view.nowMs + aheadMs / 2
    if (jobs.length === 0) return false
    await this.#learn(jobs)
    const { names, waiting } = this.#named(jobs)
    const calendarsOf = names.size > 0 ? await store.calendars(names) : new Map()
    const withSkips = jobs.filter((job) => job.hasSkips).map((job) => job.id)
    const skips = withSkips.length > 0 ? await store.askedSkips(withSkips) : new Map()
    const window = { nowMs: view.nowMs, untilMs: view.nowMs + aheadMs }
    const planned: PlannedJob[] = []
    const failing: string[] = []
    let decided = 0
    for (const job of jobs) {
      if (decided >= DECISIONS_MAX) break
      if (waiting.has(job)) continue
      try {
        const rules = this.#rules.get(job.timing)
        if (!rules) throw new Error(`The rules ${job.timing} are missing.`)
        if (job.failures >= (rules.pauseAfterFailures ?? Number.POSITIVE_INFINITY)) {
          failing.push(job.id)
          continue
        }
        const tenantCalendars = calendarsOf.get(job.tenantId)
        const calendars = tenantCalendars?.of ?? new Map()
        const context = { window, timings: this.#timings, calendars, skips: skips.get(job.id) }
        const plan = planJob(job, rules, context)
        planned.push(
          rules.calendars ? { ...plan, calendars: versionsOf(rules, tenantCalendars) } : plan,
        )
        decided += plan.decisions.length
      } catch (error) {
        await this.#setAside(job, (error as Error).message)
      }
    }
    if (failing.length > 0) await store.pauseFailing(failing)
    const accepted = await store.plan(planned, (job, reason) => this.#setAside(job, reason))
    this.#report(planned, accepted)
    // If no job was accepted, another planner is planning the same ones; do not compete with it.
    const rest = jobs.length >= limit || decided >= DECISIONS_MAX || waiting.size > 0
    return rest && accepted > 0
  }

  #report(planned: readonly PlannedJob[], jobs: number): void {
    let [runs, skips] = [0, 0]
    for (const { decisions } of planned)
      for (const { decision } of decisions) decision === 'run' ? runs++ : skips++
    this.#options.onPlanned?.({ jobs, runs, skips })
  }

  /** Reads the rules that these jobs need and that are not cached. */
  async #learn(jobs: readonly DueJob[]): Promise<void> {
    const unknown = new Set<number>()
    for (const { timing } of jobs) if (!this.#rules.has(timing)) unknown.add(timing)
    if (unknown.size === 0) return
    if (this.#rules.size > RULES_MAX) this.#rules.clear()
    for (const [timing, rules] of await this.#options.store.rules([...unknown]))
      this.#rules.set(timing, rules)
  }

  /**
   * The calendars that these jobs name, for which the store has to answer with the current versions
   * after the jobs were read, in every batch: a calendar exists before the first job that uses it,
   * and a changed calendar applies to every slot that is not planned yet. Also returns the jobs
   * that wait, because a batch holds a bounded number of calendars in memory.
   */
  #named(jobs: readonly DueJob[]) {
    const names = new Map<number, Set<string>>()
    const waiting = new Set<DueJob>()
    let count = 0
    for (const job of jobs) {
      const { calendars = [] } = this.#rules.get(job.timing) ?? {}
      if (calendars.length === 0) continue
      const known = names.get(job.tenantId) ?? new Set()
      const fresh = calendars.filter((name) => !known.has(name))
      if (count + fresh.length > CALENDARS_MAX) {
        waiting.add(job)
        continue
      }
      count += fresh.length
      for (const name of fresh) known.add(name)
      names.set(job.tenantId, known)
    }
    return { names, waiting }
  }

  /** A job that cannot be planned must not prevent the others from being planned. */
  async #setAside(job: DueJob, reason: string): Promise<void> {
    await this.#options.store.setAside(job, reason)
    this.#options.onSetAside?.(job.id, reason)
  }

  /** The other planners take over at once instead of after `ttlMs`. */
  async retire(): Promise<void> {
    await this.#options.store.retirePlanner(this.#options.id)
  }
}

function versionsOf({ calendars = [] }: JobRules, current: TenantCalendars | undefined) {
  return calendars.map((name) => ({ name, version: current?.versions.get(name) ?? 0 }))
}
