/**
 * The bytes that a seal covers. They are made of the columns as the database prints them, so that
 * anyone can reproduce them: a JSON array of strings and nulls in the order of `contentOf`, as
 * UTF-8. `at` is in microseconds.
 *
 * content = sha256(those bytes); hash = sha256(the previous hash, or 32 zero bytes; the sequence
 * number as 8 bytes, big-endian; content). Because the content hash is stored separately, verifying
 * a chain distinguishes a changed entry from a changed seal.
 */
import { createHash } from 'node:crypto'
import type { AuditHead } from '@punctual/core/audit'
import type { ListSealedRow } from './statements.gen.ts'

export const NO_HASH = '0'.repeat(64)

interface NullableHead {
  readonly seq: number | null
  readonly hash: string | null
}

/** The columns of an entry as the database prints them; all null when the entry is missing. */
export type SealedEntry = Omit<ListSealedRow, 'seq' | 'entryId' | 'content' | 'hash'>

/** The hash of an entry's content, in hexadecimal. */
export function contentOf(entry: SealedEntry): string {
  const texts = [
    entry.id,
    entry.tenantId,
    entry.atUs,
    entry.actorKind,
    entry.actorId,
    entry.actorName,
    entry.action,
    entry.targetKind,
    entry.targetId,
    entry.targetName,
    entry.before,
    entry.after,
    entry.sourceIp,
    entry.requestId,
    entry.note,
  ]
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

/** The head of a chain; null before its first seal. */
export function headOf({ seq, hash }: NullableHead): AuditHead | null {
  return seq !== null && hash ? { seq, hash } : null
}
