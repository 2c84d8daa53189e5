/** Decodes the definitions of runs, which most claims return and others read day by day. */
import type { Assignment } from '@punctual/core/ports'
import { decodeRunPolicy, runIdTimeMs, traits } from '@punctual/core/run'
import { uuidArray } from '../connection/binary-arrays.ts'
import type { Row } from '../connection/channel.ts'
import type { Database } from '../connection/database.ts'
import { dayStart } from '../connection/day-names.ts'
import { isMissingPartition } from '../connection/faults.ts'

const READ_AT_ONCE = 200
const EXTRA_SEPARATOR = '\u001f'
const SPEC_UNIT = 65_536

type Text = string | null | undefined

/** Reads runs by day, in parts: `(timeout << 16) | max_attempts`, due time, payload, extra. */
export async function readDefinitions(
  database: Database,
  ids: readonly string[],
  each: (row: Row) => void,
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
      for (const row of await readDay(database, day, dayIds.slice(i, i + READ_AT_ONCE))) each(row)
}

async function readDay(
  { statements, control }: Database,
  day: number,
  ids: readonly string[],
): Promise<readonly Row[]> {
  const values = [uuidArray(ids)]
  try {
    return await control.query(statements.onDay('work/read-runs', day), values)
  } catch (error) {
    // A day beyond the retention has no partition.
    if (!isMissingPartition(error)) throw error
    return control.query(statements.get('work/read-runs'), values)
  }
}

/** `bits`: the traits of the run; `nowMs`: when it was claimed, by the database's clock. */
export function definitionOf(
  spec: string,
  due: string,
  payload: string,
  extraText: Text,
  { bits, nowMs }: { readonly bits: number; readonly nowMs: number },
): Assignment {
  const extra = extraOf(extraText)
  const dueMs = Number(due)
  return {
    maxAttempts: Number(spec) % SPEC_UNIT,
    timeoutMs: Math.floor(Number(spec) / SPEC_UNIT),
    dueMs,
    payload,
    policy: extra.policy,
    trace: extra.trace,
    slotMs: extra === AT_ITS_SLOT ? dueMs : extra.slotMs,
    missedFromMs: extra.missedFromMs,
    expiresInMs: expiresInMs(bits, extra.policy, nowMs),
  }
}

type Extra = Pick<Assignment, 'policy' | 'trace' | 'slotMs' | 'missedFromMs'>

const NO_EXTRA: Extra = { policy: null, trace: null, slotMs: null, missedFromMs: null }

/** The run of a slot that is due at the slot's time and has no other extra. */
const AT_ITS_SLOT: Extra = { ...NO_EXTRA }

function extraOf(text: Text): Extra {
  if (!text) return NO_EXTRA
  if (text === '=') return AT_ITS_SLOT
  const [policy, trace, slot] = text.split(EXTRA_SEPARATOR)
  const [slotMs, missedFromMs] = (slot as string).split(',')
  return {
    policy: policy || null,
    trace: trace || null,
    slotMs: slotMs ? Number(slotMs) : null,
    missedFromMs: missedFromMs ? Number(missedFromMs) : null,
  }
}

function expiresInMs(bits: number, policy: string | null, nowMs: number): number | null {
  if ((bits & traits.expires) === 0) return null
  const { expiresAtMs } = decodeRunPolicy(policy)
  return expiresAtMs === undefined ? null : expiresAtMs - nowMs
}
