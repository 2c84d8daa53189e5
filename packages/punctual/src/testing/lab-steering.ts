/** Steering of jobs in the lab: the rules are those of the store, applied to memory. */
import {
  type CompiledJob,
  countSlots,
  encodeRules,
  firstSlot,
  lastSlot,
  type NextSlot,
  nextSlotOf,
  planJob,
  timingInput,
} from '@punctual/core/job'
import { compileTiming, nextSlot, type TimingCache } from '@punctual/core/schedule'
import type { LabEra, LabJob, StoredLabJob } from './lab-job.ts'
import { dueJob, type MemoryPlanStore } from './memory-plan-store.ts'

const ROUNDS_MAX = 1_000

export class LabSteering {
  readonly #store: MemoryPlanStore
  readonly #timings: TimingCache

  constructor(store: MemoryPlanStore, timings: TimingCache) {
    this.#store = store
    this.#timings = timings
  }

  begin(job: StoredLabJob, nowMs: number): void {
    const { nextMs, anchorMs } = firstSlot(job.compiled, job.id, this.#timings, nowMs)
    this.#place(job, nextMs, anchorMs, nowMs)
  }

  #place(job: StoredLabJob, nextMs: number | null, anchorMs: number | null, fromMs: number): void {
    const { rules, endMs, startMs } = job.compiled
    job.anchorMs = anchorMs
    job.next = this.#nextOf(job, anchorMs)
    job.nextMs = job.paused || job.runsLeft === 0 ? null : nextMs
    const { kind } = rules.when
    const rhythm: LabEra['rhythm'] = kind === 'once' || kind === 'after-end' ? kind : 'rhythm'
    const slotMs = nextMs ?? Number.POSITIVE_INFINITY
    const firstMs = rhythm === 'once' ? slotMs : Math.max(fromMs, startMs ?? 0)
    job.eras.push({ next: job.next, rhythm, fromMs: firstMs, endMs, untilMs: Infinity })
  }

  /** Compiled once, because the proof calls it for every slot. */
  #nextOf({ id, compiled: { rules } }: StoredLabJob, anchorMs: number | null): NextSlot {
    const input = timingInput(rules, { seed: id, anchorMs: anchorMs ?? 0 })
    if (input === null || rules.when.kind === 'after-end')
      return nextSlotOf({ id, anchorMs }, rules, this.#timings)
    const timing = compileTiming(input)
    return (afterMs) => nextSlot(timing, afterMs)
  }

