/**
 * Signatures of requests as Standard Webhooks says: HMAC-SHA-256 over id, timestamp and the bytes of
 * the body. A request that is signed with several keys is valid for a receiver that knows any.
 */
import { createHmac } from 'node:crypto'
import { PreparationError } from '../failed.ts'

const PREFIX = 'whsec_'
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/
const KEY_BYTES_MIN = 16

/** Reads a signing key: `whsec_` and base64, or base64 alone. */
export function signingKey(name: string, secret: string): Buffer {
  const text = secret.trim()
  const encoded = text.startsWith(PREFIX) ? text.slice(PREFIX.length) : text
  const key = BASE64.test(encoded) ? Buffer.from(encoded, 'base64') : Buffer.alloc(0)
  if (key.length >= KEY_BYTES_MIN) return key
  throw new PreparationError(
    'signing_key_invalid',
    `The secret ${name} must be a signing key: whsec_ and at least ${KEY_BYTES_MIN} bytes in base64.`,
  )
}

export interface Signed {
  readonly id: string
  /** Seconds since 1970. */
  readonly timestamp: number
  readonly body: Uint8Array
}

/** The value of the header `webhook-signature`: one signature for each key. */
export function signatures({ id, timestamp, body }: Signed, keys: readonly Buffer[]): string {
  return keys
    .map((key) => {
      const signed = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body)
      return `v1,${signed.digest('base64')}`
    })
    .join(' ')
}
