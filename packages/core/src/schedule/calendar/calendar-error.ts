/** Refusals of calendars: the path of the entry, what was expected and what was received. */
import { PunctualError } from '../../errors/errors.ts'
import { shown } from '../../errors/failure.ts'

export function refuseEntry(field: string, expected: string, received: unknown, hint = ''): never {
  const message = `${field} must be ${expected}; got ${shown(received)}. ${hint}`
  throw new PunctualError('invalid_calendar', message.trim(), { field })
}
