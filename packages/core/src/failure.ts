/** Failure is data: whatever a handler throws becomes a plain, bounded, storable record. */
import { NonRetryableError, RetryAfterError } from './errors.ts'
import { limits } from './limits.ts'

export interface Failure {
  name: string
  message: string
  stack?: string
  code?: string
}

/** Text that PostgreSQL can store: well-formed, without NUL, and not longer than the limit. */
export function storableText(text: string, maxLength: number): string {
  const cut = text.length > maxLength ? `${text.slice(0, maxLength)}… (truncated)` : text
  return cut.toWellFormed().replaceAll('\u0000', '\ufffd')
}

function property(thrown: object, name: string): unknown {
  try {
    return (thrown as Record<string, unknown>)[name]
  } catch {
    return undefined
  }
}

function describe(thrown: unknown): string {
  try {
    return typeof thrown === 'string' ? thrown : (JSON.stringify(thrown) ?? String(thrown))
  } catch {
    return 'a value that cannot be shown'
  }
}

export function failureFrom(thrown: unknown): Failure {
  if (typeof thrown !== 'object' || thrown === null || !('message' in thrown))
    return {
      name: 'NonError',
      message: storableText(
        `A value was thrown that is not an Error: ${describe(thrown)}`,
        limits.errorMessageLength,
      ),
    }
  const name = property(thrown, 'name')
  const stack = property(thrown, 'stack')
  const code = property(thrown, 'code')
  return {
    name: storableText(typeof name === 'string' ? name : 'Error', limits.nameLength),
    message: storableText(String(property(thrown, 'message') ?? ''), limits.errorMessageLength),
    ...(typeof stack === 'string' && { stack: storableText(stack, limits.errorStackLength) }),
    ...((typeof code === 'string' || typeof code === 'number') && {
      code: storableText(String(code), limits.nameLength),
    }),
  }
}

export function isNonRetryable(thrown: unknown): boolean {
  return (
    thrown instanceof NonRetryableError ||
    (thrown instanceof Error && thrown.name === 'NonRetryableError')
  )
}

/** What the handler asked for, bounded; null when it asked for nothing usable. */
export function retryAfterMs(thrown: unknown): number | null {
  if (!(thrown instanceof RetryAfterError)) return null
  const ms = thrown.retryAfterMs
  return Number.isFinite(ms) && ms >= 0 ? Math.min(ms, limits.delayMsMax) : null
}

/** Groups failures that differ only in ids and numbers: error type and normalised message. */
export function fingerprint(failure: Failure): string {
  const message = failure.message
    .slice(0, 512)
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi, '<id>')
    .replace(/\b0x[0-9a-f]+\b/gi, '<n>')
    .replace(/\d+/g, '<n>')
    .replace(/\s+/g, ' ')
    .trim()
  return `${failure.name}${failure.code ? `[${failure.code}]` : ''}: ${message}`.slice(0, 300)
}
