/**
 * The part of a value that an audit entry stores: JSON that PostgreSQL accepts, without anything
 * that looks like a secret, cut where it is long. A cut value leaves its size, beginning and hash,
 * so that two of them can be compared.
 */
import { createHash } from 'node:crypto'
import { limits, storableText } from '@punctual/core/errors'

const REDACTED = '[redacted]'
const SECRET =
  /passw(or)?d|passphrase|secret|token|authorization|cookie|credential|(api|private|signing)[-_]?key/i
const DEPTH_MAX = 32
/** A longer member is cut when the whole value is too long. */
const MEMBER_BYTES = 512
const BEGINNING = 100

function cleanObject(value: object, depth: number): unknown {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString()
  if (value instanceof Uint8Array) return `[${value.length} bytes]`
  if (depth > DEPTH_MAX) return '[deeper]'
  if (Array.isArray(value)) return value.map((item) => clean(item, depth + 1))
  const entries = value instanceof Map ? [...value] : Object.entries(value)
  return Object.fromEntries(
    entries
      .filter(([, member]) => member !== undefined && typeof member !== 'function')
      .map(([name, member]) => {
        const key = storableText(String(name), limits.createdByLength)
        const hidden = SECRET.test(key) && member !== null && typeof member !== 'boolean'
        return [key, hidden ? REDACTED : clean(member, depth + 1)]
      }),
  )
}

function clean(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return value.toWellFormed().replaceAll('\u0000', '\ufffd')
  if (typeof value === 'bigint') return String(value)
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  if (typeof value === 'object' && value !== null) return cleanObject(value, depth)
  return typeof value === 'boolean' ? value : null
}

const bytesOf = (json: string) => Buffer.byteLength(json)

function cut(json: string): unknown {
  return {
    cut: true,
    bytes: bytesOf(json),
    sha256: createHash('sha256').update(json).digest('hex'),
    begins: json.slice(0, BEGINNING).toWellFormed(),
  }
}

function shorten(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const members = Object.entries(value).map(([name, member]) => {
    const json = JSON.stringify(member)
    return [name, bytesOf(json) > MEMBER_BYTES ? cut(json) : member]
  })
  return Object.fromEntries(members)
}

/** Returns a JSON value; null for null and undefined. */
export function keptValue(value: unknown): unknown {
  if (value === undefined || value === null) return null
  const whole = clean(value, 0)
  const json = JSON.stringify(whole)
  if (bytesOf(json) <= limits.auditValueBytes) return whole
  const shorter = shorten(whole)
  return bytesOf(JSON.stringify(shorter)) <= limits.auditValueBytes ? shorter : cut(json)
}
