/** Digits and letters only: what a double click selects, and what no shell, URL or header changes. */
import type { Random } from '../clock/clock.ts'

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** Bytes from here on are thrown away: with them the first digits would be likelier than the last. */
const FAIR = 256 - (256 % DIGITS.length)

/** An integer in so many digits. */
export function base62(value: number, length: number): string {
  let text = ''
  for (let rest = value; text.length < length; rest = Math.floor(rest / DIGITS.length))
    text = DIGITS.charAt(rest % DIGITS.length) + text
  return text
}

/** So many digits, each as likely as any other. */
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
