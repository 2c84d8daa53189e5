/**
 * Computes where a job continues after an edit. Slots up to now follow the old rules: missed slots
 * are caught up, and those of a job that could not be planned are skipped. Decisions for future
 * slots are taken back, and the new rules start after the decisions that stay.
 */
import { type CompiledJob, encodeRules, firstSlot } from '@punctual/core/job'
import type { TimingCache } from '@punctual/core/schedule'
import type pg from 'pg'
import type { HeldJob, JobTransaction, TakenBack } from './job-transaction.ts'
import type { PassedDecisions } from './passed-decisions.ts'

export interface JobEditsOptions {
  readonly jobs: JobTransaction
  readonly timings: TimingCache
  readonly passed: PassedDecisions
}

export interface JobPlace {
  readonly nextMs: number | null
  readonly anchorMs: number | null
  readonly cursorMs: number
  readonly runsLeft: number | null
  /** From when on the old rules had no slots, because the last run was made; null if it was not. */
  readonly overMs: number | null
}

export class JobEdits {
  readonly #options: JobEditsOptions

  constructor(options: JobEditsOptions) {
    this.#options = options
  }

  async place(client: pg.Client, held: HeldJob, job: CompiledJob): Promise<JobPlace> {
    const { stored, nowMs } = held
    const afterEnd = stored.rules.when.kind === 'after-end'
    const passed = await this.#options.passed.decide(client, held)
    const back = await held.takeBack()
    const left = passed.runsLeft === null ? null : passed.runsLeft + back.runs
    const used = (stored.maxRuns ?? 0) - (left ?? 0)
    const runsLeft = job.maxRuns === null ? null : Math.max(0, job.maxRuns - used)
    const stayMs = back.stayMs ?? 0
    // A job that keeps waiting for its runs to end keeps the slot of the last run.
    const keeps = afterEnd && job.rules.when.kind === 'after-end'
    const cursorMs = Math.max(keeps ? Math.min(held.cursorMs, nowMs) : nowMs, stayMs)
    const { nextMs, anchorMs } = await this.#next(client, held, job, back)
    const rests = stored.pausedAt !== null || runsLeft === 0
    const overMs = passed.runsLeft === 0 ? passed.lastMs + 1 : null
    return { nextMs: rests ? null : nextMs, anchorMs, cursorMs, runsLeft, overMs }
  }

  async #next(client: pg.Client, held: HeldJob, job: CompiledJob, back: TakenBack) {
    const { stored, nowMs, cursorMs } = held
    const { when, timezone } = job.rules
    const sameRhythm = encodeRules({ ...stored.rules, when, timezone }) === stored.rulesText
    // Slots that are due by now were decided by the old rules.
    const fromMs = Math.max(nowMs, back.stayMs ?? 0) + 1
    const keptMs = sameRhythm && (stored.anchorMs ?? 0) <= nowMs ? stored.anchorMs : null
    const first = firstSlot(job, stored.id, this.#options.timings, fromMs, keptMs)
    const { kind } = job.rules.when
    if (kind !== stored.rules.when.kind) return first
    if (kind === 'once') {
      // A job that was set aside has no next slot, and has not had its run.
      const aheadMs = stored.planningError ? stored.anchorMs : stored.nextAt?.getTime()
      const due = (aheadMs ?? 0) > nowMs
      const decided = !due && stored.pausedAt === null && back.runs === 0
      // It has had its run, and gets another one only if its time changes.
      return decided && job.onceMs === stored.anchorMs ? { ...first, nextMs: null } : first
    }
    if (kind !== 'after-end') return first
    if (stored.nextAt === null && back.runs === 0) {
      const live = await this.#options.jobs.hasLiveRun(client, stored.id, cursorMs)
      return live ? { nextMs: null, anchorMs: null } : first
    }
    if (job.startMs !== null && job.startMs > nowMs) return first
    if (sameRhythm && back.runs === 0)
      return { nextMs: stored.nextAt?.getTime() ?? null, anchorMs: stored.anchorMs }
    return { nextMs: nowMs, anchorMs: nowMs }
  }
}
