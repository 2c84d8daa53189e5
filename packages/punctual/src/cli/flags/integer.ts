/** A flag that takes a whole number. */
import { PunctualError } from '@punctual/core/errors'

export function wholeNumber(field: string, text: string): number {
  if (/^-?\d+$/.test(text)) return Number(text)
  const shown = JSON.stringify(text.slice(0, 80))
  throw new PunctualError('invalid_option', `${field} must be a whole number, but ${shown} came.`, {
    field,
  })
}
