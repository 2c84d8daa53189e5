/**
 * Checks a value that is not plain JSON: finds what is wrong with it, and where.
 *
 * Values come from handlers and callers and may be hostile. The walk visits at most as many nodes
 * as the limit has bytes, so neither shared references nor a sparse array can stall the process,
 * and an error thrown by a getter or a toJSON becomes a refusal like any other.
 */
import { PunctualError } from '../errors/errors.ts'
import { ask, failureFrom, shown } from '../errors/failure.ts'
import { limits } from '../errors/limits.ts'

type Key = string | number

/** One pass over a value: the current position, and how many more bytes it may write. */
interface Walk {
  readonly root: unknown
  readonly field: string
  readonly maxBytes: number
  /** The path to the current object. */
  readonly path: Key[]
  /** The property being read: its getter may throw. */
  reading: Key | undefined
  left: number
}

/** Classes whose content is not in their properties, or that have none: JSON would write {}. */
const OPAQUE =
  /^(?:Map|Set|WeakMap|WeakSet|Error|Promise|RegExp|Number|String|Boolean|BigInt|Symbol)$/
const IDENTIFIER = /^[A-Za-z_$][\w$-]*$/
const PATH_LENGTH = 200

/** Formats a path as `payload.items[3].name`; keys that are not identifiers are quoted. */
function pathOf({ field, path, reading }: Walk): string {
  let text = field
  for (const step of reading === undefined ? path : [...path, reading]) {
    if (typeof step === 'number') text += `[${step}]`
    else if (IDENTIFIER.test(step)) text += `.${step}`
    else text += `[${shown(step, PATH_LENGTH)}]`
  }
  return text.length > PATH_LENGTH ? `${text.slice(0, PATH_LENGTH)}…`.toWellFormed() : text
}

export function refuse(field: string, what: string, cause?: unknown): never {
  throw new PunctualError('invalid_payload', `${field} ${what}`, { field, cause })
}

export function refuseSize(field: string, size: string, maxBytes: number): never {
  throw new PunctualError(
    'payload_too_large',
    `${field} has ${size} bytes as JSON; the limit is ${maxBytes}. Store it elsewhere and pass a reference, or raise the limit.`,
    { field },
  )
}

/**
 * Refuses a value that is too deep or endless: an object met again on the way down contains itself.
 */
function refuseDepth(walk: Walk): never {
  const above = new Set<unknown>()
  let at = walk.root
  walk.path.forEach((key, i) => {
    above.add(at)
    at = (at as Record<Key, unknown> | undefined)?.[key]
    if (typeof at === 'object' && above.has(at)) {
      const path = walk.path.slice(0, i + 1)
      refuse(pathOf({ ...walk, path }), 'contains itself, which JSON cannot hold.')
    }
  })
  const field = pathOf(walk)
  throw new PunctualError(
    'payload_too_deep',
    `${field} is nested deeper than ${limits.payloadDepth} levels. Flatten it, or store it elsewhere and pass a reference.`,
    { field },
  )
}

/** Takes from the budget: elements, names and strings need at least this many bytes. */
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
    for (let i = 0; i < value.length; i++) checkProperty(value, i, walk)
    return
  }
  const prototype = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) checkKind(value, walk)
  for (const key of Object.keys(value)) {
    spend(walk, key.length)
    checkProperty(value, key, walk)
  }
}

/**
 * Checks an object of a class: JSON writes its own properties, so they must be all of its content.
 */
function checkKind(value: object, walk: Walk): void {
  const kind = Object.prototype.toString.call(value).slice(8, -1)
  if (kind === 'Object') return
  if (OPAQUE.test(kind) || ArrayBuffer.isView(value) || Object.keys(value).length === 0)
    refuse(pathOf(walk), `is of type ${kind}, which JSON cannot represent. Convert it first.`)
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

function checkProperty(holder: object, key: Key, walk: Walk): void {
  walk.reading = key
  const value = (holder as Record<Key, unknown>)[key]
  walk.reading = undefined
  walk.path.push(key)
  if (typeof value === 'object' && value !== null) checkObject(value, walk)
  else checkScalar(value, walk)
  walk.path.pop()
}

function checkScalar(value: unknown, walk: Walk): void {
  switch (typeof value) {
    case 'string':
      spend(walk, value.length)
      return
    case 'number':
      if (!Number.isFinite(value))
        refuse(pathOf(walk), `is ${value}, which JSON cannot hold. Send null or a string.`)
      return
    case 'bigint':
      refuse(pathOf(walk), 'is a bigint, which JSON cannot hold. Send it as a string.')
      return
    case 'function':
    case 'symbol':
      refuse(pathOf(walk), `is a ${typeof value}, which JSON would drop.`)
  }
}

/** Throws the refusal that applies; returns when there is none. */
export function checkJson(value: unknown, field: string, maxBytes: number): void {
  const walk: Walk = { root: value, field, maxBytes, path: [], reading: undefined, left: maxBytes }
  try {
    if (typeof value === 'object' && value !== null) checkObject(value, walk)
    else checkScalar(value, walk)
  } catch (cause) {
    if (ask(() => cause instanceof PunctualError)) throw cause
    refuse(pathOf(walk), `cannot be read: ${failureFrom(cause).message}`, cause)
  }
}
