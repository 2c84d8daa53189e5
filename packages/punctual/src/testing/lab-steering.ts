/** Steering of jobs in the lab: the rules are those of the store, applied to memory. */
import {
  type CompiledJob,
  countSlots,
  encodeRules,
  firstSlot,
  lastSlot,
  type NextSlot,
  nextSlotOf,
  type PlannedJob,
  planJob,
  timingInput,
} from '@punctual/core/job'
import { type Calendar, compileTiming, nextSlot, type TimingCache } from '@punctual/core/schedule'
import {
  advanceCursors,
  definitionOf,
  dueJobOf,
  insertJob,
  type MemoryDatabase,
  timingOf,
} from '@punctual/store/memory'
import type { LabEra, LabJob, StoredLabJob } from './lab-job.ts'

const ROUNDS_MAX = 1_000
/** The lab has no queues: nothing claims from its lane. */
const LANE = 0

export interface LabSteeringOptions {
  readonly db: MemoryDatabase
  readonly timings: TimingCache
  readonly calendars: ReadonlyMap<string, Calendar>
  /** Receives the decisions of jobs whose cursors were moved. */
  readonly record: (plans: readonly PlannedJob[]) => void
}

export class LabSteering {
  readonly #options: LabSteeringOptions
  readonly #db: MemoryDatabase
  readonly #timings: TimingCache

  constructor(options: LabSteeringOptions) {
    this.#options = options
    this.#db = options.db
    this.#timings = options.timings
  }

  begin(job: StoredLabJob, nowMs: number): void {
    const { id, compiled } = job
    this.#db.transact(() => insertJob(this.#db, { id, job: compiled, lane: LANE }, this.#timings))
    const { nextMs, anchorMs } = job.cursor
    this.#place(job, nextMs, anchorMs, nowMs)
  }

  #place(job: StoredLabJob, nextMs: number | null, anchorMs: number | null, fromMs: number): void {
    const { rules, endMs, startMs } = job.compiled
    const { paused, runsLeft } = job.cursor
    job.next = this.#nextOf(job, anchorMs)
    job.move({ anchorMs, endMs, nextMs: paused || runsLeft === 0 ? null : nextMs })
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

