/**
 * Sets of small numbers as bits of a 32-bit word, or of two words for the sixty seconds and
 * minutes.
 */

/** Returns the lowest bit of a word that is not 0. */
export function firstBit(word: number): number {
  return 31 - Math.clz32(word & -word)
}

/** Returns the lowest bit from `from` (0 to 31) on, or -1. */
export function nextBit(word: number, from: number): number {
  const rest = word & (-1 << from)
  return rest === 0 ? -1 : firstBit(rest)
}

/** Returns the lowest of sixty bits (30 per word) from `from` (0 to 60) on, or 60. */
export function nextBitOfSixty(low: number, high: number, from: number): number {
  if (from < 30) {
    const rest = low & (-1 << from)
    if (rest !== 0) return firstBit(rest)
    return high === 0 ? 60 : 30 + firstBit(high)
  }
  const rest = from < 60 ? high & (-1 << (from - 30)) : 0
  return rest === 0 ? 60 : 30 + firstBit(rest)
}

/** Returns the word in which each value, minus `first`, is a bit. */
export function bitsOf(values: Iterable<number>, first: number): number {
  let word = 0
  for (const value of values) word |= 1 << (value - first)
  return word
}
