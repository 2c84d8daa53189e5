/** The evidence indexed by run, slot and submission. */

import type { Evidence, ObservedRun } from '../plan/evidence.ts'
import type { AskLine, EffectLine } from '../plan/ledger.ts'

export interface Indexed extends Evidence {
  readonly runById: ReadonlyMap<string, ObservedRun>
  /** The starts of each run, ordered by time. */
  readonly starts: ReadonlyMap<string, readonly EffectLine[]>
  /** All ledger lines of each submission. */
  readonly asks: ReadonlyMap<string, readonly AskLine[]>
  readonly wallMs: (line: { readonly monotonicMs: number }) => number
}

export function indexEvidence(evidence: Evidence): Indexed {
  const { runs, ledger, wallOffsetMs } = evidence
  return {
    ...evidence,
    runById: new Map(runs.map((run) => [run.id, run])),
    starts: groupBy(
      ledger.effects.filter((line) => line.what === 'start'),
      (line) => line.run,
    ),
    asks: groupBy(ledger.asks, (line) => line.ask),
    wallMs: ({ monotonicMs }) => monotonicMs + wallOffsetMs,
  }
}

export function groupBy<T>(list: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of list) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group) group.push(item)
    else groups.set(key, [item])
  }
  return groups
}
