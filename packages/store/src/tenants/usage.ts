/** Reports a tenant's usage by day: read from history, so that nothing is counted in advance. */
import { runIdFloor } from '@punctual/core/run'
import { DAY_MS, dayStart } from '../connection/day-names.ts'
import type { ReadSource } from '../connection/read-source.ts'

/** A tenant's usage on one day, in UTC: the day on which its runs were due. */
export interface UsageDay {
  /** The day, such as `2030-01-31`. */
  readonly day: string
  /** Runs due on that day. */
  readonly runs: number
  /** Runs among these that succeeded. */
  readonly succeeded: number
  /** Runs among these that ended otherwise: dead, cancelled, skipped or unknown. */
  readonly endedOtherwise: number
  /** Finished attempts of these runs. */
  readonly attempts: number
  /** The total duration of these attempts. */
  readonly runSeconds: number
  /** Bytes of the runs' payloads, as JSON. */
  readonly payloadBytes: number
  /** Bytes of the runs' outputs, as JSON. */
  readonly outputBytes: number
  /** Bytes of the runs' logs: their texts, plus fifty per line. */
  readonly logBytes: number
}

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
