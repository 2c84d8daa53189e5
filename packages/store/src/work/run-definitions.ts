/** Reads what claimed runs are to do, where the claim has not returned it: day by day, in parts. */
import type { Assignment } from '@punctual/core/ports'
import { decodeRunPolicy, runIdTimeMs, traits } from '@punctual/core/run'
import { uuidArray } from '../connection/binary-arrays.ts'
import type { Database } from '../connection/database.ts'
import { dayStart } from '../connection/day-names.ts'
import { isMissingPartition } from '../connection/faults.ts'
import type { RunDefinition } from './claim-codec.ts'
import { decodeExtra } from './run-extra.ts'
import { type ReadRunsRow, readRuns } from './statements.gen.ts'

const READ_AT_ONCE = 200

export async function readDefinitions(
  database: Database,
  ids: readonly string[],
  each: (id: string, definition: RunDefinition) => void,
): Promise<void> {
  const days = new Map<number, string[]>()
  for (const id of ids) {
    const day = dayStart(runIdTimeMs(id))
    const known = days.get(day)
    if (known) known.push(id)
    else days.set(day, [id])
  }
  for (const [day, dayIds] of days)
    for (let i = 0; i < dayIds.length; i += READ_AT_ONCE)
      for (const row of await readDay(database, day, dayIds.slice(i, i + READ_AT_ONCE))) {
        const { id, timeoutMs, maxAttempts, dueMs, payload, extra } = row
        each(id, { timeoutMs, maxAttempts, dueMs, payload, ...decodeExtra(extra) })
      }
}

async function readDay(
  { control }: Database,
  day: number,
  ids: readonly string[],
): Promise<readonly ReadRunsRow[]> {
  const call = readRuns(uuidArray(ids))
  try {
    return await control.runOnDay(call, day)
  } catch (error) {
    // A day beyond the retention has no partition.
    if (!isMissingPartition(error)) throw error
    return control.runOnDay(call, null)
  }
}

/** `bits`: the traits of the run; `nowMs`: when it was claimed, by the database's clock. */
export function assignmentOf(definition: RunDefinition, bits: number, nowMs: number): Assignment {
  return {
    maxAttempts: definition.maxAttempts,
    timeoutMs: definition.timeoutMs,
    dueMs: definition.dueMs,
    payload: definition.payload,
    policy: definition.policy,
    trace: definition.trace,
    slotMs: definition.slotMs,
    missedFromMs: definition.missedFromMs,
    expiresInMs: expiresInMs(bits, definition.policy, nowMs),
  }
}

export function expiresInMs(bits: number, policy: string | null, nowMs: number): number | null {
  if ((bits & traits.expires) === 0) return null
  const { expiresAtMs } = decodeRunPolicy(policy)
  return expiresAtMs === undefined ? null : expiresAtMs - nowMs
}
