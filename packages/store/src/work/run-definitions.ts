/**
 * Reads what claimed runs are to do, where the claim has not returned it: day by day, in parts. The
 * statement itself ends a part at the number of bytes that is left, so that a thousand large
 * payloads are never loaded for an answer of sixteen.
 */
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

type Each = (id: string, definition: RunDefinition) => void

/** What a read may load. */
interface Budget {
  /** Null: the definitions are read without their payloads. */
  readonly bytes: number | null
  /** Whether the first run is read whatever the size of its payload. */
  readonly first: boolean
}

/**
 * Calls back with the definitions of the first of these runs, in the order of their ids, until
 * their payloads would exceed `bytes`; at least one run is read, whatever its size. Returns the ids
 * that are left.
 */
export async function readDefinitions(
  database: Database,
  ids: readonly string[],
  bytes: number,
  each: Each,
): Promise<readonly string[]> {
  const sorted = [...ids].sort()
  let budget: Budget = { bytes: Math.max(0, bytes), first: true }
  for (let at = 0; at < sorted.length; ) {
    const { day, part } = partAt(sorted, at)
    const rows = await readDay(database, day, part, budget)
    const full = rows.find(({ payload }) => payload === null)
    tell(rows, each)
    if (full) return sorted.slice(sorted.indexOf(full.id))
    const read = rows.reduce((sum, row) => sum + row.bytes, 0)
    budget = {
      bytes: Math.max(0, (budget.bytes ?? 0) - read),
      first: budget.first && rows.length === 0,
    }
    at += part.length
  }
  return []
}

/** Calls back with the definitions of all these runs, each with `null` for its payload. */
export async function readWithoutPayloads(
  database: Database,
  ids: readonly string[],
  each: Each,
): Promise<void> {
  const sorted = [...ids].sort()
  for (let at = 0; at < sorted.length; ) {
    const { day, part } = partAt(sorted, at)
    tell(await readDay(database, day, part, { bytes: null, first: false }), each)
    at += part.length
  }
}

/** The next ids of one day: those of a day follow each other, as ids begin with their time. */
function partAt(sorted: readonly string[], at: number): { day: number; part: readonly string[] } {
  const dayOf = (id: string | undefined) => dayStart(runIdTimeMs(id ?? ''))
  const day = dayOf(sorted[at])
  let end = at + 1
  while (end < sorted.length && end < at + READ_AT_ONCE && dayOf(sorted[end]) === day) end++
  return { day, part: sorted.slice(at, end) }
}

function tell(rows: readonly ReadRunsRow[], each: Each): void {
  for (const { id, timeoutMs, maxAttempts, dueMs, payload, extra } of rows)
    if (payload !== null)
      each(id, { timeoutMs, maxAttempts, dueMs, payload, ...decodeExtra(extra) })
}

async function readDay(
  { control }: Database,
  day: number,
  ids: readonly string[],
  { bytes, first }: Budget,
): Promise<readonly ReadRunsRow[]> {
  const call = readRuns(uuidArray(ids), bytes, first)
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
