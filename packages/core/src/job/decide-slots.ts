/**
 * Decides the slots of one job that are due within a window: each gets one decision, in order, and
 * the cursor moves past the last of them. Pure: the same cursor, rules and clock give the same
 * decisions on every node.
 *
 * A slot is *missed* when the clock is more than the grace period past it: no planner was running.
 * Missed slots are treated as the misfire rules say, bounded in number however long the outage was;
 * the others run.
 */
import { limits } from '../errors/limits.ts'
import type { MisfireRules } from './job-rules.ts'
import { COUNT_MAX, countSlots, lastSlot, lastSlots, type NextSlot } from './last-slot.ts'
import type { RunSlot, SlotDecision } from './slot-decision.ts'

export interface SlotWindow {
  /** By the database's clock. */
  readonly nowMs: number
  /** Slots up to here are decided now. */
  readonly untilMs: number
}

export interface JobPosition {
  /** The next slot to decide. */
  readonly nextMs: number
  /** The end: no slot is at or after this instant; null without an end. */
  readonly endMs: number | null
  /** How many more runs are allowed; null without a limit. */
  readonly runsLeft: number | null
}

export interface SlotRules {
  readonly next: NextSlot
  readonly misfire: MisfireRules
  /** The delay of every run of this job after its slot. */
  readonly jitterMs: number
  /** Whether the job's calendars allow the slot; null without calendars. */
  readonly allows: ((slotMs: number) => boolean) | null
  /** Whether a user requested to skip the slot; null without such requests. */
  readonly skipRequested: ((slotMs: number) => boolean) | null
}

export interface SlotPlan {
  readonly decisions: readonly SlotDecision[]
  /** Null when the job has no further slots. */
  readonly nextMs: number | null
  readonly runsLeft: number | null
}

/** Slots decided in one call; the next call decides the rest. */
const DECISIONS_MAX = 10_000

export function decideSlots(position: JobPosition, rules: SlotRules, window: SlotWindow): SlotPlan {
  const plan = new Planning(position, rules, window)
  plan.missed()
  plan.current()
  return { decisions: plan.decisions, nextMs: plan.nextMs, runsLeft: plan.runsLeft }
}

/**
 * The most single runs that catch up. The last of them is due within a bounded time: runs are
 * stored in the partition of the day they are due, and partitions exist for two weeks ahead.
 */
function singleRuns({ maxCount, dripMs }: MisfireRules): number {
  return dripMs === 0 ? maxCount : Math.min(maxCount, Math.floor(limits.catchUpMs / dripMs))
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

  /** Moves to this slot, unless the job ends before it. */
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
        this.#catchUp(firstMs, boundMs)
        return
    }
  }

  /** Makes one run for all old slots together, and one for each of the others. */
  #catchUp(firstMs: number, boundMs: number): void {
    const { misfire, next } = this.#rules
    const oldMs = Math.min(this.#window.nowMs - misfire.maxAgeMs, boundMs)
    const youngMs = firstMs <= oldMs ? next(lastSlot(next, firstMs, oldMs)) : firstMs
    const single =
      youngMs !== null && youngMs <= boundMs
        ? lastSlots(next, youngMs, boundMs, singleRuns(misfire))
        : []
    const togetherMs = single[0] === undefined ? boundMs : single[0] - 1
    if (firstMs <= togetherMs) this.#coalesce(firstMs, lastSlot(next, firstMs, togetherMs))
    for (const slotMs of single) if (this.nextMs !== null) this.#decide(slotMs, 'late')
  }

  /** Makes one run for all slots of a range, or one skip when none of them may run. */
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
   * Returns why no slot of a range may run; null when one may. In a range that is too long to
   * count, samples slots spread over the whole range.
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
    const { allows, skipRequested } = this.#rules
    if (allows && !allows(slotMs)) return 'calendar'
    return skipRequested?.(slotMs) ? 'asked' : null
  }

  /** Returns the due time of the next catch-up run: they follow each other at a bounded rate. */
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

  /** Merges consecutive skips for the same reason into one row. */
  #skip(slotMs: number, reason: 'calendar' | 'asked'): void {
    const before = this.decisions.at(-1)
    if (before?.decision === 'skip' && before.reason === reason) {
      const slots = Math.min(COUNT_MAX, before.slots + 1)
      this.decisions[this.decisions.length - 1] = { ...before, slotMs, slots }
    } else this.decisions.push({ decision: 'skip', reason, slotMs, fromMs: slotMs, slots: 1 })
  }
}
