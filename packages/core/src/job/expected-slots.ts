/**
 * Which slots a job must have a decision for, by the rules of their time, and whether the ledger has exactly
 * one for each. Pure: the proof that `verify` and the auditor run.
 */
import type { TimingCache } from '../schedule/timing-cache.ts'
import type { JobRules } from './job-rules.ts'
import { nextSlotOf } from './plan-job.ts'

/** What a job was, up to the edit that changed it. */
export interface JobVersion {
  readonly untilMs: number
  readonly rules: JobRules
  readonly anchorMs: number | null
  readonly endMs: number | null
}

/** A stretch of time in which a job had the same rules: (afterMs, untilMs]. */
export interface Era extends JobVersion {
  readonly afterMs: number
  /** Of a job that runs once: when; null when it had done so under the rules before. */
  readonly onceMs: number | null
}

export interface SlotStretch {
  readonly fromMs: number
  readonly untilMs: number
  /** At most so many, the first ones. */
  readonly limit: number
}

export interface ExpectedSlots {
  /** In order. */
  readonly slotsMs: readonly number[]
  /** Whether there are more slots in the stretch than were asked for. */
  readonly more: boolean
}

export interface LedgerRow {
  readonly slotMs: number
  /** The first slot that it stands for. */
  readonly fromMs: number
}

export interface SlotMatch {
  /** Slots that must have a decision. */
  readonly expected: number
  /** Slots that will get one. */
  readonly pending: number
  readonly holes: readonly number[]
  readonly doubles: readonly number[]
}

/** @param createdMs null when it is not known any more: the job was deleted. */
export function erasOf(
  createdMs: number | null,
  versions: readonly JobVersion[],
  now: Omit<JobVersion, 'untilMs'> | null,
): Era[] {
  const all = now ? [...versions, { ...now, untilMs: Number.POSITIVE_INFINITY }] : versions
  let afterMs = createdMs === null ? Number.NEGATIVE_INFINITY : createdMs - 1
  let before: number | null = null
  return all.map(({ untilMs, rules, anchorMs, endMs }) => {
    const once = rules.when.kind === 'once' ? anchorMs : null
    // In the past means now; an edit that leaves the time as it was does not run it again.
    const slotMs = once === null || once === before ? once : Math.max(once, afterMs + 1)
    const onceMs = slotMs !== null && slotMs > afterMs ? slotMs : null
    const era = { untilMs, rules, anchorMs, endMs, afterMs, onceMs }
    before = once
    afterMs = Math.max(afterMs, untilMs)
    return era
  })
}

export function expectedSlots(
  jobId: string,
  eras: readonly Era[],
  timings: TimingCache,
  { fromMs, untilMs, limit }: SlotStretch,
): ExpectedSlots {
  const slotsMs: number[] = []
  for (const era of eras) {
    const { afterMs, anchorMs, endMs, onceMs, rules } = era
    const lastMs = Math.min(untilMs, era.untilMs, (endMs ?? Number.POSITIVE_INFINITY) - 1)
    const startMs = Math.max(fromMs - 1, afterMs)
    if (startMs >= lastMs || rules.when.kind === 'after-end') continue
    if (rules.when.kind === 'once') {
      // A time in the past that an edit gives to a paused job passes it by: that slot may be there, and need not.
      const passes = era !== eras[0] && onceMs !== anchorMs
      if (onceMs !== null && onceMs > startMs && onceMs <= lastMs && !passes) slotsMs.push(onceMs)
      continue
    }
    const next = nextSlotOf({ id: jobId, anchorMs }, rules, timings)
    let slotMs = next(Math.max(startMs, (anchorMs ?? Number.NEGATIVE_INFINITY) - 1))
    for (; slotMs !== null && slotMs <= lastMs; slotMs = next(slotMs)) {
      if (slotsMs.length >= limit) return { slotsMs, more: true }
      slotsMs.push(slotMs)
    }
  }
  return { slotsMs, more: false }
}

/** Whether the rules of its time have this slot. Of a job that was deleted, what was ahead then is taken as it is. */
export function isSlotOf(
  jobId: string,
  eras: readonly Era[],
  timings: TimingCache,
  slotMs: number,
): boolean {
  const era = eras.find(({ afterMs, untilMs }) => afterMs < slotMs && slotMs <= untilMs)
  if (!era) return eras.length > 0 && slotMs > (eras.at(-1) as Era).untilMs
  if (era.endMs !== null && slotMs >= era.endMs) return false
  if (era.rules.when.kind === 'after-end') return true
  if (era.rules.when.kind === 'once')
    // In the past meant when it was made, which is not known of one that was deleted.
    return era.afterMs === Number.NEGATIVE_INFINITY
      ? slotMs >= (era.anchorMs ?? slotMs)
      : slotMs === era.onceMs
  if (era.anchorMs !== null && slotMs < era.anchorMs) return false
  const { anchorMs, rules } = era
  return nextSlotOf({ id: jobId, anchorMs }, rules, timings)(slotMs - 1) === slotMs
}

/**
 * Compares what there should be with what there is.
 *
 * @param rows of the job, in the order of their slots; those at slots that were not asked for do no harm
 * @param decidedUntilMs slots up to here must have a decision, later ones will get one
 * @param beforeMs the last slot of the stretch before that has a row; null when there is none
 */
export function matchSlots(
  slotsMs: readonly number[],
  rows: readonly LedgerRow[],
  decidedUntilMs: number,
  beforeMs: number | null = null,
): SlotMatch {
  const holes: number[] = []
  const doubles: number[] = []
  let [expected, pending] = [0, 0]
  // Walked from the end: a row stands for what is before it, and may contain other rows.
  let coveredFromMs = Number.POSITIVE_INFINITY
  let r = rows.length - 1
  const takeRowsFrom = (slotMs: number) => {
    for (; r >= 0 && (rows[r] as LedgerRow).slotMs >= slotMs; r--) {
      const row = rows[r] as LedgerRow
      if (coveredFromMs <= row.slotMs) doubles.push(row.slotMs)
      coveredFromMs = Math.min(coveredFromMs, row.fromMs)
    }
  }
  for (let i = slotsMs.length - 1; i >= 0; i--) {
    const slotMs = slotsMs[i] as number
    takeRowsFrom(slotMs)
    const decided = coveredFromMs <= slotMs
    if (!decided && slotMs > decidedUntilMs) pending++
    else {
      expected++
      if (!decided) holes.push(slotMs)
    }
  }
  takeRowsFrom(Number.NEGATIVE_INFINITY)
  if (beforeMs !== null && coveredFromMs <= beforeMs) doubles.push(beforeMs)
  return { expected, pending, holes: holes.reverse(), doubles: doubles.reverse() }
}
