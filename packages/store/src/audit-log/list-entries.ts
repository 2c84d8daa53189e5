/** Lists entries of the audit log. */
import type { Actor, AuditEntry } from '@punctual/core/audit'
import { runIdFloor } from '@punctual/core/run'
import type { Row } from '../connection/channel.ts'
import type { ReadSource } from '../connection/read-source.ts'
import { ENTRY_FIELDS } from './entry-hash.ts'

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
  const { fromMs, toMs } = filter
  const instant = (ms: number | undefined) => (ms === undefined ? null : new Date(ms).toISOString())
  const floor = runIdFloor(Math.max(0, (fromMs ?? 0) - ID_SLACK_MS))
  const all = filter.chain === null
  const path = all ? 'audit-log/list-all-entries' : 'audit-log/list-entries'
  const rows = await source.reads.query(source.statement(path), [
    ...(all ? [] : [filter.chain]),
    ...[floor, filter.after ?? LAST_ID, instant(fromMs), instant(toMs)],
    ...[filter.action ?? null, filter.targetKind ?? null, filter.target ?? null],
    ...[filter.actor ?? null, filter.limit],
  ])
  return rows.map(toEntry)
}

function actorOf(row: Row): Actor {
  const [kind, id, name] = row.slice(3, 6)
  const [ip, requestId] = row.slice(12, 14)
  return {
    kind: kind as Actor['kind'],
    ...(id && { id }),
    ...(name && { name }),
    ...(ip && { ip }),
    ...(requestId && { requestId }),
  }
}

const value = (json: string | null | undefined): unknown => (json ? JSON.parse(json) : null)

function toEntry(row: Row): AuditEntry {
  const [id, tenantId, atUs] = row
  const [action, kind, targetId, targetName, before, after] = row.slice(6, 12)
  const [note, seq, hash] = row.slice(ENTRY_FIELDS.length - 1)
  return {
    id: id as string,
    tenantId: tenantId ? Number(tenantId) : null,
    at: new Date(Number(atUs) / 1_000),
    actor: actorOf(row),
    action: action as string,
    target: { kind: kind as string, id: targetId ?? null, name: targetName ?? null },
    before: value(before),
    after: value(after),
    note: note ?? null,
    seq: seq ? Number(seq) : null,
    hash: hash ?? null,
  }
}
