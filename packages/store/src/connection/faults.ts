/** Classifies database errors for callers: the one place that reads SQLSTATEs. */
import { PunctualError } from '@punctual/core/errors'

/** Had no effect, and a retry may succeed: deadlock, serialization, lock or statement timeout. */
const TRANSIENT = new Set(['40001', '40P01', '55P03', '57014'])

/** The connection or the server is going away: whether the call took effect is unknown. */
const CONNECTION = new Set([
  '57P01',
  '57P02',
  '57P03',
  '08000',
  '08003',
  '08006',
  '08001',
  '08004',
  // A pooler reports this when it has no server connection left.
  '08P01',
  '53300',
  '25006',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'EAI_AGAIN',
  'database_unavailable',
])

function fieldOf(error: unknown, name: string): unknown {
  return typeof error === 'object' && error !== null ? Reflect.get(error, name) : undefined
}

/** The SQLSTATE, or the code of a system error; empty without one. */
function codeOf(error: unknown): string {
  const code = fieldOf(error, 'code')
  return typeof code === 'string' ? code : ''
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

export function isTransient(error: unknown): boolean {
  return TRANSIENT.has(codeOf(error))
}

/** The server ended the statement: it took longer than it may. */
export function isStatementTimeout(error: unknown): boolean {
  return codeOf(error) === '57014'
}

/** The refusal of a list or report that PostgreSQL ended because it took too long. */
export function readTimedOut(cause: unknown): PunctualError {
  return new PunctualError(
    'read_timeout',
    'The list or report takes longer than one request may. Narrow it: give a shorter range of times (from, to), a queue, a handler or a state, or a smaller limit.',
    { cause },
  )
}

/** The failure of a lookup of an API key or session that PostgreSQL ended: it may be repeated. */
export function identityTimedOut(cause: unknown): PunctualError {
  const text = 'PostgreSQL did not find the API key or session in time. Retry.'
  return new PunctualError('database_unavailable', text, { cause })
}

export function isLockTimeout(error: unknown): boolean {
  return codeOf(error) === '55P03'
}

export function isConnectionFault(error: unknown): boolean {
  if (CONNECTION.has(codeOf(error))) return true
  // The server crashes with it, and recovers with or without the commit.
  if (codeOf(error) === DISK_FULL) return !isPlainError(error)
  return /Connection terminated|Query read timeout|not queryable|Client was closed|timeout expired|connection error/i.test(
    messageOf(error),
  )
}

/** PostgreSQL cannot store a value: one row is at fault, not the statement. */
export function isDataFault(error: unknown): boolean {
  const code = codeOf(error)
  return (
    code.startsWith('22') ||
    code.startsWith('54') ||
    (code.startsWith('23') && !isMissingPartition(error))
  )
}

export function isMissingPartition(error: unknown): boolean {
  if (codeOf(error) === '42P01') return /_\d{8}"? does not exist/.test(messageOf(error))
  return codeOf(error) === '23514' && /no partition of relation/.test(messageOf(error))
}

export function isMissingSchema(error: unknown): boolean {
  const code = codeOf(error)
  return code === '3F000' || (code === '42P01' && !isMissingPartition(error))
}

/** A lease was gone when settling: raised by `insist`, or by the outcome that already exists. */
export function isLeaseGone(error: unknown): boolean {
  return codeOf(error) === 'PN001' || codeOf(error) === '23505'
}

const DISK_FULL = '53100'

/** Ends the statement only; the same code with severity PANIC means that the WAL has no space. */
function isPlainError(error: unknown): boolean {
  return fieldOf(error, 'severity') === 'ERROR'
}

/** The disk is full: the statement was rolled back, and only an operator can help. */
export function isDiskFull(error: unknown): boolean {
  return codeOf(error) === DISK_FULL && isPlainError(error)
}

/** The role lacks a privilege. */
export function isForbidden(error: unknown): boolean {
  return codeOf(error) === '42501'
}

export function isMissingFunction(error: unknown): boolean {
  return codeOf(error) === '42883'
}

export function isReadOnly(error: unknown): boolean {
  return codeOf(error) === '25006'
}

/** For callers that do not retry: a coded error if the database is unreachable, else the same. */
export function asUnavailable(error: unknown): unknown {
  if (error instanceof PunctualError) return error
  if (isStatementTimeout(error)) return readTimedOut(error)
  const refused = codeOf(error).startsWith('28') || codeOf(error) === '3D000'
  if (!refused && !isConnectionFault(error)) return error
  const message = messageOf(error)
  const text = refused
    ? `PostgreSQL refused the connection: ${message}. Check user, password and database in the URL.`
    : `PostgreSQL cannot be reached: ${message || codeOf(error)}. Check that the server is running and that the URL is correct.`
  return new PunctualError('database_unavailable', text, { cause: error })
}
