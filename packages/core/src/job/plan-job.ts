/** Plans one job whose next slot is near: applies its rules to its position. */
import { type Calendar, calendarAllows } from '../schedule/calendar/calendar.ts'
import type { TimingCache } from '../schedule/timing-cache.ts'
import { zoneOf } from '../schedule/zones/zone.ts'
import { decideSlots, type SlotRules, type SlotWindow } from './decide-slots.ts'
import type { DueJob, PlannedJob } from './due-job.ts'
import { jitterOf } from './jitter.ts'
import { type JobRules, misfireOf } from './job-rules.ts'
import { timingInput } from './job-timing.ts'
import { countSlots, lastSlot, type NextSlot } from './last-slot.ts'

export interface PlanningContext {
  readonly window: SlotWindow
  readonly timings: TimingCache
  /** The calendars of the job's tenant. */
  readonly calendars: ReadonlyMap<string, Calendar>
  /** Slots of the job that users requested to skip. */
  readonly skips: ReadonlySet<number> | undefined
}

export function planJob(job: DueJob, rules: JobRules, context: PlanningContext): PlannedJob {
  const slotRules: SlotRules = {
    next: nextSlotOf(job, rules, context.timings),
    misfire: misfireOf(rules),
    jitterMs: jitterOf(job.id, rules.jitterMs ?? 0),
    allows: allowing(rules, context.calendars),
    skipRequested: context.skips ? (slotMs) => context.skips?.has(slotMs) ?? false : null,
  }
  const { endMs, runsLeft, anchorMs } = job
  if (rules.when.kind !== 'after-end') {
    const nextMs = firstSlotOf(job, rules, slotRules.next)
    // A one-off job is not lost: its run is created, and waits for the tenant like submitted runs.
    if (job.suspended && rules.when.kind !== 'once')
      return skipSuspended(job, nextMs, slotRules.next, context.window)
    return {
      job,
      anchorMs,
      computed: true,
      ...decideSlots({ nextMs, endMs, runsLeft }, slotRules, context.window),
    }
  }
  // The anchor is when its last run ended, and nothing has been decided since.
  const nextMs = job.nextMs === anchorMs ? slotRules.next(anchorMs) : job.nextMs
  if (nextMs === null || runsLeft === 0)
    return { job, decisions: [], nextMs: null, runsLeft, anchorMs: null, computed: false }
  // One run at a time: the next slot is known when the run has ended. After a skip the job waits
  // its period from now, not from an instant that is long past.
  const { nowMs } = context.window
  const next = (afterMs: number) => slotRules.next(Math.max(afterMs, nowMs))
  const plan = decideSlots({ nextMs, endMs, runsLeft: 1 }, { ...slotRules, next }, context.window)
  const made = plan.runsLeft === 0 ? 1 : 0
  return {
    job,
    decisions: plan.decisions,
    nextMs: plan.nextMs,
    runsLeft: runsLeft === null ? null : runsLeft - made,
    anchorMs: null,
    computed: false,
  }
}

/**
 * Makes one decision for all slots of the window while the tenant is suspended, as for a paused
 * job.
 */
function skipSuspended(
  job: DueJob,
  firstMs: number,
  next: NextSlot,
  { untilMs }: SlotWindow,
): PlannedJob {
  const { runsLeft, anchorMs } = job
  const endMs = job.endMs ?? Number.POSITIVE_INFINITY
  const before = (slotMs: number | null) => (slotMs !== null && slotMs < endMs ? slotMs : null)
  const same = { job, runsLeft, anchorMs, computed: true }
  const boundMs = Math.min(untilMs, endMs - 1)
  if (firstMs > boundMs) return { ...same, decisions: [], nextMs: before(firstMs) }
  const slotMs = lastSlot(next, firstMs, boundMs)
  const slots = countSlots(next, firstMs, slotMs)
  const skip = { decision: 'skip', reason: 'paused', slotMs, fromMs: firstMs, slots } as const
  return { ...same, decisions: [skip], nextMs: before(next(slotMs)) }
}

/**
 * Returns the slot to continue with: the one that the cursor names. A node with older time zone
 * data may have set a cursor that is not a slot of today's rules; then it is the first undecided
 * slot.
 */
function firstSlotOf(
  { nextMs, cursorMs, anchorMs }: DueJob,
  rules: JobRules,
  next: NextSlot,
): number {
  if (rules.when.kind === 'once' || next(nextMs - 1) === nextMs) return nextMs
  return next(Math.max(cursorMs, (anchorMs ?? 0) - 1)) ?? nextMs
}

/** Returns the function that finds the next slot of this job strictly after an instant. */
export function nextSlotOf(
  job: { readonly id: string; readonly anchorMs: number | null },
  rules: JobRules,
  timings: TimingCache,
): NextSlot {
  if (rules.when.kind === 'once') return () => null
  if (rules.when.kind === 'after-end')
    return (afterMs) => {
      const input = timingInput(rules, { seed: job.id, anchorMs: afterMs })
      return input && timings.nextSlot(input, afterMs)
    }
  const input = timingInput(rules, { seed: job.id, anchorMs: job.anchorMs ?? 0 })
  return (afterMs) => input && timings.nextSlot(input, afterMs)
}

function allowing(
  rules: JobRules,
  calendars: ReadonlyMap<string, Calendar>,
): ((slotMs: number) => boolean) | null {
  if (!rules.calendars) return null
  const zone = zoneOf(rules.timezone)
  const named = rules.calendars.map((name) => {
    const calendar = calendars.get(name)
    if (!calendar) throw new Error(`The calendar ${name} does not exist.`)
    return calendar
  })
  return (slotMs) => named.every((calendar) => calendarAllows(calendar, zone, slotMs))
}
