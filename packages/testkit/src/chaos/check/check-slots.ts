/**
 * Every expected slot of a job has one run that ended, and no run belongs to an unexpected slot.
 */

import type { ObservedRun, Violation } from '../plan/evidence.ts'
import { type ChaosJob, expectedSlots } from '../plan/workload.ts'
import { groupBy, type Indexed } from './index-evidence.ts'

export function checkSlots(evidence: Indexed): Violation[] {
  const runsOf = groupBy(
    evidence.runs.filter((run) => run.job !== null),
    (run) => `${run.job} ${run.slotMs}`,
  )
  const decided = groupBy(evidence.slots, (slot) => `${slot.job} ${slot.slotMs}`)
  const violations: Violation[] = []
  const expected = new Set<string>()
  for (const job of evidence.jobs)
    for (const slotMs of expectedSlots(job)) {
      const slot = `${job.name} ${slotMs}`
      expected.add(slot)
      violations.push(
        ...checkSlot(job, slot, runsOf.get(slot) ?? [], decided.get(slot)?.length ?? 0),
      )
    }
  for (const [slot, runs] of runsOf)
    if (!expected.has(slot))
      violations.push({
        kind: 'orphans',
        what: `no schedule has slot ${slot}, but run ${runs[0]?.id} exists`,
      })
  return violations
}

function checkSlot(
  job: ChaosJob,
  slot: string,
  runs: readonly ObservedRun[],
  decisions: number,
): Violation[] {
  const [run, second] = runs
  const ids = runs.map(({ id }) => id).join(' ')
  if (!run) return [{ kind: 'missing', what: `slot ${slot} has no run (${decisions} decisions)` }]
  const violations: Violation[] = []
  if (second || decisions > 1)
    violations.push({
      kind: 'duplicateAccepted',
      what: `slot ${slot} has ${runs.length} runs and ${decisions} decisions: ${ids}`,
    })
  // The ledger and the run are written together: one without the other is half a decision.
  if (decisions === 0) violations.push({ kind: 'missing', what: `slot ${slot} has no decision` })
  const mayBeSkipped = job.overlap === 'skip'
  if (run.state === 'skipped' && !mayBeSkipped)
    violations.push({
      kind: 'missing',
      what: `slot ${slot} was skipped: ${run.reason}, run ${run.id}`,
    })
  return violations
}
