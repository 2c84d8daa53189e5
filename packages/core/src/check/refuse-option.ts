/** How an option is refused: what was expected, and what came. */
import { PunctualError } from '../errors/errors.ts'
import { shown } from '../errors/failure.ts'

export function refuseOption(field: string, expected: string, came: unknown): never {
  const message = `${field} must be ${expected}; got ${shown(came)}.`
  throw new PunctualError('invalid_option', message, { field })
}

export function oneOf<T extends string>(field: string, known: readonly T[], value: unknown): T {
  const found = known.find((it) => it === value)
  return found ?? refuseOption(field, known.join(' or '), value)
}
