/**
 * Encodes where a page ended, for the request for the next page: a position in a list, bound to the
 * tenant and the query. A cursor holds no secret and grants no right: the next request states
 * tenant and query again, so the binding detects mistakes, not attacks. A cursor that was altered,
 * or belongs to another tenant or filter, is refused.
 */
import { createHash } from 'node:crypto'
import { PunctualError } from '@punctual/core/errors'

const SEAL_BYTES = 12
const VERSION = 1

export interface CursorScope {
  /** The list: `runs` or `jobs`. */
  readonly list: string
  readonly tenantId: number
  /** The query, in a form that is equal for equal queries. */
  readonly question: string
}

function sealOf({ list, tenantId, question }: CursorScope, position: string): Buffer {
  const text = JSON.stringify([VERSION, list, tenantId, question, position])
  return createHash('sha256').update(text).digest().subarray(0, SEAL_BYTES)
}

export function encodeCursor(scope: CursorScope, position: string): string {
  return Buffer.concat([sealOf(scope, position), Buffer.from(position)]).toString('base64url')
}

/** @throws `PunctualError` with `invalid_cursor`. */
export function decodeCursor(scope: CursorScope, cursor: unknown): string {
  const bytes = Buffer.from(typeof cursor === 'string' ? cursor : '', 'base64url')
  const position = bytes.subarray(SEAL_BYTES).toString()
  const isOurs = bytes.subarray(0, SEAL_BYTES).equals(sealOf(scope, position))
  // Each position has one spelling: another spelling did not come from here.
  if (isOurs && bytes.toString('base64url') === cursor) return position
  throw new PunctualError(
    'invalid_cursor',
    'The cursor does not belong to this list and filter. Send it back unchanged, with the same filter and order, or start without a cursor.',
    { field: 'cursor' },
  )
}

/** Returns the same text for the same query, with its fields in any order. */
export function questionOf(question: object): string {
  return JSON.stringify(Object.entries(question).sort(([a], [b]) => (a < b ? -1 : 1)))
}
