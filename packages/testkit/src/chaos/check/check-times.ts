/**
 * No run starts before it is due. A second check ignores the slot labels: the starts of a job, in
 * order, must pair with its slots, each at or after its slot. A wrongly labelled slot passes the
 * check by id and fails here.
 */

import type { Violation } from '../plan/evidence.ts'
import { type ChaosJob, expectedSlots } from '../plan/workload.ts'
import { groupBy, type Indexed } from './index-evidence.ts'

/** The tolerated difference between clocks read in two processes. */
const TOLERANCE_MS = 3

export function checkEarly({ starts, wallMs, runById }: Indexed): Violation[] {
  return [...starts].flatMap(([id, [first]]) => {
    const dueMs = runById.get(id)?.dueMs
    if (!first || dueMs === undefined || wallMs(first) >= dueMs - TOLERANCE_MS) return []
    const what = `run ${id} started ${Math.round(dueMs - wallMs(first))} ms before it was due`
    return [{ kind: 'early', what } as const]
  })
}

export function checkWindows(evidence: Indexed): Violation[] {
  const { starts, wallMs } = evidence
  const firsts = [...starts.values()].flatMap(([first]) => (first?.job ? [first] : []))
  const ofJob = groupBy(firsts, (line) => line.job as string)
  return evidence.jobs
    .filter((job) => job.overlap === 'allow')
    .flatMap((job) => pair(job, (ofJob.get(job.name) ?? []).map(wallMs)))
}

function pair(job: ChaosJob, startsMs: readonly number[]): Violation[] {
  const slots = expectedSlots(job)
  const violations: Violation[] = []
  let paired = 0
  for (const startMs of [...startsMs].sort((a, b) => a - b)) {
    const slotMs = slots[paired]
    if (slotMs !== undefined && slotMs <= startMs + TOLERANCE_MS) paired++
    else
      violations.push({
        kind: slotMs === undefined ? 'orphans' : 'early',
        what: `${job.name} started at ${new Date(startMs).toISOString()} without a matching slot`,
      })
  }
  for (const slotMs of slots.slice(paired))
    violations.push({
      kind: 'missing',
      what: `${job.name}: no start pairs with ${new Date(slotMs).toISOString()} by time alone`,
    })
  return violations
}
