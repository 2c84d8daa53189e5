/**
 * The format of API keys: `punctual_<12 public>_<32 secret>_<6 checksum>`, letters and digits. The
 * public part identifies a key in lookups, lists and logs; the secret has 190 bits; the checksum
 * covers everything before it, so that a key that was truncated, extended, mistyped or changed in
 * case is detected without a lookup, and so that scanners of repositories find keys and nothing
 * else.
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

/** An API key as it is stored: everything except the key itself. */
export interface ApiKey {
  /** The id under which it is rotated and revoked. */
  readonly id: string
  /** A label for humans; several keys may have the same name. */
  readonly name: string
  /** The public part, including `punctual_`: enough to recognise the key, too little to use it. */
  readonly prefix: string
  /** The number of the tenant that owns it; null for a key of the whole installation. */
  readonly tenantId: number | null
  /** The name of that tenant; null for a key of the whole installation. */
  readonly tenantName: string | null
  /** The scopes that it holds. */
  readonly scopes: readonly Scope[]
  /** When it was created. */
  readonly createdAt: Date
  /** Who created it; null when not given. */
  readonly createdBy: string | null
  /** The instant from which it is refused; null when it does not expire. */
  readonly expiresAt: Date | null
  /** When it was revoked; null when it was not. */
  readonly revokedAt: Date | null
  /** Who revoked it; null when not given. */
  readonly revokedBy: string | null
  /** The id of the key that replaces it; null when it was not rotated. */
  readonly rotatedTo: string | null
  /** When it was last used, to the minute; null before its first use. */
  readonly lastUsedAt: Date | null
}

/** A new key: the only time that its text is shown. */
export interface CreatedApiKey extends ApiKey {
  /** The key itself. It is stored nowhere: keep it, or create another one. */
  readonly key: string
}

export function makeApiKey(random: Random): string {
  const rest = `${randomDigits(random, PUBLIC_LENGTH)}_${randomDigits(random, SECRET_LENGTH)}`
  const body = `punctual_${rest}`
  return `${body}_${checksumOf(body)}`
}

/** Returns the public part of a key, for the lookup; null when the text is not a valid key. */
export function prefixOfApiKey(text: unknown): string | null {
  if (typeof text !== 'string') return null
  const digits = FORMAT.exec(text)?.[1]
  if (digits === undefined) return null
  const body = text.slice(0, -CHECKSUM_LENGTH - 1)
  return text.endsWith(`_${checksumOf(body)}`) ? `punctual_${digits}` : null
}
