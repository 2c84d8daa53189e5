/**
 * The edge where values become JSON text. What comes out parses back to what went in, can be stored by
 * PostgreSQL, and is bounded in size and depth; anything else is refused with the path of the culprit.
 * A value that JSON would silently change (NaN, a Map, a function) is refused too. As in JSON itself,
 * properties that are undefined are left out and -0 becomes 0.
 */
import { PunctualError } from './errors.ts'
import { limits } from './limits.ts'

const SUSPICIOUS_ESCAPE = /\\u(?:0000|d[89a-f])/
const encoder = new TextEncoder()

function refuse(field: string, what: string): never {
  throw new PunctualError('invalid_payload', `${field} ${what}`, { field })
}

function checkObject(value: object, path: string, depth: number): void {
  if (depth > limits.payloadDepth)
    throw new PunctualError(
      'payload_too_deep',
      `${path.slice(0, 200)} is nested deeper than ${limits.payloadDepth} levels. Flatten it, or store it elsewhere and pass a reference.`,
      { field: path.slice(0, 200) },
    )
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) checkValue(value[i], path, i, depth)
    return
  }
  if (typeof (value as { toJSON?: unknown }).toJSON === 'function') {
    if (value instanceof Date && Number.isNaN(value.getTime())) refuse(path, 'is an invalid Date.')
    return
  }
  if (
    value instanceof Map ||
    value instanceof Set ||
    value instanceof WeakMap ||
    value instanceof Promise
  )
    refuse(path, `is a ${value.constructor.name}, which JSON would store as {}. Convert it first.`)
  for (const key in value) checkValue((value as Record<string, unknown>)[key], path, key, depth)
}

function checkValue(value: unknown, path: string, key: string | number, depth: number): void {
  switch (typeof value) {
    case 'object':
      if (value !== null) checkObject(value, childPath(path, key), depth + 1)
      return
    case 'number':
      if (!Number.isFinite(value))
        refuse(childPath(path, key), `is ${value}, which JSON cannot hold. Send null or a string.`)
      return
    case 'bigint':
      refuse(childPath(path, key), 'is a bigint, which JSON cannot hold. Send it as a string.')
      return
    case 'function':
    case 'symbol':
      refuse(childPath(path, key), `is a ${typeof value}, which JSON would drop.`)
  }
}

function childPath(path: string, key: string | number): string {
  return typeof key === 'number' ? `${path}[${key}]` : key === '' ? path : `${path}.${key}`
}

/** A `\u0000` or lone surrogate in JSON text that is really that character, not an escaped backslash. */
function hasUnstorableEscape(text: string): boolean {
  const unstorable = /\\+u(?:0000|d[89a-f])/g
  for (const [match] of text.matchAll(unstorable)) {
    const backslashes = match.length - match.replace(/^\\+/, '').length
    if (backslashes % 2 === 1) return true
  }
  return false
}

function checkText(text: string, field: string, maxBytes: number): void {
  if (text.length * 3 > maxBytes) {
    const bytes = encoder.encode(text).length
    if (bytes > maxBytes)
      throw new PunctualError(
        'payload_too_large',
        `${field} has ${bytes} bytes as JSON; the limit is ${maxBytes}. Store it elsewhere and pass a reference, or raise the limit.`,
        { field },
      )
  }
  if (SUSPICIOUS_ESCAPE.test(text) && hasUnstorableEscape(text))
    refuse(
      field,
      'contains a NUL character or half of a surrogate pair, which PostgreSQL cannot store. Remove it or encode the text (base64).',
    )
}

/** A value as JSON text; undefined counts as null. */
export function encodeJson(
  value: unknown,
  field = 'payload',
  maxBytes: number = limits.payloadBytes,
): string {
  if (value === undefined || value === null) return 'null'
  checkValue(value, field, '', 0)
  let text: string | undefined
  try {
    text = JSON.stringify(value)
  } catch (cause) {
    throw new PunctualError(
      'invalid_payload',
      `${field} cannot be written as JSON: ${String(cause)}`,
      {
        field,
        cause,
      },
    )
  }
  if (text === undefined) refuse(field, 'has no JSON form.')
  checkText(text, field, maxBytes)
  return text
}

const NUMBER_OR_STRING = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

function significantDigits(number: string): number {
  const mantissa = number
    .replace(/^-/, '')
    .replace(/[eE].*$/, '')
    .replace('.', '')
  return mantissa.replace(/^0+/, '').replace(/0+$/, '').length
}

/** JSON text that people wrote: checked so that reading it as JavaScript values changes nothing. */
export function checkJsonText(
  text: string,
  field = 'payload',
  maxBytes: number = limits.payloadBytes,
): unknown {
  if (text.length > maxBytes) checkText(text, field, maxBytes)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new PunctualError(
      'invalid_payload',
      `${field} is not JSON: ${(cause as Error).message}`,
      { field, cause },
    )
  }
  for (const [token] of text.matchAll(NUMBER_OR_STRING)) {
    if (token.startsWith('"')) continue
    const number = Number(token)
    if (
      !Number.isFinite(number) ||
      Object.is(number, -0) ||
      (number === 0 && significantDigits(token) > 0)
    )
      refuse(
        field,
        `holds the number ${token.slice(0, 40)}, which does not survive reading as a JavaScript number. Send it as a string.`,
      )
    if (
      Number.isInteger(number) &&
      Math.abs(number) > Number.MAX_SAFE_INTEGER &&
      BigInt(number).toString() !== token
    )
      refuse(
        field,
        `holds the number ${token.slice(0, 40)}, which is too large to be exact. Send it as a string.`,
      )
  }
  encodeJson(value, field, maxBytes)
  return value
}
