/**
 * The audit log: one entry for each control write. `append` runs within the transaction of the
 * change, so that neither exists without the other. Entries are kept forever; only erasing a tenant
 * removes entries, those of that tenant.
 */
import type { AuditEntry, AuditHead, AuditWrite } from '@punctual/core/audit'
import type { Random } from '@punctual/core/clock'
import { invariant, storableText } from '@punctual/core/errors'
import { RunIdSource } from '@punctual/core/run'
import type { ClientPool } from '../connection/client-pool.ts'
import type { Database } from '../connection/database.ts'
import type { Queryable } from '../connection/queryable.ts'
import { headOf } from './entry-hash.ts'
import { keptValue } from './kept-value.ts'
import { type AuditFilter, listEntries } from './list-entries.ts'
import { Sealing } from './sealing.ts'
import { allowErasing, eraseEntries, insertEntries } from './statements.gen.ts'
import { Verifying } from './verifying.ts'

/** Names and ids are bounded where they are created; this bounds what callers pass in. */
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

  /** Appends within the open transaction, or within the caller's `tx`; returns the entries' ids. */
  async append(writes: readonly AuditWrite[], tx?: Queryable): Promise<readonly string[]> {
    const nowMs = this.#database.clock.nowMs()
    const rows = writes.map((write) => toRow(this.#ids.next(nowMs), write))
    for (let i = 0; i < rows.length; i += BATCH) {
      const call = insertEntries(JSON.stringify(rows.slice(i, i + BATCH)))
      if (tx) await this.#database.runIn(tx, call)
      else await this.#database.control.run(call)
    }
    return rows.map(({ id }) => id)
  }

  list(filter: AuditFilter): Promise<AuditEntry[]> {
    return listEntries(this.#database, filter)
  }

  /**
   * Removes a tenant's entries and its chain. The caller's transaction must also append an entry of
   * the installation that records the end of the removed chain.
   */
  async erase(tenantId: number): Promise<{ entries: number; head: AuditHead | null }> {
    const { control } = this.#database
    await control.run(allowErasing(tenantId))
    const [erased] = await control.run(eraseEntries(tenantId))
    invariant(erased, 'erasing entries returns their number')
    return { entries: erased.entries, head: headOf(erased) }
  }
}
