/**
 * What a process that died alone was running goes on elsewhere within a lease, a poll and a second. Deaths beside
 * other faults are not judged: what takes long then is not known to be theirs.
 */
import type { Fault, Violation } from '../plan/evidence.ts'
import type { Indexed } from './index-evidence.ts'
import { runsRecovered } from './measure.ts'

/** How often workers and reapers look when nobody tells them. */
const POLL_MS = 5_000
const GRACE_MS = 1_000

export interface Patience {
  readonly leaseMs: number
  /** For how long the campaign itself did not get its turn. */
  readonly heldUpMs: number
}

export function checkRecovery(evidence: Indexed, { leaseMs, heldUpMs }: Patience): Violation[] {
  const boundMs = leaseMs + POLL_MS + GRACE_MS + heldUpMs
  const isAlone = (one: Fault) =>
    !evidence.faults.some((other) => other !== one && overlaps(one, other, boundMs))
  return evidence.faults
    .filter((fault) => fault.kind === 'kill9' && isAlone(fault))
    .flatMap((fault) => {
      const last = runsRecovered(fault, evidence)
      const ms = last === null ? 0 : last.monotonicMs - fault.fromMs
      if (ms <= boundMs) return []
      const what = `${fault.target} died, and it took ${Math.round(ms)} ms until what it ran went on; ${boundMs} are allowed`
      return [{ kind: 'slow', what }]
    })
}

/** Whether one falls into the time in which the other is felt. */
function overlaps(one: Fault, other: Fault, feltMs: number): boolean {
  const endOf = (fault: Fault) => Math.max(fault.untilMs ?? fault.fromMs, fault.fromMs) + feltMs
  return one.fromMs < endOf(other) && other.fromMs < endOf(one)
}
