/**
 * Where a page ended, for those who ask for the next: a position in a list, bound to the tenant and the question. It holds
 * no secret and gives no right: what it is bound to is asked for again with it, so that the binding tells mistakes, not
 * enemies. One that was altered, or belongs to another tenant or another filter, is refused.
 */
import { createHash } from 'node:crypto'
import { PunctualError } from '@punctual/core/errors'

const SEAL_BYTES = 12
const VERSION = 1

export interface CursorScope {
  /** Which list: `runs`, `jobs`. */
  readonly list: string
  readonly tenantId: number
  /** What was asked, in a form that is the same for the same question. */
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
  // One text for one position: another spelling of it was not given out by us.
  if (isOurs && bytes.toString('base64url') === cursor) return position
  throw new PunctualError(
    'invalid_cursor',
    'The cursor is not one of this list and filter. Give it back as it came, with the same filter and order, or begin without one.',
    { field: 'cursor' },
  )
}

/** The same text for the same question, whatever the order in which it was put. */
export function questionOf(question: object): string {
  return JSON.stringify(Object.entries(question).sort(([a], [b]) => (a < b ? -1 : 1)))
}