  edit(job: StoredLabJob, options: LabJob, compiled: CompiledJob, nowMs: number) {
    this.#decidePassed(job, nowMs)
    const { stayMs, runs } = this.takeBack(job, nowMs)
    const before = job.compiled
    const { anchorMs, cursorMs, nextMs, paused, runsLeft, version } = job.cursor
    const hadRun = nextMs === null && !paused && runs === 0
    const sameWhen =
      encodeRules({ ...before.rules, when: compiled.rules.when }) === before.rulesText &&
      before.rules.timezone === compiled.rules.timezone
    const era = job.eras.at(-1)
    const decidedMs = Math.max(nowMs, stayMs ?? 0)
    if (era) era.untilMs = runsLeft === 0 ? Math.min(cursorMs, decidedMs) : decidedMs
    const used = (before.maxRuns ?? 0) - (runsLeft ?? 0)
    const keptMs = sameWhen && (anchorMs ?? 0) <= nowMs ? anchorMs : null
    const waits = compiled.rules.when.kind === 'after-end' && this.#isBusy(job)
    const same =
      sameWhen && compiled.onceMs === before.onceMs && compiled.delayMs === before.delayMs
    const over = compiled.rules.when.kind === 'once' && same && hadRun
    job.options = options
    job.compiled = compiled
    const timing = this.#define(job)
    job.move({
      ...{ timing, version: version + 1 },
      runsLeft: compiled.maxRuns === null ? null : Math.max(0, compiled.maxRuns - used),
      cursorMs: job.kind === 'after-end' ? cursorMs : decidedMs,
    })
    const first = firstSlot(compiled, job.id, this.#timings, decidedMs + 1, keptMs)
    this.#place(job, waits || over ? null : first.nextMs, first.anchorMs, decidedMs + 1)
  }

  /** Stores the definition of a job that was declared again; returns the number of its rules. */
  #define({ id, compiled }: StoredLabJob): number {
    return this.#db.transact(() => {
      const timing = timingOf(this.#db, compiled.rulesText)
      const job = this.#db.jobs.get(id)
      if (job) this.#db.jobs.set(id, { ...job, ...definitionOf(compiled, LANE, timing) })
      return timing
    })
  }

  pause(job: StoredLabJob, nowMs: number): void {
    if (job.cursor.paused) return
    this.#decidePassed(job, nowMs)
    const { stayMs } = this.takeBack(job, nowMs)
    const { cursorMs, version } = job.cursor
    job.move({
      ...{ nextMs: null, paused: true, version: version + 1 },
      cursorMs: Math.max(Math.min(cursorMs, nowMs), stayMs ?? 0),
    })
  }

  resume(job: StoredLabJob, nowMs: number): void {
    if (!job.cursor.paused) return
    this.#skipPassed(job, nowMs)
    const { cursorMs, runsLeft, version } = job.cursor
    job.move({ paused: false, failures: 0, version: version + 1 })
    if (runsLeft === 0) return
    if (job.kind === 'after-end') this.#resumeAfterEnd(job, nowMs)
    else job.move({ nextMs: this.#within(job, this.#after(job, cursorMs)) })
  }

  #resumeAfterEnd(job: StoredLabJob, nowMs: number): void {
    if (this.#isBusy(job)) return
    const followsMs = job.endedMs === null ? null : job.next(job.endedMs)
    const nextMs = Math.max(nowMs, job.compiled.startMs ?? 0, followsMs ?? 0)
    job.move({ nextMs, anchorMs: null })
  }

  skip(job: StoredLabJob, slotMs: number, nowMs: number): boolean {
    if (slotMs < (job.compiled.startMs ?? 0) || this.#within(job, slotMs) === null) return false
    if (slotMs <= nowMs || this.#after(job, slotMs - 1) !== slotMs) return false
    const skips = new Set([...(this.#db.slotSkips.get(job.id) ?? []), slotMs])
    this.#db.transact(() => this.#db.slotSkips.set(job.id, skips))
    const { cursorMs, nextMs, paused, runsLeft, version } = job.cursor
    job.move({ version: version + 1 })
    if (!job.ledger.skip(slotMs) || runsLeft === null) return true
    const followsMs = paused ? null : this.#within(job, job.next(cursorMs))
    job.move({ runsLeft: runsLeft + 1, nextMs: nextMs ?? followsMs })
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
    const { runsLeft } = job.cursor
    if (runsLeft !== null) job.move({ runsLeft: runsLeft + runs })
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
    const isSetAside = this.#db.jobs.get(job.id)?.planningError != null
    if (job.cursor.paused || isSetAside) this.#skipPassed(job, nowMs)
    for (let i = 0; i < ROUNDS_MAX; i++) {
      const { nextMs } = job.cursor
      if (nextMs === null || nextMs > nowMs) break
      const plan = planJob(dueJobOf(this.#db, job.cursor, nextMs), job.compiled.rules, {
        window: { nowMs, untilMs: nowMs },
        timings: this.#timings,
        calendars: this.#options.calendars,
        skips: this.#db.slotSkips.get(job.id),
      })
      this.#options.record(this.#db.transact(() => advanceCursors(this.#db, [plan])))
    }
  }

  /** Adds one decision for all slots that passed while the job could not be planned. */
  #skipPassed(job: StoredLabJob, nowMs: number): void {
    const { cursorMs, paused, runsLeft } = job.cursor
    if (job.kind === 'after-end' || runsLeft === 0) return
    const fromMs = this.#within(job, this.#after(job, cursorMs))
    if (fromMs === null || fromMs > nowMs) return
    const untilMs = Math.min(nowMs, (job.compiled.endMs ?? Infinity) - 1)
    const slotMs = lastSlot(job.next, fromMs, untilMs)
    const slots = countSlots(job.next, fromMs, slotMs)
    const reason = paused ? 'paused' : 'misfire'
    job.ledger.add({ decision: 'skip', reason, slotMs, fromMs, slots }, job.next, false)
    job.move({ cursorMs: slotMs })
  }
}
