/**
 * Letters and digits only: a double click selects all of them, and no shell, URL or header changes
 * them.
 */
import type { Random } from '../clock/clock.ts'

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** Bytes from here on are discarded: they would make the first digits likelier than the last. */
const FAIR = 256 - (256 % DIGITS.length)

/** Formats an integer with `length` digits. */
export function base62(value: number, length: number): string {
  let text = ''
  for (let rest = value; text.length < length; rest = Math.floor(rest / DIGITS.length))
    text = DIGITS.charAt(rest % DIGITS.length) + text
  return text
}

/** Returns `length` uniformly distributed random digits. */
export function randomDigits(random: Random, length: number): string {
  let text = ''
  const bytes = new Uint8Array(length)
  while (text.length < length) {
    random.fill(bytes)
    for (const byte of bytes)
      if (byte < FAIR && text.length < length) text += DIGITS.charAt(byte % DIGITS.length)
  }
  return text
}
