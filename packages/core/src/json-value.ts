/**
 * The edge where values become JSON text. What comes out parses back to what went in, can be stored by
 * PostgreSQL, and is bounded in size and depth; anything else is refused with the path of the culprit.
 * A value that JSON would silently change (NaN, a Map, an Error, a function) is refused too. As in JSON
 * itself, properties that are undefined or named by a symbol are left out, an element of an array that is
 * undefined becomes null, and -0 becomes 0.
 *
 * Values come from handlers and callers and may be hostile: the walk goes no further than the limit
 * has bytes, so that neither shared references nor a sparse array can hold the process up, and what a
 * getter or a toJSON throws is a refusal like any other. A toJSON is called twice: to check, and to write.
 */
import { PunctualError } from './errors.ts'
import { ask, failureFrom } from './failure.ts'
import { limits } from './limits.ts'

type Key = string | number

/** One pass over a value: where it is, and how many more values it may visit. */
interface Walk {
  readonly root: unknown
  readonly field: string
  readonly maxBytes: number
  readonly path: Key[]
  left: number
}

/** What holds its content elsewhere than in its properties, or has none: JSON would write {}. */
const OPAQUE =
  /^(?:Map|Set|WeakMap|WeakSet|Error|Promise|RegExp|Number|String|Boolean|BigInt|Symbol)$/
const IDENTIFIER = /^[A-Za-z_$][\w$-]*$/
const PATH_LENGTH = 200

/** `payload.items[3].name`, with what is no identifier quoted: a key may hold anything. */
function pathOf({ field, path }: Walk, key?: Key): string {
  let text = field
  for (const step of key === undefined ? path : [...path, key]) {
    if (typeof step === 'number') text += `[${step}]`
    else if (IDENTIFIER.test(step)) text += `.${step}`
    else text += `[${JSON.stringify(step.slice(0, PATH_LENGTH))}]`
    if (text.length > PATH_LENGTH) return `${text.slice(0, PATH_LENGTH)}…`.toWellFormed()
  }
  return text.length > PATH_LENGTH ? `${text.slice(0, PATH_LENGTH)}…`.toWellFormed() : text
}

function refuse(field: string, what: string, cause?: unknown): never {
  throw new PunctualError('invalid_payload', `${field} ${what}`, { field, cause })
}

function refuseSize(field: string, size: string, maxBytes: number): never {
  throw new PunctualError(
    'payload_too_large',
    `${field} has ${size} bytes as JSON; the limit is ${maxBytes}. Store it elsewhere and pass a reference, or raise the limit.`,
    { field },
  )
}

/** Too deep, or endless: an object that is met again on the way down contains itself. */
function refuseDepth(walk: Walk): never {
  const above = new Set<unknown>()
  let at = walk.root
  for (const key of walk.path) {
    above.add(at)
    at = (at as Record<Key, unknown> | undefined)?.[key]
    if (above.has(at)) refuse(pathOf(walk), 'contains itself, which JSON cannot hold.')
  }
  const field = pathOf(walk)
  throw new PunctualError(
    'payload_too_deep',
    `${field} is nested deeper than ${limits.payloadDepth} levels. Flatten it, or store it elsewhere and pass a reference.`,
    { field },
  )
}

/** The budget: elements, names and texts take at least so many bytes. */
function spend(walk: Walk, bytes: number): void {
  walk.left -= bytes
  if (walk.left < 0) refuseSize(walk.field, `more than ${walk.maxBytes}`, walk.maxBytes)
}

function checkObject(value: object, walk: Walk, written = false): void {
  if (walk.path.length >= limits.payloadDepth) refuseDepth(walk)
  if (!written && typeof (value as { toJSON?: unknown }).toJSON === 'function') {
    checkToJson(value as { toJSON(key: string): unknown }, walk)
    return
  }
  if (Array.isArray(value)) {
    spend(walk, value.length)
    for (let i = 0; i < value.length; i++) checkValue(value[i], i, walk)
    return
  }
  const prototype = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) checkKind(value, walk)
  // What is inherited is not written.
  for (const key in value)
    if (Object.hasOwn(value, key)) {
      spend(walk, key.length)
      checkValue((value as Record<string, unknown>)[key], key, walk)
    }
}

/** An object of some class: its own properties are written, and that must be all there is to it. */
function checkKind(value: object, walk: Walk): void {
  const kind = Object.prototype.toString.call(value).slice(8, -1)
  if (kind === 'Object') return
  if (OPAQUE.test(kind) || ArrayBuffer.isView(value) || Object.keys(value).length === 0)
    refuse(pathOf(walk), `is of the kind ${kind}, which JSON would not keep. Convert it first.`)
}

function checkToJson(value: { toJSON(key: string): unknown }, walk: Walk): void {
  if (value instanceof Date) {
    if (Number.isNaN(value.getTime())) refuse(pathOf(walk), 'is an invalid Date.')
    return
  }
  const written = value.toJSON(String(walk.path.at(-1) ?? ''))
  if (written === undefined) refuse(pathOf(walk), 'has a toJSON that returns undefined.')
  if (typeof written === 'object' && written !== null) checkObject(written, walk, true)
  else checkScalar(written, walk)
}

function checkValue(value: unknown, key: Key, walk: Walk): void {
  if (typeof value === 'object') {
    if (value === null) return
    walk.path.push(key)
    checkObject(value, walk)
    walk.path.pop()
  } else checkScalar(value, walk, key)
}

function checkScalar(value: unknown, walk: Walk, key?: Key): void {
  switch (typeof value) {
    case 'string':
      spend(walk, value.length)
      return
    case 'number':
      if (!Number.isFinite(value))
        refuse(pathOf(walk, key), `is ${value}, which JSON cannot hold. Send null or a string.`)
      return
    case 'bigint':
      refuse(pathOf(walk, key), 'is a bigint, which JSON cannot hold. Send it as a string.')
      return
    case 'function':
    case 'symbol':
      refuse(pathOf(walk, key), `is a ${typeof value}, which JSON would drop.`)
  }
}

/**
 * A `\u0000` or lone surrogate in JSON text that is really that character, not an escaped backslash. Each
 * run of backslashes is looked at once: a search that may begin inside of one takes the square of its length.
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

/** A value as JSON text; undefined counts as null. */
export function encodeJson(
  value: unknown,
  field = 'payload',
  maxBytes: number = limits.payloadBytes,
): string {
  if (value === undefined || value === null) return 'null'
  const walk: Walk = { root: value, field, maxBytes, path: [], left: maxBytes }
  let text: string | undefined
  try {
    if (typeof value === 'object') checkObject(value, walk)
    else checkScalar(value, walk)
    text = JSON.stringify(value)
  } catch (cause) {
    if (ask(() => cause instanceof PunctualError)) throw cause
    refuse(pathOf(walk), `cannot be written as JSON: ${failureFrom(cause).message}`, cause)
  }
  if (text === undefined) refuse(field, 'has no JSON form.')
  checkWritten(text, field, maxBytes)
  return text
}
