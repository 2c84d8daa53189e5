/**
 * The bytes that a seal stands for. They are made of the columns as the database shows them, so that anybody can make
 * them again: a JSON array of texts and nulls in the order of `ENTRY_FIELDS`, as UTF-8. `at` is in microseconds.
 *
 * content = sha256(those bytes); hash = sha256(the hash before it, or 32 zero bytes; the place as 8 bytes, big-endian;
 * content). With the content apart, a look at a chain tells an entry that was changed from a seal that was.
 */
import { createHash } from 'node:crypto'
import type { Row } from '../connection/channel.ts'

/** In the order of the statements that read them. */
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

/** The content of an entry, in hexadecimal. */
export function contentOf(fields: Row): string {
  const texts = ENTRY_FIELDS.map((_, i) => fields[i] ?? null)
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex')
}

/** The hash of a chain that ends with this content, in hexadecimal. */
export function linkOf(previous: string, seq: number, content: string): string {
  const place = Buffer.alloc(8)
  place.writeBigUInt64BE(BigInt(seq))
  return createHash('sha256')
    .update(Buffer.from(previous, 'hex'))
    .update(place)
    .update(Buffer.from(content, 'hex'))
    .digest('hex')
}
