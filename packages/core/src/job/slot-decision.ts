import { namesOfCodes } from '../check/names-of-codes.ts'

/** The decision made for a slot of a job. The ledger stores the numbers. */
export const slotDecisions = { run: 1, skip: 2 } as const

/** Why a slot became a run, or did not: see `SlotReason`. */
export const slotReasons = {
  'on-time': 1,
  late: 2,
  coalesced: 3,
  misfire: 4,
  paused: 5,
  calendar: 6,
  asked: 7,
  backfill: 8,
} as const

/**
 * Why a slot became a run, or did not.
 *
 * - `on-time`: planned ahead of its time.
 * - `late`: missed while no planner was running, and run afterwards.
 * - `coalesced`: several missed slots became this one run.
 * - `misfire`: missed, and the job's misfire policy does not catch it up.
 * - `paused`: the job was paused, or its tenant suspended.
 * - `calendar`: a calendar of the job excludes it.
 * - `asked`: a user requested that it be skipped.
 * - `backfill`: run because a user requested a backfill of its range.
 */
export type SlotReason = keyof typeof slotReasons

export const slotReasonOf = namesOfCodes(slotReasons)

interface Decided {
  readonly slotMs: number
  /**
   * The first slot of the range that this decision covers; equal to `slotMs` when it covers one
   * slot.
   */
  readonly fromMs: number
  /** How many slots it covers, counted up to 100,000. */
  readonly slots: number
}

export interface RunSlot extends Decided {
  readonly decision: 'run'
  readonly reason: 'on-time' | 'late' | 'coalesced' | 'backfill'
  /** When the run is due: the slot, delayed by jitter or by the bounded catch-up rate. */
  readonly dueMs: number
}

export interface SkipSlot extends Decided {
  readonly decision: 'skip'
  readonly reason: 'misfire' | 'paused' | 'calendar' | 'asked'
}

export type SlotDecision = RunSlot | SkipSlot
