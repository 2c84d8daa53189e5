/** Parses flags that take an integer. */
import { PunctualError } from '@punctual/core/errors'

export function parseInteger(field: string, text: string): number {
  if (/^-?\d+$/.test(text)) return Number(text)
  const shown = JSON.stringify(text.slice(0, 80))
  throw new PunctualError('invalid_option', `${field} must be an integer; got ${shown}.`, {
    field,
  })
}
