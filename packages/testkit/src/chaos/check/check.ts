/** The checker: judges the evidence, and trusts nothing that the product reports about itself. */

import {
  type Evidence,
  type Violation,
  type ViolationKind,
  violationKinds,
} from '../plan/evidence.ts'
import { expectedSlots } from '../plan/workload.ts'
import { checkAsks, countAcknowledged } from './check-asks.ts'
import { checkFlags } from './check-flags.ts'
import { checkOutcomes } from './check-outcomes.ts'
import { checkRecovery, type Patience } from './check-recovery.ts'
import { checkSlots } from './check-slots.ts'
import { checkEarly, checkWindows } from './check-times.ts'
import { checkTurns } from './check-turns.ts'
import { groupBy, indexEvidence } from './index-evidence.ts'
import { type Figures, measure } from './measure.ts'

export interface Verdict extends Figures {
  readonly slots: number
  readonly submitted: number
  readonly counts: Readonly<Record<ViolationKind, number>>
  readonly violations: readonly Violation[]
  /** Runs that ran more than once and are flagged. */
  readonly flaggedDuplicates: number
  readonly faults: Readonly<Record<string, number>>
  readonly pass: boolean
}

export interface Demands extends Patience {
  /** The kinds of faults that must have happened for the campaign to prove anything. */
  readonly faults?: readonly string[]
}

export function check(given: Evidence, demands: Demands): Verdict {
  const evidence = indexEvidence(given)
  const happened = new Set(given.faults.map(({ kind }) => kind))
  const spared = (demands.faults ?? []).filter((kind) => !happened.has(kind))
  const flags = checkFlags(evidence)
  const violations = [
    ...checkSlots(evidence),
    ...checkAsks(evidence),
    ...checkOutcomes(evidence),
    ...checkTurns(evidence),
    ...checkEarly(evidence),
    ...checkWindows(evidence),
    ...flags.violations,
    ...checkRecovery(evidence, demands),
    ...given.ownDeaths.map((what): Violation => ({ kind: 'died', what })),
    ...spared.map((what): Violation => ({ kind: 'spared', what: `${what} did not happen` })),
  ]
  const counts = Object.fromEntries(
    violationKinds.map((kind) => [
      kind,
      violations.filter((violation) => violation.kind === kind).length,
    ]),
  ) as Record<ViolationKind, number>
  return {
    slots: given.jobs.reduce((sum, job) => sum + expectedSlots(job).length, 0),
    submitted: countAcknowledged(evidence),
    counts,
    violations,
    flaggedDuplicates: flags.flaggedDuplicates,
    faults: Object.fromEntries(
      [...groupBy(given.faults, (fault) => fault.kind)].map(([kind, faults]) => [
        kind,
        faults.length,
      ]),
    ),
    ...measure(evidence, demands.leaseMs),
    pass: violations.length === 0,
  }
}
