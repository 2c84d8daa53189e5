/** What was decided for a slot of a job. Numbers are what the ledger stores. */
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
 * - `misfire`: missed, and the job does not make up for it.
 * - `paused`: the job was paused, or its tenant suspended.
 * - `calendar`: a calendar of the job excludes it.
 * - `asked`: somebody asked for it to be skipped.
 * - `backfill`: run because somebody asked for the range it is in.
 */
export type SlotReason = keyof typeof slotReasons

interface Decided {
  readonly slotMs: number
  /** The first of the slots that this stands for; the same as `slotMs` when it is the only one. */
  readonly fromMs: number
  /** How many slots it stands for, counted up to 100,000. */
  readonly slots: number
}

export interface RunSlot extends Decided {
  readonly decision: 'run'
  readonly reason: 'on-time' | 'late' | 'coalesced' | 'backfill'
  /** When the run is due: the slot, moved by jitter or by catching up at a bounded rate. */
  readonly dueMs: number
}

export interface SkipSlot extends Decided {
  readonly decision: 'skip'
  readonly reason: 'misfire' | 'paused' | 'calendar' | 'asked'
}

export type SlotDecision = RunSlot | SkipSlot
