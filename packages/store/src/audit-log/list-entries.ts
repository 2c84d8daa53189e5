/** Lists entries of the audit log. */
import type { Actor, AuditEntry } from '@punctual/core/audit'
import { runIdFloor } from '@punctual/core/run'
import type { ReadSource } from '../connection/read-source.ts'
import {
  type ListEntriesRow,
  listAllEntries,
  listEntries as listEntriesOfChain,
} from './statements.gen.ts'

/** How far the clock that made an id may differ from the clock that stamped the entry. */
const ID_SLACK_MS = 3_600_000
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** Selects entries. */
export interface AuditFilter {
  /** A tenant's number; 0 is the installation itself, null means all of them. */
  readonly chain: number | null
  readonly action?: string
  readonly targetKind?: string
  /** The target's id or name. */
  readonly target?: string
  /** The actor's id or name. */
  readonly actor?: string
  readonly fromMs?: number
  readonly toMs?: number
  /** Only entries older than this id, which need not exist. */
  readonly after?: string
  readonly limit: number
}

/** Newest first. New entries shift no page: the next page starts after the last id of this one. */
export async function listEntries(source: ReadSource, filter: AuditFilter): Promise<AuditEntry[]> {
  const { chain, fromMs, toMs } = filter
  const floor = runIdFloor(Math.max(0, (fromMs ?? 0) - ID_SLACK_MS))
  const values = [
    floor,
    filter.after ?? LAST_ID,
    instant(fromMs),
    instant(toMs),
    filter.action ?? null,
    filter.targetKind ?? null,
    filter.target ?? null,
    filter.actor ?? null,
    filter.limit,
  ] as const
  const call = chain === null ? listAllEntries(...values) : listEntriesOfChain(chain, ...values)
  return (await source.browse.run(call)).map(toEntry)
}

function instant(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString()
}

function actorOf(row: ListEntriesRow): Actor {
  const { actorKind: kind, actorId: id, actorName: name, sourceIp: ip, requestId } = row
  return {
    kind,
    ...(id && { id }),
    ...(name && { name }),
    ...(ip && { ip }),
    ...(requestId && { requestId }),
  }
}

function toEntry(row: ListEntriesRow): AuditEntry {
  const { id, tenantId, action, before, after, note, seq, hash } = row
  return {
    id,
    tenantId,
    at: new Date(row.atUs / 1_000),
    actor: actorOf(row),
    action,
    target: { kind: row.targetKind, id: row.targetId, name: row.targetName },
    before,
    after,
    note,
    seq,
    hash,
  }
}
