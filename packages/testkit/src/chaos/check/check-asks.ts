/**
 * What was acknowledged exists once; what nobody knows of exists at most once; what was refused,
 * never.
 */
import type { AskLine } from '../ledger.ts'
import type { ObservedRun, Violation } from './evidence.ts'
import { groupBy, type Indexed } from './index-evidence.ts'

export function checkAsks(evidence: Indexed): Violation[] {
  const submitted = evidence.runs.filter((run) => run.job === null)
  const runsOf = groupBy(submitted, (run) => run.payload.ask ?? '')
  const violations = [...evidence.asks].flatMap(([ask, lines]) =>
    checkAsk(ask, lines, runsOf.get(ask) ?? [], evidence),
  )
  for (const [ask, runs] of runsOf)
    if (!evidence.asks.has(ask))
      violations.push({ kind: 'orphans', what: `nobody asked for ${ask}, run ${runs[0]?.id}` })
  return violations
}

function checkAsk(
  ask: string,
  lines: readonly AskLine[],
  runs: readonly ObservedRun[],
  { runById }: Indexed,
): Violation[] {
  const violations: Violation[] = []
  const acknowledged = lines.filter((line) => line.what === 'acknowledged')
  const refused = lines.some((line) => line.what === 'refused')
  for (const line of acknowledged)
    if (line.run === null || !runById.has(line.run))
      violations.push({
        kind: 'missing',
        what: `${ask} was acknowledged as ${line.run}, and is not there`,
      })
  if (runs.length > 1)
    violations.push({
      kind: 'duplicateAccepted',
      what: `${ask} became ${runs.length} runs: ${runs.map((run) => run.id).join(' ')}`,
    })
  if (refused && runs.length > 0)
    violations.push({ kind: 'orphans', what: `${ask} was refused, and is run ${runs[0]?.id}` })
  return violations
}

export function countAcknowledged({ asks }: Indexed): number {
  return [...asks.values()].filter((lines) => lines.some((it) => it.what === 'acknowledged')).length
}
