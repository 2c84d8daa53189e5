/**
 * Encodes values as JSON text. The text parses back to the same value, can be stored by PostgreSQL,
 * and is bounded in size and depth; anything else is refused with the path of the invalid value. A
 * value that JSON would silently change (NaN, a Map, an Error, a function) is refused too. As in
 * JSON itself, properties that are undefined or named by a symbol are left out, an undefined array
 * element becomes null, and -0 becomes 0.
 *
 * Nearly every value is plain, which one quick walk shows. Only the others are checked in full
 * (json-check.ts).
 */
import { failureFrom } from '../errors/failure.ts'
import { limits } from '../errors/limits.ts'
import { checkJson, refuse, refuseSize } from './json-check.ts'

/**
 * How many bytes the quick walk may still write: elements, names and strings need at least that
 * many.
 */
let left = 0

function isPlain(value: unknown, depth: number): boolean {
  switch (typeof value) {
    case 'string':
      left -= value.length
      return left >= 0
    case 'number':
      return Number.isFinite(value)
    case 'boolean':
    case 'undefined':
      return true
    case 'object':
      return value === null || isPlainObject(value, depth)
    default:
      return false
  }
}

function isPlainObject(value: object, depth: number): boolean {
  if (depth > limits.payloadDepth) return false
  if (Array.isArray(value)) {
    left -= value.length
    if (left < 0) return false
    for (let i = 0; i < value.length; i++) if (!isPlain(value[i], depth + 1)) return false
    return !('toJSON' in value)
  }
  const prototype = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null)
    return value instanceof Date && !Number.isNaN(value.getTime())
  if ('toJSON' in value) return false
  for (const key in value) {
    left -= key.length
    if (!isPlain((value as Record<string, unknown>)[key], depth + 1)) return false
  }
  return left >= 0
}

/**
 * A `\u0000` or lone surrogate in JSON text that is really that character, not an escaped
 * backslash. The lookbehind reads each run of backslashes once: a match that may start inside a run
 * takes quadratic time.
 */
const UNSTORABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/

function checkWritten(text: string, field: string, maxBytes: number): void {
  if (text.length > maxBytes) refuseSize(field, `at least ${text.length}`, maxBytes)
  if (text.length * 3 > maxBytes) {
    const bytes = new TextEncoder().encode(text).length
    if (bytes > maxBytes) refuseSize(field, String(bytes), maxBytes)
  }
  if (text.includes('\\u') && UNSTORABLE.test(text))
    refuse(
      field,
      'contains a NUL character or half of a surrogate pair, which PostgreSQL cannot store. Remove it or encode the text (base64).',
    )
}

/** Encodes a value as JSON text; undefined counts as null. */
export function encodeJson(
  value: unknown,
  field = 'payload',
  maxBytes: number = limits.payloadBytes,
): string {
  if (value === undefined || value === null) return 'null'
  let plain = false
  let text: string | undefined
  try {
    left = maxBytes
    plain = isPlain(value, 1)
  } catch {
    // A getter has thrown: the full check reports which.
  }
  if (!plain) checkJson(value, field, maxBytes)
  try {
    text = JSON.stringify(value)
  } catch (cause) {
    refuse(field, `cannot be written as JSON: ${failureFrom(cause).message}`, cause)
  }
  if (text === undefined) refuse(field, 'has no JSON form.')
  checkWritten(text, field, maxBytes)
  return text
}
