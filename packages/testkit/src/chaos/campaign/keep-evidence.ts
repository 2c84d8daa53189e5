/** Saves the evidence of a failed campaign for analysis: everything known about the failed runs. */
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Judged } from './campaign.ts'

const RUN_ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

/** Writes one file and returns its path. */
export async function keepEvidence({ verdict, evidence }: Judged, name: string): Promise<string> {
  const ids = new Set(verdict.violations.flatMap(({ what }) => what.match(RUN_ID) ?? []))
  const { runs, ledger, faults, wallOffsetMs, fromMs } = evidence
  const kept = {
    violations: verdict.violations,
    runs: runs.filter((run) => ids.has(run.id)),
    effects: ledger.effects.filter((line) => ids.has(line.run)),
    asks: ledger.asks.filter((line) => line.run !== null && ids.has(line.run)),
    ...{ faults, wallOffsetMs, fromMs },
  }
  const file = join(tmpdir(), `punctual-chaos-${name}-${process.pid}.json`)
  await writeFile(file, `${JSON.stringify(kept, null, 2)}\n`)
  return file
}
