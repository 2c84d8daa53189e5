/**
 * The position of a run in its lane: milliseconds, shifted by a sequence number, so that positions
 * are a total order.
 */
export const POSITION_BITS = 20

export function positionMs(position: string | bigint): number {
  return Number(BigInt(position) >> BigInt(POSITION_BITS))
}

/** The first position of a millisecond. */
export function positionAt(ms: number): bigint {
  return BigInt(Math.floor(ms)) << BigInt(POSITION_BITS)
}
