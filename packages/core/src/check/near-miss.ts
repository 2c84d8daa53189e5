/** Suggests the known name that the caller probably meant: the one with the fewest edits. */

const EDITS_MAX = 3
const LENGTH_MAX = 64

/** Returns null when no name is near; case is ignored. */
export function nearMiss(given: string, known: Iterable<string>): string | null {
  if (given.length === 0 || given.length > LENGTH_MAX) return null
  const text = given.toLowerCase()
  // A short name has many neighbours, so fewer edits count as near.
  let best = Math.min(EDITS_MAX, Math.ceil(given.length / 3)) + 1
  let found: string | null = null
  for (const name of known) {
    const edits = editsBetween(text, name.toLowerCase(), best)
    if (edits < best) {
      best = edits
      found = name
    }
  }
  return found
}

/** Counts insertions, removals, replacements and swaps of neighbours; stops at `limit`. */
function editsBetween(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (last[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1)
      let edits = Math.min(replaced, (last[j] as number) + 1, (row[j - 1] as number) + 1)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        edits = Math.min(edits, (beforeLast[j - 2] as number) + 1)
      row.push(edits)
    }
    if (Math.min(...row) >= limit) return limit
    beforeLast = last
    last = row
  }
  return last[b.length] as number
}