  edit(job: StoredLabJob, options: LabJob, compiled: CompiledJob, timing: number, nowMs: number) {
    this.#decidePassed(job, nowMs)
    const { stayMs, runs } = this.takeBack(job, nowMs)
    const before = job.compiled
    const hadRun = job.nextMs === null && !job.paused && runs === 0
    const sameWhen =
      encodeRules({ ...before.rules, when: compiled.rules.when }) === before.rulesText &&
      before.rules.timezone === compiled.rules.timezone
    const era = job.eras.at(-1)
    const decidedMs = Math.max(nowMs, stayMs ?? 0)
    if (era) era.untilMs = job.runsLeft === 0 ? Math.min(job.cursorMs, decidedMs) : decidedMs
    const used = (before.maxRuns ?? 0) - (job.runsLeft ?? 0)
    job.runsLeft = compiled.maxRuns === null ? null : Math.max(0, compiled.maxRuns - used)
    const keptMs = sameWhen && (job.anchorMs ?? 0) <= nowMs ? job.anchorMs : null
    const waits = compiled.rules.when.kind === 'after-end' && this.#isBusy(job)
    const same =
      sameWhen && compiled.onceMs === before.onceMs && compiled.delayMs === before.delayMs
    const over = compiled.rules.when.kind === 'once' && same && hadRun
    job.options = options
    job.compiled = compiled
    job.timing = timing
    job.version++
    job.planningError = null
    if (job.kind !== 'after-end') job.cursorMs = decidedMs
    const first = firstSlot(compiled, job.id, this.#timings, decidedMs + 1, keptMs)
    this.#place(job, waits || over ? null : first.nextMs, first.anchorMs, decidedMs + 1)
  }

  pause(job: StoredLabJob, nowMs: number): void {
    if (job.paused) return
    this.#decidePassed(job, nowMs)
    const { stayMs } = this.takeBack(job, nowMs)
    job.cursorMs = Math.max(Math.min(job.cursorMs, nowMs), stayMs ?? 0)
    job.nextMs = null
    job.paused = true
    job.version++
  }

  resume(job: StoredLabJob, nowMs: number): void {
    if (!job.paused) return
    this.#skipPassed(job, nowMs)
    job.paused = false
    job.failures = 0
    job.version++
    if (job.runsLeft === 0) return
    if (job.kind === 'after-end') this.#resumeAfterEnd(job, nowMs)
    else job.nextMs = this.#within(job, this.#after(job, job.cursorMs))
  }

  #resumeAfterEnd(job: StoredLabJob, nowMs: number): void {
    if (this.#isBusy(job)) return
    const followsMs = job.endedMs === null ? null : job.next(job.endedMs)
    job.nextMs = Math.max(nowMs, job.compiled.startMs ?? 0, followsMs ?? 0)
    job.anchorMs = null
  }

  skip(job: StoredLabJob, slotMs: number, nowMs: number): boolean {
    if (slotMs < (job.compiled.startMs ?? 0) || this.#within(job, slotMs) === null) return false
    if (slotMs <= nowMs || this.#after(job, slotMs - 1) !== slotMs) return false
    job.skips.add(slotMs)
    job.version++
    if (!job.ledger.skip(slotMs) || job.runsLeft === null) return true
    job.runsLeft++
    job.nextMs ??= job.paused ? null : this.#within(job, job.next(job.cursorMs))
    return true
  }

  /** Withdraws the decisions for future slots; their runs count as never created. */
  takeBack(job: StoredLabJob, nowMs: number): { stayMs: number | null; runs: number } {
    const { stayMs, entries } = job.ledger.takeBack(nowMs)
    let runs = 0
    for (const { run } of entries) {
      if (!run) continue
      run.outcome = 'cancelled'
      runs++
    }
    if (job.runsLeft !== null) job.runsLeft += runs
    return { stayMs, runs }
  }

  #isBusy(job: StoredLabJob): boolean {
    if (job.running.size > 0 || job.waiting.length > 0) return true
    for (const { run } of job.ledger.entries()) if (run && run.outcome === null) return true
    return false
  }

  /** The slot after an instant, also for a job that runs once. */
  #after(job: StoredLabJob, afterMs: number): number | null {
    if (job.kind !== 'once') return job.next(afterMs)
    const slotMs = job.eras.at(-1)?.fromMs ?? Number.POSITIVE_INFINITY
    return Number.isFinite(slotMs) && slotMs > afterMs ? slotMs : null
  }

  #within(job: StoredLabJob, slotMs: number | null): number | null {
    const { endMs } = job.compiled
    return slotMs !== null && endMs !== null && slotMs >= endMs ? null : slotMs
  }

  #decidePassed(job: StoredLabJob, nowMs: number): void {
    if (job.kind === 'after-end') return
    if (job.paused || job.planningError !== null) this.#skipPassed(job, nowMs)
    for (let i = 0; job.nextMs !== null && job.nextMs <= nowMs && i < ROUNDS_MAX; i++) {
      const plan = planJob(dueJob(job, job.nextMs), job.compiled.rules, {
        window: { nowMs, untilMs: nowMs },
        timings: this.#timings,
        calendars: this.#store.allCalendars,
        skips: job.skips,
      })
      this.#store.accept([plan])
    }
  }

  /** Adds one decision for all slots that passed while the job could not be planned. */
  #skipPassed(job: StoredLabJob, nowMs: number): void {
    if (job.kind === 'after-end' || job.runsLeft === 0) return
    const fromMs = this.#within(job, this.#after(job, job.cursorMs))
    if (fromMs === null || fromMs > nowMs) return
    const untilMs = Math.min(nowMs, (job.compiled.endMs ?? Infinity) - 1)
    const slotMs = lastSlot(job.next, fromMs, untilMs)
    const slots = countSlots(job.next, fromMs, slotMs)
    const reason = job.paused ? 'paused' : 'misfire'
    job.ledger.add({ decision: 'skip', reason, slotMs, fromMs, slots }, job.next, false)
    job.cursorMs = slotMs
  }
}
