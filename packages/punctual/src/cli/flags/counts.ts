/** Parses flags that take a count. */
import { limits, PunctualError } from '@punctual/core/errors'

export function parseCount(flag: string, text: string, max: number): number {
  const count = /^\d+$/.test(text) ? Number(text) : 0
  if (count >= 1 && count <= max) return count
  throw new PunctualError(
    'invalid_option',
    `${flag} must be an integer from 1 to ${max}; got ${JSON.stringify(text.slice(0, limits.nameLength))}.`,
    { field: flag },
  )
}
