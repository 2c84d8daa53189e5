/**
 * Every run ended, by one attempt that really ran and was the current one. An attempt is stale when
 * a newer attempt of its run had started before the outcome was accepted: the ledgers and fences
 * decide this, not the product's records.
 */

import type { ObservedRun, Violation } from '../plan/evidence.ts'
import type { EffectLine } from '../plan/ledger.ts'
import { isOnce, isTransactional } from '../plan/workload.ts'
import type { Indexed } from './index-evidence.ts'

/** Reasons for a death without a handler that returned. */
const EXPLAINED_DEATHS = new Set(['quarantined'])

export function checkOutcomes(evidence: Indexed): Violation[] {
  const { runs, starts, runById, strayEffects, heldByEnded } = evidence
  const violations = runs.flatMap((run) => checkRun(run, starts.get(run.id) ?? [], evidence))
  for (const [id, lines] of starts)
    if (!runById.has(id))
      violations.push({
        kind: 'orphans',
        what: `${lines[0]?.process} ran ${id}, which does not exist`,
      })
  if (strayEffects > 0)
    violations.push({ kind: 'orphans', what: `${strayEffects} effects belong to no run` })
  if (heldByEnded > 0)
    violations.push({ kind: 'orphans', what: `${heldByEnded} keys or holds belong to ended runs` })
  return violations
}

function checkRun(run: ObservedRun, starts: readonly EffectLine[], evidence: Indexed): Violation[] {
  const violation = (kind: Violation['kind'], what: string): Violation[] => [
    { kind, what: `run ${run.id} (${run.payload.kind}) ${what}` },
  ]
  if (run.state === null) return violation('missing', 'has not ended')
  if (run.outcomes > 1) return violation('duplicateAccepted', `has ${run.outcomes} outcomes`)
  const claims = run.attempts.flatMap((attempt) => (attempt.fence === null ? [] : [attempt.fence]))
  if (new Set(claims).size < claims.length)
    return violation('duplicateAccepted', 'has two outcomes of one attempt')
  if (run.state === 'dead' && !EXPLAINED_DEATHS.has(run.reason ?? ''))
    return violation('missing', `died of ${run.reason}`)
  const mayBeUnknown = isOnce(run.payload.kind)
  if (run.state === 'cancelled' || (run.state === 'unknown' && !mayBeUnknown))
    return violation('missing', `is ${run.state} without a request: ${run.reason}`)
  return [...checkEffects(run, violation), ...checkAccepted(run, starts, evidence, violation)]
}

type MakeViolations = (kind: Violation['kind'], what: string) => Violation[]

/** The effect is committed together with the success, or not at all. */
function checkEffects(run: ObservedRun, violation: MakeViolations): Violation[] {
  if (!isTransactional(run.payload.kind)) return []
  const wanted = run.state === 'succeeded' ? 1 : 0
  if (run.effects > wanted)
    return violation('duplicateAccepted', `${run.state}: ${run.effects} effects`)
  if (run.effects < wanted) return violation('missing', 'succeeded without its effect')
  return []
}

function checkAccepted(
  run: ObservedRun,
  starts: readonly EffectLine[],
  { wallMs }: Indexed,
  violation: MakeViolations,
): Violation[] {
  if (isOnce(run.payload.kind) && starts.length > 1)
    return violation(
      'duplicateAccepted',
      `was to start at most once, and started ${starts.length} times`,
    )
  if (run.state !== 'succeeded') return []
  if (starts.length === 0) return violation('missing', 'succeeded, but no handler ran it')
  // A run that commits with its handler may also report "failed", if the commit reply was lost.
  if (!isTransactional(run.payload.kind) && run.refused.includes(run.fence ?? ''))
    return violation('staleAccepted', `was accepted and refused under ${run.fence}`)
  if (run.output?.fence != null && run.output.fence !== run.fence)
    return violation(
      'staleAccepted',
      `has the output of ${run.output.fence} under the fence ${run.fence}`,
    )
  const accepted = starts.find((line) => line.fence === run.fence)
  if (starts.some((line) => line.fence === null)) return []
  if (!accepted)
    return violation('staleAccepted', `was settled under ${run.fence}, which never started`)
  // Compared by attempt number: an older attempt may start later, if the reply to its claim was
  // late.
  const newer = starts.find(
    (line) =>
      line.fence !== run.fence &&
      line.attempt > accepted.attempt &&
      wallMs(line) < (run.finishedMs ?? 0),
  )
  return newer
    ? violation('staleAccepted', `was settled under ${run.fence} after ${newer.fence} had started`)
    : []
}
