/** A flag that takes an integer. */
import { PunctualError } from '@punctual/core/errors'

export function wholeNumber(field: string, text: string): number {
  if (/^-?\d+$/.test(text)) return Number(text)
  const shown = JSON.stringify(text.slice(0, 80))
  throw new PunctualError('invalid_option', `${field} must be an integer; got ${shown}.`, {
    field,
  })
}
