/** Checks whether the configured read replica is fresh enough to serve reads. */
import type { ReplicaState } from '../replica/replica-reads.ts'
import { type Finding, ok, warn } from './finding.ts'

export function standbyChecks(state: ReplicaState | null): Finding[] {
  if (state === null) return []
  const check = 'read replica'
  if (state.used)
    return [ok(check, `${Math.round(state.lagMs)} ms behind`, 'It serves lists and reports.')]
  return [
    warn(
      check,
      `skipped: ${state.why}`,
      'The primary serves lists and reports instead. Nothing else is affected.',
      'Repair the standby, set PUNCTUAL_READ_DATABASE_URL to another one, or allow more lag (PUNCTUAL_READ_LAG_MS).',
    ),
  ]
}
