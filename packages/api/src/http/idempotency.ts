/**
 * `Idempotency-Key`, as in draft-ietf-httpapi-idempotency-key-header. A repeated request gets the
 * answer of the first one. A different request under the same key is refused (422), and so is a
 * repeated one while the first is in progress (409). Answers are stored for a day, in the
 * transaction of the change. A failed request changed nothing, is not stored, and may be sent
 * again.
 */
import { createHash } from 'node:crypto'
import { limits, PunctualError } from '@punctual/core/errors'
import type { FastifyRequest } from 'fastify'

const HEADER = 'idempotency-key'
/** A string of structured fields (RFC 8941), or the unquoted form that clients commonly send. */
const QUOTED = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/
const PLAIN = /^[\x21\x23-\x2b\x2d-\x7e]+$/

/** The idempotency key of a request. */
export interface RequestKey {
  readonly text: string
  /** The first is stored; a stored one that equals any of them is the same request. */
  readonly fingerprints: readonly [string, ...string[]]
}

function refuse(message: string): never {
  throw new PunctualError('invalid_option', message, { field: 'Idempotency-Key' })
}

/** The key of a request; null when it has none. */
export function idempotencyKeyOf(request: FastifyRequest): string | null {
  const seen = request.raw.rawHeaders.filter((_, i) => i % 2 === 0)
  if (seen.filter((header) => header.toLowerCase() === HEADER).length > 1)
    refuse('Idempotency-Key is given twice. Send one.')
  const given = request.headers[HEADER]
  if (given === undefined) return null
  const value = String(given)
  const quoted = QUOTED.exec(value)?.[1]?.replaceAll(/\\(["\\])/g, '$1')
  const key = quoted ?? (PLAIN.test(value) ? value : null)
  if (key === null || key === '' || key.length > limits.keyLength)
    refuse(
      `Idempotency-Key must be a string of 1 to ${limits.keyLength} visible ASCII characters, such as a UUID, without commas unless it is quoted.`,
    )
  return key
}

/** Two requests with the same fingerprint are the same request. */
export function fingerprintOf(request: FastifyRequest, route: string): string {
  const hash = createHash('sha256')
  hash.update(`${request.method} ${route}\n${JSON.stringify(request.params)}\n`)
  hash.update(`${JSON.stringify(request.query)}\n`)
  hash.update(
    typeof request.body === 'string' ? request.body : JSON.stringify(request.body ?? null),
  )
  return hash.digest('hex')
}

export function keyInUse(key: string): PunctualError {
  return new PunctualError(
    'idempotency_key_in_use',
    `A request with the Idempotency-Key ${JSON.stringify(key)} is in progress. Retry when it has ended.`,
    { field: 'Idempotency-Key' },
  )
}

export function keyOfAnother(key: string): PunctualError {
  return new PunctualError(
    'idempotency_key_reused',
    `The Idempotency-Key ${JSON.stringify(key)} was used for another request in the last day. Use a new key for each request.`,
    { field: 'Idempotency-Key' },
  )
}
