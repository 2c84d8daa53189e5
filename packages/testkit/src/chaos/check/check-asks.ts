/**
 * What was acknowledged exists once; what nobody knows of exists at most once; what was refused,
 * never, and nothing of what the campaign submits is to be. Of what was sent in one request there is
 * all or nothing.
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
      violations.push({ kind: 'orphans', what: `nobody asked for ${ask}, run ${runs[0]?.id}` })
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
    const what = `the batch ${batch} is there without ${absent.join(' ')}`
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
        what: `${ask} was acknowledged as ${line.run}, and is not there`,
      })
    else if (runById.get(line.run)?.payload.ask !== ask)
      violations.push({
        kind: 'missing',
        what: `${ask} was acknowledged as ${line.run}, which is somebody else's`,
      })
  if (runs.length > 1)
    violations.push({
      kind: 'duplicateAccepted',
      what: `${ask} became ${runs.length} runs: ${runs.map((run) => run.id).join(' ')}`,
    })
  if (refused && runs.length > 0)
    violations.push({ kind: 'orphans', what: `${ask} was refused, and is run ${runs[0]?.id}` })
  else if (refused)
    violations.push({
      kind: 'missing',
      what: `${ask} was refused, and there is nothing wrong with it`,
    })
  return violations
}

export function countAcknowledged({ asks }: Indexed): number {
  return [...asks.values()].filter((lines) => lines.some((it) => it.what === 'acknowledged')).length
}
