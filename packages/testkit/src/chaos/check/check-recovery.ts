/**
 * The runs of a process that died alone restart elsewhere within a lease, a poll and a second.
 * Deaths that overlap other faults are not judged: their delay cannot be attributed to them.
 */
import type { Fault, Violation } from '../plan/evidence.ts'
import type { Indexed } from './index-evidence.ts'
import { runsRecovered } from './measure.ts'

/** How often workers and reapers poll when they receive no hint. */
const POLL_MS = 5_000
const GRACE_MS = 1_000

export interface Patience {
  readonly leaseMs: number
  /** How long the campaign process itself was not scheduled. */
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
      const what = `${fault.target} died, and its runs restarted only after ${Math.round(ms)} ms; ${boundMs} ms are allowed`
      return [{ kind: 'slow', what }]
    })
}

/** Whether one fault falls into the time in which the other has an effect. */
function overlaps(one: Fault, other: Fault, feltMs: number): boolean {
  const endOf = (fault: Fault) => Math.max(fault.untilMs ?? fault.fromMs, fault.fromMs) + feltMs
  return one.fromMs < endOf(other) && other.fromMs < endOf(one)
}
