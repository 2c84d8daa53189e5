/**
 * Parses dates and times as users write them: with an offset, or in the local time of a time zone.
 */
import { PunctualError } from '../errors/errors.ts'
import { nextFires } from './next-fires.ts'

const DATE_TIME = /^\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?$/i

/**
 * A date alone means its midnight. Returns null for invalid text and for times outside 1970 to
 * 2199.
 */
export function localInstant(text: string, tz: string): Date | null {
  const iso = text.trim().replace(' ', 'T')
  if (!DATE_TIME.test(iso)) return null
  try {
    // The start of a repeating interval without an offset is local time, resolved across clock
    // changes.
    return nextFires(`R1/${iso}/PT1H`, { tz, from: 0, count: 1 })[0] ?? null
  } catch (error) {
    if (error instanceof PunctualError && error.code !== 'invalid_timezone') return null
    throw error
  }
}
