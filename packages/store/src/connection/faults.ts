/** What an error of the database means for the caller: the one place that reads SQLSTATEs. */
import { PunctualError } from '@punctual/core/errors'

/** Nothing happened, and the same call may succeed: deadlock, serialisation, lock or statement timeout. */
const AGAIN = new Set(['40001', '40P01', '55P03', '57014'])

/** The connection or the server is going: whether the call took effect is not known. */
const CONNECTION = new Set([
  '57P01',
  '57P02',
  '57P03',
  '08000',
  '08003',
  '08006',
  '08001',
  '08004',
  // What a pooler says when it has no server to give.
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

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' ? code : ''
}

export function isTransient(error: unknown): boolean {
  return AGAIN.has(codeOf(error))
}

export function isLockTimeout(error: unknown): boolean {
  return codeOf(error) === '55P03'
}

export function isConnectionFault(error: unknown): boolean {
  if (CONNECTION.has(codeOf(error))) return true
  // The server goes down with it, and recovers with the commit or without it.
  if (codeOf(error) === DISK_FULL) return !isPlainError(error)
  const message = error instanceof Error ? error.message : ''
  return /Connection terminated|Query read timeout|not queryable|Client was closed|timeout expired|connection error/i.test(
    message,
  )
}

/** A value that PostgreSQL cannot store: one row is to blame, not the statement. */
export function isDataFault(error: unknown): boolean {
  const code = codeOf(error)
  return (
    code.startsWith('22') ||
    code.startsWith('54') ||
    (code.startsWith('23') && !isMissingPartition(error))
  )
}

export function isMissingPartition(error: unknown): boolean {
  if (codeOf(error) === '42P01') return /_\d{8}"? does not exist/.test((error as Error).message)
  return codeOf(error) === '23514' && /no partition of relation/.test((error as Error).message)
}

export function isMissingSchema(error: unknown): boolean {
  const code = codeOf(error)
  return code === '3F000' || (code === '42P01' && !isMissingPartition(error))
}

/** A settle of all found that a lease is gone: raised by `insist`, or by the outcome that is there already. */
export function isLeaseGone(error: unknown): boolean {
  return codeOf(error) === 'PN001' || codeOf(error) === '23505'
}

const DISK_FULL = '53100'

/** Ends the statement and not the server, which tells it by the same code when its log has no room. */
const isPlainError = (error: unknown) => (error as { severity?: unknown }).severity === 'ERROR'

/** There is no room for what was to be written: it was taken back, and only an operator can help. */
export function isDiskFull(error: unknown): boolean {
  return codeOf(error) === DISK_FULL && isPlainError(error)
}

export function isReadOnly(error: unknown): boolean {
  return codeOf(error) === '25006'
}

/** For a caller who does not try again: a coded error where there is no way to the database, any other as it is. */
export function asUnavailable(error: unknown): unknown {
  if (error instanceof PunctualError) return error
  const refused = codeOf(error).startsWith('28') || codeOf(error) === '3D000'
  if (!refused && !isConnectionFault(error)) return error
  const { message } = error as Error
  const what = refused
    ? `PostgreSQL refused the connection: ${message}. Check user, password and database in the URL.`
    : `PostgreSQL cannot be reached: ${message || codeOf(error)}. Check that it runs, and the URL.`
  return new PunctualError('database_unavailable', what, { cause: error })
}
