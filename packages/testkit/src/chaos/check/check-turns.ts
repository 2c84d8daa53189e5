/**
 * No more concurrent runs than their key or queue allows. Judged by the accepted attempts: each
 * held its lease from before its handler began until after it ended. Work that a worker continues
 * after losing its lease does not count, because its outcome is never accepted.
 */

import type { ObservedRun, Violation } from '../plan/evidence.ts'
import { type Crowd, crowds } from '../plan/workload.ts'
import { groupBy, type Indexed } from './index-evidence.ts'

interface Span {
  readonly run: string
  readonly fromMs: number
  readonly untilMs: number
}

export function checkTurns(evidence: Indexed): Violation[] {
  const crowded = evidence.runs.filter((run) => run.payload.crowd)
  const ends = new Map(
    evidence.ledger.effects
      .filter((line) => line.what === 'end')
      .map((line) => [`${line.run} ${line.fence}`, line.monotonicMs]),
  )
  return [...groupBy(crowded, (run) => run.payload.crowd as string)].flatMap(([name, runs]) => {
    const crowd = crowds.find((candidate) => candidate.name === name) as Crowd
    const spans = runs.flatMap((run) => acceptedSpan(run, evidence, ends) ?? [])
    return overfull(crowd, spans)
  })
}

function acceptedSpan(
  { id, state, fence }: ObservedRun,
  { starts }: Indexed,
  ends: ReadonlyMap<string, number>,
): Span | null {
  if (state !== 'succeeded' || fence === null) return null
  const fromMs = starts.get(id)?.find((line) => line.fence === fence)?.monotonicMs
  const untilMs = ends.get(`${id} ${fence}`)
  return fromMs === undefined || untilMs === undefined ? null : { run: id, fromMs, untilMs }
}

/** Reports the first instant with too many concurrent runs, if any. */
function overfull({ name, limit }: Crowd, spans: readonly Span[]): Violation[] {
  let now: Span[] = []
  for (const span of [...spans].sort((a, b) => a.fromMs - b.fromMs)) {
    now = [...now.filter((running) => running.untilMs > span.fromMs), span]
    if (now.length > limit) {
      const runs = now.map((span) => span.run).join(', ')
      return [{ kind: 'overcrowded', what: `${name} allows ${limit} at once; running: ${runs}` }]
    }
  }
  return []
}
