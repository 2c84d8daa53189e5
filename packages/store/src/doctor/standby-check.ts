/** Whether people can be shown what the standby has that they are to read from. */
import type { StandbyState } from '../replica/replica-reads.ts'
import { type Finding, ok, warn } from './finding.ts'

export function standbyChecks(state: StandbyState | null): Finding[] {
  if (state === null) return []
  const check = 'reading standby'
  if (state.used)
    return [
      ok(check, `${Math.round(state.lagMs)} ms behind`, 'Lists and reports are read from it.'),
    ]
  return [
    warn(
      check,
      `passed by: ${state.why}`,
      'Lists and reports are read from the primary instead. Nothing else is touched by it.',
      'Mend the standby, name another one in PUNCTUAL_READ_DATABASE_URL, or allow it to be further behind.',
    ),
  ]
}
