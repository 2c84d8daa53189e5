/**
 * An acknowledged submission exists exactly once, an indeterminate one at most once, and a refused
 * one never; the campaign submits nothing that should be refused. A batch request is stored
 * completely or not at all.
 */

import type { ObservedRun, Violation } from '../plan/evidence.ts'
import type { AskLine } from '../plan/ledger.ts'
import { groupBy, type Indexed } from './index-evidence.ts'

export function checkAsks(evidence: Indexed): Violation[] {
  const submitted = evidence.runs.filter((run) => run.job === null)
  const runsOf = groupBy(submitted, (run) => run.payload.ask ?? '')
  const violations = [...evidence.asks].flatMap(([ask, lines]) =>
    checkAsk(ask, lines, runsOf.get(ask) ?? [], evidence),
  )
  for (const [ask, runs] of runsOf)
    if (!evidence.asks.has(ask))
      violations.push({ kind: 'orphans', what: `no submission ${ask}, but run ${runs[0]?.id}` })
  return [...violations, ...checkBatches(evidence, runsOf)]
}

function checkBatches(
  { ledger }: Indexed,
  runsOf: ReadonlyMap<string, readonly ObservedRun[]>,
): Violation[] {
  const inBatch = ledger.asks.filter((line) => line.what === 'asked' && line.batch)
  return [...groupBy(inBatch, (line) => line.batch as string)].flatMap(([batch, lines]) => {
    const absent = lines.filter(({ ask }) => !runsOf.has(ask)).map(({ ask }) => ask)
    if (absent.length === 0 || absent.length === lines.length) return []
    const what = `the batch ${batch} is stored without ${absent.join(' ')}`
    return [{ kind: 'missing', what } as const]
  })
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
        what: `${ask} was acknowledged as ${line.run}, which does not exist`,
      })
    else if (runById.get(line.run)?.payload.ask !== ask)
      violations.push({
        kind: 'missing',
        what: `${ask} was acknowledged as ${line.run}, which belongs to another submission`,
      })
  if (runs.length > 1)
    violations.push({
      kind: 'duplicateAccepted',
      what: `${ask} became ${runs.length} runs: ${runs.map((run) => run.id).join(' ')}`,
    })
  if (refused && runs.length > 0)
    violations.push({ kind: 'orphans', what: `${ask} was refused, but is run ${runs[0]?.id}` })
  else if (refused)
    violations.push({
      kind: 'missing',
      what: `${ask} was refused although it is valid`,
    })
  return violations
}

export function countAcknowledged({ asks }: Indexed): number {
  return [...asks.values()].filter((lines) => lines.some((line) => line.what === 'acknowledged'))
    .length
}
