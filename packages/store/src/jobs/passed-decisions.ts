/**
 * Decides the slots of a job that passed without a decision, by its current rules: missed slots are
 * caught up, and those of a job that is paused or could not be planned are skipped. The caller
 * holds the cursor, and moves it.
 */
import { type DueJob, type PlannedJob, planJob } from '@punctual/core/job'
import type { TimingCache } from '@punctual/core/schedule'
import type pg from 'pg'
import { instantsOf, type PlanWriter } from '../plan/plan-writer.ts'
import type { HeldJob, JobTransaction } from './job-transaction.ts'
import { passedSlots } from './passed-slots.ts'

export interface PassedDecisionsOptions {
  readonly jobs: JobTransaction
  readonly timings: TimingCache
  readonly writer: PlanWriter
}

/** The position of the job after deciding. */
export interface DecidedUntil {
  readonly runsLeft: number | null
  /** The last decided slot. */
  readonly lastMs: number
  /** The next slot to decide; null when none exists, and while the job is paused or set aside. */
  readonly nextMs: number | null
}

/** How many bounded rounds of deciding missed slots run at most. */
const ROUNDS_MAX = 100

export class PassedDecisions {
  readonly #options: PassedDecisionsOptions

  constructor(options: PassedDecisionsOptions) {
    this.#options = options
  }

  async decide(client: pg.Client, held: HeldJob): Promise<DecidedUntil> {
    const { stored, nowMs, cursorMs } = held
    let nextMs = stored.nextAt?.getTime() ?? null
    let { runsLeft } = stored
    let lastMs = cursorMs
    // Slots of a job that waits for its runs to end do not pass.
    if (stored.rules.when.kind === 'after-end') return { runsLeft, lastMs, nextMs }
    if (stored.pausedAt || stored.planningError) {
      const { passed } = passedSlots(stored, this.#options.timings, nowMs, cursorMs)
      if (passed) {
        held.writesOf([passed.slotMs])
        const reason = stored.pausedAt ? 'paused' : 'misfire'
        await this.#options.jobs.skipSlots(client, stored, passed, reason)
      }
      return { runsLeft, lastMs: passed?.slotMs ?? cursorMs, nextMs }
    }
    for (let round = 0; nextMs !== null && nextMs <= nowMs && round < ROUNDS_MAX; round++) {
      const plan: PlannedJob = await this.#plan(held, { nextMs, cursorMs: lastMs, runsLeft })
      held.writesOf(plan.decisions.flatMap(instantsOf))
      held.queued(await this.#options.writer.write(client, [plan]))
      runsLeft = plan.runsLeft
      nextMs = plan.nextMs
      lastMs = plan.decisions.at(-1)?.slotMs ?? lastMs
    }
    return { runsLeft, lastMs, nextMs }
  }

  async #calendars(tenantId: number, names: readonly string[]) {
    const named = new Map([[tenantId, new Set(names)]])
    return (await this.#options.writer.calendars.read(named)).get(tenantId)?.of ?? new Map()
  }

  async #plan(
    { stored, nowMs, suspended }: HeldJob,
    at: Pick<DueJob, 'nextMs' | 'cursorMs' | 'runsLeft'>,
  ): Promise<PlannedJob> {
    const { id, tenantId, version, timing, anchorMs, failures, rules } = stored
    const endMs = stored.endAt?.getTime() ?? null
    const calendars = rules.calendars ? await this.#calendars(tenantId, rules.calendars) : new Map()
    const skips = (await this.#options.writer.askedSkips([id])).get(id)
    const due = { id, tenantId, version, timing, anchorMs, endMs, failures }
    const job = { ...due, ...at, hasSkips: skips !== undefined, suspended }
    return planJob(job, rules, {
      window: { nowMs, untilMs: nowMs },
      timings: this.#options.timings,
      calendars,
      skips,
    })
  }
}
