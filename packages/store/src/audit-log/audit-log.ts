/**
 * The audit log: an entry for each control write. `append` is called within the transaction of the change, so that neither
 * is there without the other. Entries are kept for ever; only erasing a tenant removes those of that tenant.
 */
import {
  type Actor,
  type AuditEntry,
  type AuditHead,
  type AuditWrite,
  type Random,
  RunIdSource,
  runIdFloor,
  storableText,
} from '@punctual/core'
import type { Row } from '../channel.ts'
import type { Conversations } from '../conversations.ts'
import type { Database } from '../database.ts'
import type { Queryable } from '../queryable.ts'
import { ENTRY_FIELDS } from './entry-hash.ts'
import { keptValue } from './kept-value.ts'
import { Sealing } from './sealing.ts'
import { Verifying } from './verifying.ts'

/** Names and ids are bounded where they are made; this bounds what a caller made of them. */
const TEXT_MAX = 1_024
/** How far the clock that made an id may be from the one that wrote the time of the entry. */
const ID_SLACK_MS = 3_600_000
const BATCH = 500
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** Which entries are read. */
export interface AuditFilter {
  /** A tenant, or null for all of them together. 0 = the installation itself. */
  readonly chain: number | null
  readonly action?: string
  readonly targetKind?: string
  /** Its id or its name. */
  readonly target?: string
  /** Their id or name. */
  readonly actor?: string
  readonly fromMs?: number
  readonly toMs?: number
  /** Only those before this one, which need not exist. */
  readonly after?: string
  readonly limit: number
}

const text = (value: string | null | undefined) =>
  value === null || value === undefined ? null : storableText(value, TEXT_MAX)

function toRow(id: string, { tenantId, actor, action, target, ...write }: AuditWrite) {
  return {
    id,
    tenant_id: tenantId,
    actor_kind: actor.kind,
    actor_id: text(actor.id),
    actor_name: text(actor.name),
    action: text(action),
    target_kind: text(target.kind),
    target_id: text(target.id),
    target_name: text(target.name),
    before: keptValue(write.before),
    after: keptValue(write.after),
    source_ip: text(actor.ip),
    request_id: text(actor.requestId),
    note: text(write.note),
  }
}

export class AuditLog {
  readonly #database: Database
  readonly #ids: RunIdSource

  readonly sealing: Sealing
  readonly verifying: Verifying

  constructor(database: Database, conversations: Conversations, random: Random) {
    this.#database = database
    this.#ids = new RunIdSource(random)
    this.sealing = new Sealing(database, conversations)
    this.verifying = new Verifying(database)
  }

  /** In the transaction that is open, or in that of somebody else. Returns their ids. */
  async append(writes: readonly AuditWrite[], tx?: Queryable): Promise<readonly string[]> {
    const nowMs = this.#database.clock.nowMs()
    const rows = writes.map((write) => toRow(this.#ids.next(nowMs), write))
    const statement = this.#database.statement('audit-log/insert-entries')
    for (let i = 0; i < rows.length; i += BATCH) {
      const values = [JSON.stringify(rows.slice(i, i + BATCH))]
      if (tx) await tx.query(statement.text, values)
      else await this.#database.read.query(statement, values)
    }
    return rows.map(({ id }) => id)
  }

  /** The newest first. What is written meanwhile moves no page: the next one begins after the last id of this one. */
  async list(filter: AuditFilter): Promise<AuditEntry[]> {
    const { fromMs, toMs } = filter
    const moment = (ms: number | undefined) =>
      ms === undefined ? null : new Date(ms).toISOString()
    const floor = runIdFloor(Math.max(0, (fromMs ?? 0) - ID_SLACK_MS))
    const all = filter.chain === null
    const path = all ? 'audit-log/list-all-entries' : 'audit-log/list-entries'
    const rows = await this.#database.read.query(this.#database.statement(path), [
      ...(all ? [] : [filter.chain]),
      ...[floor, filter.after ?? LAST_ID, moment(fromMs), moment(toMs)],
      ...[filter.action ?? null, filter.targetKind ?? null, filter.target ?? null],
      ...[filter.actor ?? null, filter.limit],
    ])
    return rows.map(toEntry)
  }

  /**
   * Removes the entries of a tenant and its chain; to be called in a transaction that also writes what is left: an entry
   * of the installation with the end of the chain that was there.
   */
  async erase(tenantId: number): Promise<{ entries: number; head: AuditHead | null }> {
    const { read } = this.#database
    const [allow, erase] = ['audit-log/allow-erasing', 'audit-log/erase-entries']
    await read.query(this.#database.statement(allow as string), [tenantId])
    const [row] = await read.query(this.#database.statement(erase as string), [tenantId])
    const [entries, seq, hash] = row as Row
    return { entries: Number(entries), head: hash ? { seq: Number(seq), hash } : null }
  }
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
