/**
 * Turns any value that a handler throws into a plain, bounded, storable record. The value may be
 * hostile, such as a Proxy whose every trap throws; nothing here ever throws.
 */
import { NonRetryableError, RetryAfterError, UnclearOutcomeError } from './errors.ts'
import { limits } from './limits.ts'

/** An error as it is stored: plain data. */
export interface Failure {
  /** The name of the error class, up to 128 characters. */
  name: string
  /** The message, up to 8,192 characters. */
  message: string
  /** The stack trace, up to 32,768 characters. */
  stack?: string
  /** The `code` of the error, where it has one, up to 128 characters. */
  code?: string
}

const TRUNCATED = '… (truncated)'

/** Makes a string storable in PostgreSQL: well-formed, without NUL, cut to the limit. */
export function storableText(text: string, maxLength: number): string {
  const cut =
    text.length > maxLength ? text.slice(0, maxLength - TRUNCATED.length) + TRUNCATED : text
  return cut.toWellFormed().replaceAll('\u0000', '\ufffd')
}

/** Returns the result of `question`, or undefined when it throws. */
export function ask<T>(question: () => T): T | undefined {
  try {
    return question()
  } catch {
    return undefined
  }
}

function property(thrown: object, name: string): unknown {
  return ask(() => (thrown as Record<string, unknown>)[name])
}

/** Formats a value for an error message: bounded, and never throws. */
export function shown(value: unknown, maxLength = 80): string {
  const text = ask(() => {
    if (typeof value === 'string') return quoted(value.slice(0, maxLength))
    return typeof value === 'object' && value !== null ? shownObject(value) : String(value)
  })
  return storableText(text ?? 'a value that cannot be shown', maxLength)
}

/** JSON leaves control characters beyond ASCII unescaped, which a terminal obeys too. */
function quoted(text: string): string {
  const escaped = (control: string) => `\\u00${control.charCodeAt(0).toString(16)}`
  return JSON.stringify(text).replace(/\p{Cc}/gu, escaped)
}

function shownObject(value: object): string {
  const kind = Object.prototype.toString.call(value)
  if (kind !== '[object Object]' && kind !== '[object Array]')
    return `${kind} ${ask(() => String(value)) ?? ''}`
  let left = 1_000
  return JSON.stringify(value, (_, inner) => (left-- > 0 ? inner : undefined))
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : shown(value, limits.errorMessageLength)
}

export function failureFrom(thrown: unknown): Failure {
  if (typeof thrown !== 'object' || thrown === null || !ask(() => 'message' in thrown)) {
    const message = `A value was thrown that is not an Error: ${textOf(thrown)}`
    return { name: 'NonError', message: storableText(message, limits.errorMessageLength) }
  }
  const name = property(thrown, 'name')
  const message = property(thrown, 'message')
  const stack = property(thrown, 'stack')
  const code = property(thrown, 'code')
  return {
    name: storableText(typeof name === 'string' && name !== '' ? name : 'Error', limits.nameLength),
    message: storableText(textOf(message ?? ''), limits.errorMessageLength),
    ...(typeof stack === 'string' && { stack: storableText(stack, limits.errorStackLength) }),
    ...((typeof code === 'string' || typeof code === 'number') && {
      code: storableText(String(code), limits.nameLength),
    }),
  }
}

/** Compares by class or by name: a program may load two copies of this package. */
function isNamed(thrown: unknown, type: new (...args: never[]) => Error, name: string): boolean {
  return (
    ask(
      () =>
        thrown instanceof type || (thrown instanceof Error && property(thrown, 'name') === name),
    ) ?? false
  )
}

export function isUnclear(thrown: unknown): boolean {
  return isNamed(thrown, UnclearOutcomeError, 'UnclearOutcomeError')
}

export function isNonRetryable(thrown: unknown): boolean {
  return isNamed(thrown, NonRetryableError, 'NonRetryableError')
}

/** Returns the delay that the handler requested, bounded; null without a valid one. */
export function retryAfterMs(thrown: unknown): number | null {
  if (!isNamed(thrown, RetryAfterError, 'RetryAfterError')) return null
  const ms = property(thrown as Error, 'retryAfterMs')
  return typeof ms === 'number' && Number.isFinite(ms) && ms >= 0
    ? Math.min(ms, limits.delayMsMax)
    : null
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi
/**
 * Eight or more hexadecimal digits, at least one of them 0-9: an object id, a hash, a request id.
 */
const HEX_ID = /\b(?=[a-f]*\d)[0-9a-f]{8,}\b/gi

/**
 * Returns the error type and normalised message: equal for failures that differ only in ids and
 * numbers.
 */
export function fingerprint(failure: Failure): string {
  const message = failure.message
    .slice(0, 4_096)
    .replace(UUID, '<id>')
    .replace(/\b0x[0-9a-f]+\b/gi, '<n>')
    .replace(/\b\d+(?:\.\d+)*\b/g, '<n>')
    .replace(HEX_ID, '<n>')
    .replace(/\d+/g, '<n>')
    .replace(/\s+/g, ' ')
    .trim()
  return `${failure.name}${failure.code ? `[${failure.code}]` : ''}: ${message}`
    .slice(0, 300)
    .toWellFormed()
}
