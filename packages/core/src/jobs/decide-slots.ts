/**
 * What becomes of the slots of one job that are due within a window: each gets one decision, in order, and
 * the cursor moves behind the last of them. Pure: the same cursor, rules and clock give the same decisions,
 * whoever computes them.
 *
 * A slot is *missed* when the clock is more than the grace beyond it: nothing was planning. Missed slots are
 * treated as the misfire rules say, bounded in number however long the outage was; the others run.
 */
import type { MisfireRules } from './job-rules.ts'
import { COUNT_MAX, countSlots, lastSlot, type NextSlot } from './last-slot.ts'
import type { RunSlot, SlotDecision } from './slot-decision.ts'

export interface SlotWindow {
  /** By the database's clock. */
  readonly nowMs: number
  /** Slots up to here are decided. */
  readonly untilMs: number
}

export interface JobPosition {
  /** The next slot to decide. */
  readonly nextMs: number
  /** No slot from here on; null when there is no end. */
  readonly endMs: number | null
  /** How many more runs may be made; null when there is no limit. */
  readonly runsLeft: number | null
}

export interface SlotRules {
  readonly next: NextSlot
  readonly misfire: MisfireRules
  /** How far every run of this job is moved from its slot. */
  readonly jitterMs: number
  /** Whether the job's calendars allow the slot; null when it has none. */
  readonly allows: ((slotMs: number) => boolean) | null
  /** Whether somebody asked for the slot to be skipped; null when nobody did. */
  readonly asked: ((slotMs: number) => boolean) | null
}

export interface SlotPlan {
  readonly decisions: readonly SlotDecision[]
  /** Null when the job has no further slot. */
  readonly nextMs: number | null
  readonly runsLeft: number | null
}

/** Slots decided in one go; what is left is decided in the next. */
const DECISIONS_MAX = 10_000

export function decideSlots(position: JobPosition, rules: SlotRules, window: SlotWindow): SlotPlan {
  const plan = new Planning(position, rules, window)
  plan.missed()
  plan.current()
  return { decisions: plan.decisions, nextMs: plan.nextMs, runsLeft: plan.runsLeft }
}

class Planning {
  readonly decisions: SlotDecision[] = []
  nextMs: number | null
  runsLeft: number | null
  readonly #rules: SlotRules
  readonly #window: SlotWindow
  readonly #endMs: number

  constructor(position: JobPosition, rules: SlotRules, window: SlotWindow) {
    this.#rules = rules
    this.#window = window
    this.#endMs = position.endMs ?? Number.POSITIVE_INFINITY
    this.runsLeft = position.runsLeft
    this.nextMs = position.nextMs
    this.#advance(position.nextMs)
  }

  /** The next slot is this one, unless the job ends before it. */
  #advance(slotMs: number | null): void {
    const over = slotMs === null || slotMs >= this.#endMs || this.runsLeft === 0
    this.nextMs = over ? null : slotMs
  }

  missed(): void {
    const { misfire, next } = this.#rules
    const boundMs = Math.min(this.#window.nowMs - misfire.graceMs, this.#endMs - 1)
    if (this.nextMs === null || this.nextMs > boundMs) return
    const firstMs = this.nextMs
    switch (misfire.policy) {
      case 'none': {
        const slotMs = lastSlot(next, firstMs, boundMs)
        const slots = countSlots(next, firstMs, slotMs)
        this.decisions.push({ decision: 'skip', reason: 'misfire', slotMs, fromMs: firstMs, slots })
        this.#advance(next(slotMs))
        return
      }
      case 'latest':
        this.#coalesce(firstMs, lastSlot(next, firstMs, boundMs))
        return
      case 'all':
        this.#makeUp(firstMs, boundMs)
        return
    }
  }

  /** Old slots become one run together, the others one each. */
  #makeUp(firstMs: number, boundMs: number): void {
    const { misfire, next } = this.#rules
    const oldMs = Math.min(this.#window.nowMs - misfire.maxAgeMs, boundMs)
    const single: number[] = []
    let slotMs: number | null = firstMs
    if (firstMs <= oldMs) slotMs = next(lastSlot(next, firstMs, oldMs))
    for (; slotMs !== null && slotMs <= boundMs && single.length < COUNT_MAX; slotMs = next(slotMs))
      single.push(slotMs)
    const kept = single.slice(Math.max(0, single.length - misfire.maxCount))
    const afterOldMs = kept[0] ?? slotMs ?? Number.POSITIVE_INFINITY
    if (firstMs < afterOldMs)
      this.#coalesce(firstMs, lastSlot(next, firstMs, Math.min(afterOldMs - 1, boundMs)))
    for (const atMs of kept) if (this.nextMs !== null) this.#decide(atMs, 'late')
  }

  /** One run for all slots of a range. When calendars exclude the whole range it is one skip. */
  #coalesce(fromMs: number, toMs: number): void {
    const { next, allows } = this.#rules
    if (allows) {
      const last = this.#lastAllowed(fromMs, toMs)
      if (last === null) {
        const slots = countSlots(next, fromMs, toMs)
        this.decisions.push({ decision: 'skip', reason: 'calendar', slotMs: toMs, fromMs, slots })
        this.#advance(next(toMs))
        return
      }
    }
    const slots = countSlots(next, fromMs, toMs)
    this.#run({
      ...{ decision: 'run', reason: slots > 1 ? 'coalesced' : 'late' },
      ...{ slotMs: toMs, fromMs, slots, dueMs: this.#catchUpMs() },
    })
    this.#advance(next(toMs))
  }

  #lastAllowed(fromMs: number, toMs: number): number | null {
    const { next, allows } = this.#rules
    let last: number | null = null
    let looked = 0
    for (
      let slotMs: number | null = fromMs;
      slotMs !== null && slotMs <= toMs && looked < COUNT_MAX;
      slotMs = next(slotMs), looked++
    )
      if (allows?.(slotMs)) last = slotMs
    return last
  }

  /** Runs that make up for missed slots follow each other at a bounded rate. */
  #catchUpMs(): number {
    const before = this.decisions.filter(({ decision }) => decision === 'run').length
    return this.#window.nowMs + before * this.#rules.misfire.dripMs
  }

  current(): void {
    while (
      this.nextMs !== null &&
      this.nextMs <= this.#window.untilMs &&
      this.decisions.length < DECISIONS_MAX
    )
      this.#decide(this.nextMs, 'on-time')
  }

  #decide(slotMs: number, reason: 'on-time' | 'late'): void {
    const { allows, asked, jitterMs, next } = this.#rules
    if (allows && !allows(slotMs)) this.#skip(slotMs, 'calendar')
    else if (asked?.(slotMs)) this.#skip(slotMs, 'asked')
    else {
      const dueMs = reason === 'late' ? this.#catchUpMs() : slotMs + jitterMs
      this.#run({ decision: 'run', reason, slotMs, fromMs: slotMs, slots: 1, dueMs })
    }
    this.#advance(next(slotMs))
  }

  #run(run: RunSlot): void {
    this.decisions.push(run)
    if (this.runsLeft !== null) this.runsLeft--
  }

  /** Skips that follow each other for one reason are one row. */
  #skip(slotMs: number, reason: 'calendar' | 'asked'): void {
    const before = this.decisions.at(-1)
    if (before?.decision === 'skip' && before.reason === reason) {
      const slots = Math.min(COUNT_MAX, before.slots + 1)
      this.decisions[this.decisions.length - 1] = { ...before, slotMs, slots }
    } else this.decisions.push({ decision: 'skip', reason, slotMs, fromMs: slotMs, slots: 1 })
  }
}
