/** Returns the next slot strictly after an instant; null when the schedule has no further slot. */
export type NextSlot = (afterMs: number) => number | null

/**
 * Returns the last slot of [fromMs, untilMs], where `fromMs` is a slot. Searches backward from the
 * end in growing steps until it finds a slot, then steps forward. So it computes few slots, even
 * when the range contains many.
 */
export function lastSlot(next: NextSlot, fromMs: number, untilMs: number): number {
  let startMs = fromMs
  for (let backMs = 1_000; untilMs - backMs > fromMs; backMs *= 2) {
    const slotMs = next(untilMs - backMs)
    if (slotMs !== null && slotMs <= untilMs) {
      startMs = slotMs
      break
    }
  }
  for (;;) {
    const slotMs = next(startMs)
    if (slotMs === null || slotMs > untilMs) return startMs
    startMs = slotMs
  }
}

/**
 * Returns the last `count` slots of [fromMs, untilMs], where `fromMs` is a slot, oldest first. The
 * number of slots that it computes depends on `count`, and hardly on how many slots the range
 * contains or how irregular they are.
 */
export function lastSlots(
  next: NextSlot,
  fromMs: number,
  untilMs: number,
  count: number,
): number[] {
  if (count === 0) return []
  const most = 2 * count + 1
  // Looking back by `fewMs` finds too few slots; looking back by `manyMs` finds too many.
  let [fewMs, manyMs] = [0, Number.POSITIVE_INFINITY]
  for (let backMs = 1_000; ; ) {
    const wholeRange = untilMs - backMs <= fromMs
    const slots = wholeRange ? [fromMs] : []
    const afterMs = wholeRange ? fromMs : untilMs - backMs
    for (
      let slotMs = next(afterMs);
      slotMs !== null && slotMs <= untilMs && slots.length < most;
      slotMs = next(slotMs)
    )
      slots.push(slotMs)
    const tooMany = slots.length === most && manyMs - fewMs > 1
    if (!tooMany && (wholeRange || slots.length >= count)) return slots.slice(-count)
    if (tooMany) manyMs = backMs
    else fewMs = backMs
    backMs = manyMs === Number.POSITIVE_INFINITY ? backMs * 2 : Math.ceil((fewMs + manyMs) / 2)
  }
}

export const COUNT_MAX = 100_000

/** Counts the slots in [fromMs, untilMs], including `fromMs`, up to 100,000. */
export function countSlots(next: NextSlot, fromMs: number, untilMs: number): number {
  let count = 1
  for (
    let slotMs = next(fromMs);
    slotMs !== null && slotMs <= untilMs && count < COUNT_MAX;
    slotMs = next(slotMs)
  )
    count++
  return count
}
