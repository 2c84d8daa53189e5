/**
 * The numbers that statements share with the code, by the name that stands in SQL, as in
 * `traits & :traits.keyed <> 0`. Their values come from core, so that no statement repeats them.
 */
import { invariant, limits } from '@punctual/core/errors'
import { overlapPolicies, slotDecisions, slotReasons } from '@punctual/core/job'
import { attemptOutcomes, finalStates, traits } from '@punctual/core/run'
import { POSITION_BITS } from './positions.ts'

/** `(?<!:)`: a cast, as in `$1::uuid`, is not a constant. */
const NAME = /(?<!:):([a-z]+\.[a-z_]+)\b/g

const constants: ReadonlyMap<string, number> = new Map([
  ...named('states', finalStates),
  ...named('outcomes', attemptOutcomes),
  ...named('traits', traits),
  /** Traits of a run whose end changes its job. */
  ['traits.followed', traits.rearms | traits.failuresCounted],
  /** Traits of a run that something else may hold back. */
  ['traits.controlled', traits.overlap | traits.gated],
  /** The policies as they stand in `traits`, which `:traits.overlap` masks. */
  ...named('overlap', overlapPolicies, traits.overlapShift),
  ...named('decisions', slotDecisions),
  ...named('reasons', slotReasons),
  ['pos.shift', POSITION_BITS],
  ['pos.sequence', 2 ** POSITION_BITS - 1],
  /** The last millisecond that a position can hold, in the year 2248. */
  ['pos.ms_max', 2 ** (63 - POSITION_BITS) - 1],
  ['attempts.counted', limits.attemptsCounted],
  ['rates.horizon_us', limits.rateHorizonMs * 1_000],
  ['rates.again_us', limits.rateAgainMs * 1_000],
  /** Where the next start of a rate saturates: far beyond any, and a charge still fits on top. */
  ['rates.us_max', 4e18],
])

function named(group: string, values: Record<string, number>, shift = 0): [string, number][] {
  return Object.entries(values).map(([name, value]) => [`${group}.${inSql(name)}`, value << shift])
}

/** `atMostOnce` and `queue-one` become `at_most_once` and `queue_one`. */
function inSql(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replaceAll('-', '_')
}

/** Replaces the names of constants by their values. */
export function withConstants(sql: string): string {
  return sql.replaceAll(NAME, (written, name: string) => {
    const value = constants.get(name)
    invariant(value !== undefined, `${written} is not a constant of sql/constants.ts`)
    return String(value)
  })
}
