/**
 * The audit log: an entry for each control write. `append` is called within the transaction of the change, so that neither
 * is there without the other. Entries are kept for ever; only erasing a tenant removes those of that tenant.
 */
import type { AuditEntry, AuditHead, AuditWrite } from '@punctual/core/audit'
import type { Random } from '@punctual/core/clock'
import { storableText } from '@punctual/core/errors'
import { RunIdSource } from '@punctual/core/run'
import type { Row } from '../connection/channel.ts'
import type { ClientPool } from '../connection/client-pool.ts'
import type { Database } from '../connection/database.ts'
import type { Queryable } from '../connection/queryable.ts'
import { keptValue } from './kept-value.ts'
import { type AuditFilter, listEntries } from './list-entries.ts'
import { Sealing } from './sealing.ts'
import { Verifying } from './verifying.ts'

/** Names and ids are bounded where they are made; this bounds what a caller made of them. */
const TEXT_MAX = 1_024
const BATCH = 500

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

  constructor(database: Database, clientPool: ClientPool, random: Random) {
    this.#database = database
    this.#ids = new RunIdSource(random)
    this.sealing = new Sealing(database, clientPool)
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
      else await this.#database.control.query(statement, values)
    }
    return rows.map(({ id }) => id)
  }

  list(filter: AuditFilter): Promise<AuditEntry[]> {
    return listEntries(this.#database, filter)
  }

  /**
   * Removes the entries of a tenant and its chain; to be called in a transaction that also writes what is left: an entry
   * of the installation with the end of the chain that was there.
   */
  async erase(tenantId: number): Promise<{ entries: number; head: AuditHead | null }> {
    const { control: read } = this.#database
    const [allow, erase] = ['audit-log/allow-erasing', 'audit-log/erase-entries']
    await read.query(this.#database.statement(allow as string), [tenantId])
    const [row] = await read.query(this.#database.statement(erase as string), [tenantId])
    const [entries, seq, hash] = row as Row
    return { entries: Number(entries), head: hash ? { seq: Number(seq), hash } : null }
  }
}
