/**
 * Searches for the row of the ledger that decides a slot together with many others. It is stored at
 * the last of them, which may be a million slots later. No index leads to it, so the search skips
 * ahead in growing steps until it has passed the row, and then halves the rest. It reads a bounded
 * number of slots; between several such rows it may miss the one that it looks for.
 */
import type { Slot } from '@punctual/core/job'

const PARTS_MAX = 64
const STEP_MIN_MS = 1_000

/** Expected slots from an instant on, in order, and the first row that one of them has. */
export interface PartOfSlots {
  readonly slotsMs: readonly number[]
  readonly first: Slot | null
}

export interface SearchedRange {
  /** No slot after the one that is looked for has a row up to here. */
  readonly afterMs: number
  /** Nothing is decided after this instant. */
  readonly untilMs: number
}

/** A row also stands for earlier slots if it has a `fromAt`. */
export function covers(slot: Slot, slotMs: number): boolean {
  return slot.fromAt !== null && slot.fromAt.getTime() <= slotMs
}

/** The row that covers the slot; null when it was not found. */
export async function findCovering(
  slotMs: number,
  { afterMs, untilMs }: SearchedRange,
  read: (fromMs: number) => Promise<PartOfSlots>,
): Promise<Slot | null> {
  let lowMs = afterMs
  let highMs: number | null = null
  let stepMs = Math.max(STEP_MIN_MS, afterMs - slotMs)
  for (let part = 0; part < PARTS_MAX; part++) {
    const atMs: number =
      highMs === null ? Math.min(lowMs + stepMs, untilMs) : lowMs + Math.ceil((highMs - lowMs) / 2)
    if (atMs <= lowMs || atMs === highMs) return null
    const { slotsMs, first } = await read(atMs)
    if (first && covers(first, slotMs)) return first
    const lastMs = slotsMs.at(-1)
    if (first || lastMs === undefined) highMs = atMs
    else {
      lowMs = lastMs
      stepMs *= 2
    }
  }
  return null
}
