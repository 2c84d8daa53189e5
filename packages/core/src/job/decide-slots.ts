/**
 * What becomes of the slots of one job that are due within a window: each gets one decision, in order, and
 * the cursor moves behind the last of them. Pure: the same cursor, rules and clock give the same decisions,
 * whoever computes them.
 *
 * A slot is *missed* when the clock is more than the grace beyond it: nothing was planning. Missed slots are
 * treated as the misfire rules say, bounded in number however long the outage was; the others run.
 */
import type { MisfireRules } from './job-rules.ts'
import { COUNT_MAX, countSlots, lastSlot, lastSlots, type NextSlot } from './last-slot.ts'
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
  #runs = 0

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
    const boundMs = Math.min(this.#window.nowMs - misfire.graceMs, this.#endMs) - 1
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
    const youngMs = firstMs <= oldMs ? next(lastSlot(next, firstMs, oldMs)) : firstMs
    const single =
      youngMs !== null && youngMs <= boundMs
        ? lastSlots(next, youngMs, boundMs, misfire.maxCount)
        : []
    const togetherMs = single[0] === undefined ? boundMs : single[0] - 1
    if (firstMs <= togetherMs) this.#coalesce(firstMs, lastSlot(next, firstMs, togetherMs))
    for (const slotMs of single) if (this.nextMs !== null) this.#decide(slotMs, 'late')
  }

  /** One run for all slots of a range; one skip when none of them is to run. */
  #coalesce(fromMs: number, slotMs: number): void {
    const slots = countSlots(this.#rules.next, fromMs, slotMs)
    const reason = this.#closed(fromMs, slotMs, slots)
    if (reason !== null) this.decisions.push({ decision: 'skip', reason, slotMs, fromMs, slots })
    else
      this.#run({
        ...{ decision: 'run', reason: slots > 1 ? 'coalesced' : 'late' },
        ...{ slotMs, fromMs, slots, dueMs: this.#catchUpMs() },
      })
    this.#advance(this.#rules.next(slotMs))
  }

  /**
   * Why no slot of a range is to run; null when one is. Of ranges that are too long to be counted, slots are
   * looked at that are spread over the whole of it.
   */
  #closed(fromMs: number, toMs: number, slots: number): 'calendar' | 'asked' | null {
    const { next } = this.#rules
    if (this.#refusal(toMs) === null) return null
    const strideMs = slots < COUNT_MAX ? 0 : Math.floor((toMs - fromMs) / COUNT_MAX)
    let reason: 'calendar' | 'asked' = 'calendar'
    for (let s: number | null = fromMs; s !== null && s <= toMs; s = next(s + strideMs)) {
      const refusal = this.#refusal(s)
      if (refusal === null) return null
      if (refusal === 'asked') reason = refusal
    }
    return reason
  }

  #refusal(slotMs: number): 'calendar' | 'asked' | null {
    const { allows, asked } = this.#rules
    if (allows && !allows(slotMs)) return 'calendar'
    return asked?.(slotMs) ? 'asked' : null
  }

  /** Runs that make up for missed slots follow each other at a bounded rate. */
  #catchUpMs(): number {
    return this.#window.nowMs + this.#runs * this.#rules.misfire.dripMs
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
    const { jitterMs, next } = this.#rules
    const refusal = this.#refusal(slotMs)
    if (refusal !== null) this.#skip(slotMs, refusal)
    else {
      const dueMs = reason === 'late' ? this.#catchUpMs() : slotMs + jitterMs
      this.#run({ decision: 'run', reason, slotMs, fromMs: slotMs, slots: 1, dueMs })
    }
    this.#advance(next(slotMs))
  }

  #run(run: RunSlot): void {
    this.decisions.push(run)
    this.#runs++
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
