/** Reports a tenant's usage by day: read from history, so that nothing is counted in advance. */
import type { UsageDay } from '@punctual/core/identity'
import { runIdFloor } from '@punctual/core/run'
import { DAY_MS, dayStart } from '../connection/day-names.ts'
import type { ReadSource } from '../connection/read-source.ts'

/** The days that a range touches; a day whose history was dropped counts nothing. */
export async function usageOf(
  source: ReadSource,
  tenantId: number,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): Promise<UsageDay[]> {
  const statement = source.statement('tenants/sum-usage')
  const days: UsageDay[] = []
  for (let dayMs = dayStart(fromMs); dayMs < toMs; dayMs += DAY_MS) {
    const values = [tenantId, runIdFloor(dayMs), runIdFloor(dayMs + DAY_MS)]
    const [row] = await source.reads.query(statement, values)
    const [runs, succeeded, endedOtherwise, attempts, ranMs, ...bytes] = (row ?? []).map(Number)
    const [payloadBytes = 0, outputBytes = 0, logBytes = 0] = bytes
    days.push({
      day: new Date(dayMs).toISOString().slice(0, 10),
      ...{ runs: runs ?? 0, succeeded: succeeded ?? 0, endedOtherwise: endedOtherwise ?? 0 },
      ...{ attempts: attempts ?? 0, runSeconds: (ranMs ?? 0) / 1_000 },
      ...{ payloadBytes, outputBytes, logBytes },
    })
  }
  return days
}
