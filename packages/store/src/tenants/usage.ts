/** Reports a tenant's usage by day: read from history, so that nothing is counted in advance. */
import { invariant } from '@punctual/core/errors'
import type { UsageDay } from '@punctual/core/identity'
import { runIdFloor } from '@punctual/core/run'
import { DAY_MS, dayStart } from '../connection/day-names.ts'
import type { ReadSource } from '../connection/read-source.ts'
import { sumUsage } from './statements.gen.ts'

/** The days that a range touches; a day whose history was dropped counts nothing. */
export async function usageOf(
  source: ReadSource,
  tenantId: number,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): Promise<UsageDay[]> {
  const days: UsageDay[] = []
  for (let dayMs = dayStart(fromMs); dayMs < toMs; dayMs += DAY_MS) {
    const call = sumUsage(tenantId, runIdFloor(dayMs), runIdFloor(dayMs + DAY_MS))
    const [used] = await source.browse.run(call)
    invariant(used, 'the usage of a day is one row')
    days.push({
      day: new Date(dayMs).toISOString().slice(0, 10),
      runs: used.runs,
      succeeded: used.succeeded,
      endedOtherwise: used.others,
      attempts: used.attempts,
      runSeconds: used.ranMs / 1_000,
      payloadBytes: used.payloadBytes,
      outputBytes: used.outputBytes,
      logBytes: used.logBytes,
    })
  }
  return days
}
