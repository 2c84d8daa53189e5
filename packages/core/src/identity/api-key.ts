/**
 * What an API key looks like: `punctual_<12 public>_<32 secret>_<6 checksum>`, digits and letters. The public part is how
 * a key is looked up and told apart in lists and logs; the secret has 190 bits; the checksum is of everything before it,
 * so that a key that was cut, extended, mistyped or changed in case is told without a look-up, and so that scanners of
 * repositories find keys and nothing else.
 */
import type { Random } from '../clock/clock.ts'
import { randomDigits } from './base62.ts'
import { CHECKSUM_LENGTH, checksumOf } from './checksum.ts'
import type { Scope } from './scope.ts'

const PUBLIC_LENGTH = 12
const SECRET_LENGTH = 32

const FORMAT = new RegExp(
  `^punctual_([0-9A-Za-z]{${PUBLIC_LENGTH}})_[0-9A-Za-z]{${SECRET_LENGTH}}_[0-9A-Za-z]{${CHECKSUM_LENGTH}}$`,
)

/** A key as it is stored: everything but the key itself. */
export interface ApiKey {
  /** Its id, under which it is rotated and revoked. */
  readonly id: string
  /** What people call it; several may have the same name. */
  readonly name: string
  /** Its public part, `punctual_` included: enough to recognise it, too little to use it. */
  readonly prefix: string
  /** The tenant that it belongs to; null for a key of the whole installation. */
  readonly tenantId: number | null
  /** The name of that tenant. */
  readonly tenantName: string | null
  /** What it may do. */
  readonly scopes: readonly Scope[]
  /** When it was made. */
  readonly createdAt: Date
  /** By whom, where that was said. */
  readonly createdBy: string | null
  /** From when on it is refused; null when it does not end by itself. */
  readonly expiresAt: Date | null
  /** Since when it is refused, because somebody revoked it. */
  readonly revokedAt: Date | null
  /** Who revoked it, where that was said. */
  readonly revokedBy: string | null
  /** The key that took its place. */
  readonly rotatedTo: string | null
  /** When it was last used, to the minute. */
  readonly lastUsedAt: Date | null
}

export function makeApiKey(random: Random): string {
  const rest = `${randomDigits(random, PUBLIC_LENGTH)}_${randomDigits(random, SECRET_LENGTH)}`
  const body = `punctual_${rest}`
  return `${body}_${checksumOf(body)}`
}

/** The public part of a key, under which it is looked up; null when the text is no key. */
export function prefixOfApiKey(text: unknown): string | null {
  if (typeof text !== 'string') return null
  const digits = FORMAT.exec(text)?.[1]
  if (digits === undefined) return null
  const body = text.slice(0, -CHECKSUM_LENGTH - 1)
  return text.endsWith(`_${checksumOf(body)}`) ? `punctual_${digits}` : null
}
