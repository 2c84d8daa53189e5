/**
 * Computes which slots of a job must have a decision, by the rules that applied at the time, and
 * whether the ledger has exactly one decision for each. Pure: `verify` and the auditor use it as
 * proof.
 */
import type { TimingCache } from '../schedule/timing-cache.ts'
import type { JobRules } from './job-rules.ts'
import { nextSlotOf } from './plan-job.ts'

/** The rules of a job up to the edit that changed them. */
export interface JobVersion {
  readonly untilMs: number
  readonly rules: JobRules
  readonly anchorMs: number | null
  readonly endMs: number | null
}

/** A period in which a job had the same rules: (afterMs, untilMs]. */
export interface Era extends JobVersion {
  readonly afterMs: number
  /** When a one-off job runs; null when it had already run under the previous rules. */
  readonly onceMs: number | null
}

export interface SlotStretch {
  readonly fromMs: number
  readonly untilMs: number
  /** The maximum number of slots; the first ones are returned. */
  readonly limit: number
}

export interface ExpectedSlots {
  /** In order. */
  readonly slotsMs: readonly number[]
  /** Whether the stretch has more slots than `limit`. */
  readonly more: boolean
}

export interface LedgerRow {
  readonly slotMs: number
  /** The first slot that the row covers. */
  readonly fromMs: number
}

export interface SlotMatch {
  /** Slots that must have a decision. */
  readonly expected: number
  /** Slots that will get a decision later. */
  readonly pending: number
  readonly holes: readonly number[]
  readonly doubles: readonly number[]
}

/** @param createdMs null when it is unknown because the job was deleted. */
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
    // A time in the past means now; an edit that leaves the time unchanged does not run the job
    // again.
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
      // An edit that gives a paused job a time in the past skips it: that slot may have a row, but
      // need not.
      const mayBeSkipped = era !== eras[0] && onceMs !== anchorMs
      if (onceMs !== null && onceMs > startMs && onceMs <= lastMs && !mayBeSkipped)
        slotsMs.push(onceMs)
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

/**
 * Whether this is a slot under the rules at that time. For a deleted job, any instant after its
 * deletion is accepted.
 */
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
    // A time in the past meant the time of creation, which is unknown for a deleted job.
    return era.afterMs === Number.NEGATIVE_INFINITY
      ? slotMs >= (era.anchorMs ?? slotMs)
      : slotMs === era.onceMs
  if (era.anchorMs !== null && slotMs < era.anchorMs) return false
  const { anchorMs, rules } = era
  return nextSlotOf({ id: jobId, anchorMs }, rules, timings)(slotMs - 1) === slotMs
}

/**
 * Compares the expected slots with the rows of the ledger.
 *
 * @param rows of the job, in the order of their slots; rows at other slots do no harm
 * @param decidedUntilMs slots up to here must have a decision; later ones will get one
 * @param beforeMs the last slot of the previous stretch that has a row; null when there is none
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
  // Walks from the end: a row covers slots before it, and may contain other rows.
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
