/**
 * The bytes that a seal covers. They are made of the columns as the database prints them, so that
 * anyone can reproduce them: a JSON array of strings and nulls in the order of `ENTRY_FIELDS`, as
 * UTF-8. `at` is in microseconds.
 *
 * content = sha256(those bytes); hash = sha256(the previous hash, or 32 zero bytes; the sequence
 * number as 8 bytes, big-endian; content). Because the content hash is stored separately, verifying
 * a chain distinguishes a changed entry from a changed seal.
 */
import { createHash } from 'node:crypto'
import type { Row } from '../connection/channel.ts'

/** In the column order of the statements that read entries. */
export const ENTRY_FIELDS = [
  'id',
  'tenant_id',
  'at_us',
  'actor_kind',
  'actor_id',
  'actor_name',
  'action',
  'target_kind',
  'target_id',
  'target_name',
  'before',
  'after',
  'source_ip',
  'request_id',
  'note',
] as const

export const NO_HASH = '0'.repeat(64)

/** The hash of an entry's content, in hexadecimal. */
export function contentOf(fields: Row): string {
  const texts = ENTRY_FIELDS.map((_, i) => fields[i] ?? null)
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex')
}

/** The hash of the chain up to and including this content, in hexadecimal. */
export function linkOf(previous: string, seq: number, content: string): string {
  const place = Buffer.alloc(8)
  place.writeBigUInt64BE(BigInt(seq))
  return createHash('sha256')
    .update(Buffer.from(previous, 'hex'))
    .update(place)
    .update(Buffer.from(content, 'hex'))
    .digest('hex')
}
