/**
 * CRC-32 (IEEE 802.3) of ASCII text, as six characters. It detects every error of a single
 * character and nearly every other, which is enough to recognise mistyped and truncated keys; it is
 * no protection against forgery.
 */
import { base62 } from './base62.ts'

const POLYNOMIAL = 0xedb88320

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ POLYNOMIAL : value >>> 1
  return value
})

export const CHECKSUM_LENGTH = 6

export function checksumOf(text: string): string {
  let crc = 0xffffffff
  for (let i = 0; i < text.length; i++)
    crc = (crc >>> 8) ^ (TABLE[(crc ^ text.charCodeAt(i)) & 0xff] as number)
  return base62((crc ^ 0xffffffff) >>> 0, CHECKSUM_LENGTH)
}
