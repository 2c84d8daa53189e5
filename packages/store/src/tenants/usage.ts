/** What a tenant has used, day by day, as a report: read from history, so that it costs nothing until it is asked for. */
import { runIdFloor } from '@punctual/core/run'
import { DAY_MS, dayStart } from '../connection/day-names.ts'
import type { ReadSource } from '../connection/read-source.ts'

/** What a tenant has used on one day, in UTC: that on which its runs were due. */
export interface UsageDay {
  /** The day, such as `2030-01-31`. */
  readonly day: string
  /** Runs that were due on it. */
  readonly runs: number
  /** Those that have succeeded. */
  readonly succeeded: number
  /** Those that have ended otherwise: dead, cancelled, skipped or unknown. */
  readonly endedOtherwise: number
  /** Attempts of them that have ended. */
  readonly attempts: number
  /** How long those took, all together. */
  readonly runSeconds: number
  /** Bytes of their payloads, as JSON. */
  readonly payloadBytes: number
  /** Bytes of their outputs, as JSON. */
  readonly outputBytes: number
  /** Bytes of their logs: their texts, and fifty for each line. */
  readonly logBytes: number
}

/** The days that a range touches; days whose history was dropped have nothing. */
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
