/** Moments as people write them: with an offset, or without one in the local time of a zone. */
import { PunctualError } from '../errors/errors.ts'
import { nextFires } from './next-fires.ts'

const MOMENT = /^\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?$/i

/** A date alone is its midnight. Null for what is no moment between 1970 and 2199. */
export function momentIn(text: string, tz: string): Date | null {
  const iso = text.trim().replace(' ', 'T')
  if (!MOMENT.test(iso)) return null
  try {
    // The start of a repeating interval is local time where it has no offset, also across changes of the clocks.
    return nextFires(`R1/${iso}/PT1H`, { tz, from: 0, count: 1 })[0] ?? null
  } catch (error) {
    if (error instanceof PunctualError && error.code !== 'invalid_timezone') return null
    throw error
  }
}
