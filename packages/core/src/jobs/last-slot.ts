/** The next slot strictly after an instant; null when nothing is left. */
export type NextSlot = (afterMs: number) => number | null

/**
 * The last slot of [fromMs, untilMs], where `fromMs` is a slot. Looks back further and further from the end
 * until a slot is seen, and then walks on: however many slots lie between, few are computed.
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

export const COUNT_MAX = 100_000

/** How many slots lie in [fromMs, untilMs], `fromMs` included; counted up to 100,000. */
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
