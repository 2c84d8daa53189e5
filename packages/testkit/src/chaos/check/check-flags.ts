/** A run that started twice is flagged as a possible duplicate, and no other run is. */
import type { ObservedAttempt, Violation } from '../plan/evidence.ts'
import type { Indexed } from './index-evidence.ts'

export interface FlagFindings {
  readonly violations: readonly Violation[]
  /** Runs that started more than once and are flagged. */
  readonly flaggedDuplicates: number
}

const said = (attempts: readonly ObservedAttempt[]) =>
  `its attempts say ${attempts.map((attempt) => attempt.outcome).join(', ')}`

export function checkFlags({ runs, starts, flagged }: Indexed): FlagFindings {
  const violations: Violation[] = []
  let flaggedDuplicates = 0
  for (const { id, attempts, payload } of runs) {
    const started = starts.get(id)?.length ?? 0
    if (started > 1 && flagged.has(id)) flaggedDuplicates++
    if (started > 1 && !flagged.has(id))
      violations.push({
        kind: 'unflaggedDuplicates',
        what: `run ${id} (${payload.kind}) started ${started} times: ${said(attempts)}`,
      })
    // An attempt interrupted by a fault may have started: the flag rightly says "possibly".
    const maybe = attempts.some((attempt) => attempt.outcome === 'crashed')
    if (started < 2 && flagged.has(id) && !maybe)
      violations.push({
        kind: 'wronglyFlagged',
        what: `run ${id} (${payload.kind}) started ${started} times: ${said(attempts)}`,
      })
  }
  return { violations, flaggedDuplicates }
}
