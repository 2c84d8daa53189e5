/** Refuses options: the message says what was expected and what was received. */
import { PunctualError } from '../errors/errors.ts'
import { shown } from '../errors/failure.ts'

export function refuseOption(field: string, expected: string, received: unknown): never {
  const message = `${field} must be ${expected}; got ${shown(received)}.`
  throw new PunctualError('invalid_option', message, { field })
}

export function oneOf<T extends string>(field: string, known: readonly T[], value: unknown): T {
  const found = known.find((name) => name === value)
  return found ?? refuseOption(field, known.join(' or '), value)
}
