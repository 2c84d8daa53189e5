/**
 * Every run ended, by one attempt that really ran and was the current one. An attempt is stale when
 * a newer one of its run had started before the outcome was accepted: the ledgers and the fences
 * tell, whatever the product believes.
 */

import type { ObservedRun, Violation } from '../plan/evidence.ts'
import type { EffectLine } from '../plan/ledger.ts'
import { isOnce, isTransactional } from '../plan/workload.ts'
import type { Indexed } from './index-evidence.ts'

/** How a run may end without its handler having returned. */
const EXPLAINED_DEATHS = new Set(['quarantined'])

export function checkOutcomes(evidence: Indexed): Violation[] {
  const { runs, starts, runById, strayEffects, heldByEnded } = evidence
  const violations = runs.flatMap((run) => checkRun(run, starts.get(run.id) ?? [], evidence))
  for (const [id, lines] of starts)
    if (!runById.has(id))
      violations.push({
        kind: 'orphans',
        what: `${lines[0]?.process} ran ${id}, which is not there`,
      })
  if (strayEffects > 0)
    violations.push({ kind: 'orphans', what: `${strayEffects} effects belong to no run` })
  if (heldByEnded > 0)
    violations.push({ kind: 'orphans', what: `${heldByEnded} keys or holds are of ended runs` })
  return violations
}

function checkRun(run: ObservedRun, starts: readonly EffectLine[], evidence: Indexed): Violation[] {
  const told = (kind: Violation['kind'], what: string): Violation[] => [
    { kind, what: `run ${run.id} (${run.payload.kind}) ${what}` },
  ]
  if (run.state === null) return told('missing', 'has not ended')
  if (run.outcomes > 1) return told('duplicateAccepted', `has ${run.outcomes} outcomes`)
  const claims = run.attempts.flatMap((it) => (it.fence === null ? [] : [it.fence]))
  if (new Set(claims).size < claims.length)
    return told('duplicateAccepted', 'has two outcomes of one attempt')
  if (run.state === 'dead' && !EXPLAINED_DEATHS.has(run.reason ?? ''))
    return told('missing', `died of ${run.reason}`)
  const mayBeUnknown = isOnce(run.payload.kind)
  if (run.state === 'cancelled' || (run.state === 'unknown' && !mayBeUnknown))
    return told('missing', `is ${run.state}, and nobody asked for that: ${run.reason}`)
  return [...checkEffects(run, told), ...checkAccepted(run, starts, evidence, told)]
}

type Told = (kind: Violation['kind'], what: string) => Violation[]

/** Committed together with the success, or not at all. */
function checkEffects(run: ObservedRun, told: Told): Violation[] {
  if (!isTransactional(run.payload.kind)) return []
  const wanted = run.state === 'succeeded' ? 1 : 0
  if (run.effects > wanted) return told('duplicateAccepted', `${run.state}: ${run.effects} effects`)
  if (run.effects < wanted) return told('missing', 'succeeded without its effect')
  return []
}

function checkAccepted(
  run: ObservedRun,
  starts: readonly EffectLine[],
  { wallMs }: Indexed,
  told: Told,
): Violation[] {
  if (isOnce(run.payload.kind) && starts.length > 1)
    return told(
      'duplicateAccepted',
      `was to start at most once, and started ${starts.length} times`,
    )
  if (run.state !== 'succeeded') return []
  if (starts.length === 0) return told('missing', 'succeeded, and no handler ran it')
  // One that commits with its handler may say "failed" as well, when it did not hear of its commit.
  if (!isTransactional(run.payload.kind) && run.refused.includes(run.fence ?? ''))
    return told('staleAccepted', `was accepted and refused under ${run.fence}`)
  if (run.output?.fence != null && run.output.fence !== run.fence)
    return told(
      'staleAccepted',
      `has the output of ${run.output.fence} under the fence ${run.fence}`,
    )
  const accepted = starts.find((line) => line.fence === run.fence)
  if (starts.some((line) => line.fence === null)) return []
  if (!accepted) return told('staleAccepted', `was settled under ${run.fence}, which never started`)
  // By the number of the attempt: an older one may start later, when the answer to its claim came late.
  const newer = starts.find(
    (line) =>
      line.fence !== run.fence &&
      line.attempt > accepted.attempt &&
      wallMs(line) < (run.finishedMs ?? 0),
  )
  return newer
    ? told('staleAccepted', `was settled under ${run.fence} after ${newer.fence} had started`)
    : []
}
