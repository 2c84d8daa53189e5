/** Refusals of calendars: the path of the entry, what was expected and what came. */
import { PunctualError } from '../../errors/errors.ts'
import { shown } from '../../errors/failure.ts'

export function refuseEntry(field: string, expected: string, came: unknown, hint = ''): never {
  const message = `${field} must be ${expected}; got ${shown(came)}. ${hint}`
  throw new PunctualError('invalid_calendar', message.trim(), { field })
}
