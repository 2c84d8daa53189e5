/** Ids of sessions and fences: positive numbers of 63 bits, as strings. */
import { refuseOption } from '@punctual/core/check'

export function isToken(text: string): boolean {
  return /^[1-9]\d{0,18}$/.test(text) && BigInt(text) < 1n << 63n
}

export function checkToken(field: string, text: string | undefined): void {
  if (text !== undefined && !isToken(text))
    refuseOption(field, 'a positive number below 2^63', text)
}
