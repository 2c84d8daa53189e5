/** The evidence looked up by what it is about. */

import type { Evidence, ObservedRun } from '../plan/evidence.ts'
import type { AskLine, EffectLine } from '../plan/ledger.ts'

export interface Indexed extends Evidence {
  readonly runById: ReadonlyMap<string, ObservedRun>
  /** Starts of each run, in the order of time. */
  readonly starts: ReadonlyMap<string, readonly EffectLine[]>
  /** Of each submission everything that was noted. */
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

export function groupBy<T>(list: readonly T[], keyOf: (it: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const it of list) {
    const key = keyOf(it)
    const group = groups.get(key)
    if (group) group.push(it)
    else groups.set(key, [it])
  }
  return groups
}
