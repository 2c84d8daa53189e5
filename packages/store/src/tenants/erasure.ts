/**
 * Erases a tenant: all rows with its number, table by table and block by block, each piece in its
 * own transaction, so that no other session waits for it and it can be stopped and restarted at any
 * point. The tables come from the catalog, so that a table that is added later cannot be forgotten.
 *
 * Other nodes may accept work for a tenant that they have cached for two seconds: erasing waits for
 * that, and repeats the pass over all tables until it finds nothing. What stays: the tenant's row
 * with its number; the rules of schedules, which belong to no tenant; for a day, that its workers
 * existed and left, without a record of whose they were; backups; and everything that handlers have
 * written elsewhere.
 *
 * Several processes may erase a tenant at once, or one after another was cut off: each removes what
 * it finds, and one of them finishes. The others get `tenant_not_found`, as they would shortly
 * afterwards.
 */
import type { Actor } from '@punctual/core/audit'
import { PunctualError } from '@punctual/core/errors'
import { DEFAULT_TENANT, type EraseResult, type Tenant } from '@punctual/core/identity'
import type { AuditLog } from '../audit-log/audit-log.ts'
import type { Database } from '../connection/database.ts'
import type { Signals } from '../connection/signals.ts'
import type { Transact } from '../queues/limit-store.ts'
import type { QueueStore } from '../queues/queue-store.ts'
import type { Call } from '../sql/typed.ts'
import {
  beginErasing,
  endErasing,
  eraseGated,
  eraseMembers,
  listErasable,
} from './statements.gen.ts'

/** The progress of an erasure. */
export interface EraseProgress {
  /** The table in progress. */
  readonly table: string
  /** How many tables this pass has finished; passes repeat until one finds nothing. */
  readonly tablesDone: number
  /** How many tables exist. */
  readonly tables: number
  /** How many rows were deleted so far. */
  readonly rows: number
}

export interface EraseOptions {
  /** The caller, recorded in the installation's audit log. */
  readonly actor: Actor
  readonly onProgress?: ((progress: EraseProgress) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

export interface TenantErasureOptions {
  readonly database: Database
  readonly signals: Signals
  readonly auditLog: AuditLog
  readonly transact: Transact
  readonly queues: QueueStore
}

/** Longer than other nodes cache that the tenant may submit. */
const CACHED_MS = 2_500
const BLOCKS = 2_000
const MEMBERS = 5_000
const PASSES_MAX = 100

export class TenantErasure {
  readonly #options: TenantErasureOptions
  readonly #database: Database

  constructor(options: TenantErasureOptions) {
    this.#options = options
    this.#database = options.database
  }

  /** Runs outside the caller's transaction: it takes long, and an erased row cannot come back. */
  async erase(tenant: Tenant, options: EraseOptions): Promise<EraseResult> {
    const { id, name } = tenant
    if (id === DEFAULT_TENANT.id)
      throw new PunctualError('tenant_protected', 'The default tenant cannot be erased.', {
        id: name,
      })
    return this.#database.ambient.outside(() => this.#erase(tenant, options))
  }

  async #erase({ id, name }: Tenant, options: EraseOptions): Promise<EraseResult> {
    const [begun] = await this.#database.control.run(beginErasing(id, options.actor.name ?? null))
    if (!begun) throw gone(name)
    this.#options.signals.identityChanged()
    await this.#options.queues.claimsEnded()
    await this.#database.localClock.sleep(CACHED_MS, options.signal)
    let rows = 0
    for (let pass = 0; pass < PASSES_MAX; pass++) {
      const removed = await this.#pass(id, rows, options)
      rows += removed
      if (removed === 0) break
    }
    const audit = await this.#options.transact(async () => {
      // First: another process that is about to finish waits here, and then finds nothing to do.
      const [ended] = await this.#database.control.run(endErasing(id))
      if (!ended) throw gone(name)
      const erased = await this.#options.auditLog.erase(id)
      const target = { kind: 'tenant', id: String(id), name }
      const entry = { tenantId: null, actor: options.actor, action: 'tenant.erase', target }
      const after = { rows, audit: erased }
      await this.#options.auditLog.append([{ ...entry, before: null, after, note: null }])
      return erased
    })
    this.#options.signals.identityChanged()
    return { id, name, rows, audit }
  }

  async #pass(id: number, before: number, { onProgress, signal }: EraseOptions): Promise<number> {
    let gone = await this.#count(eraseGated(id))
    for (let members = MEMBERS; members === MEMBERS; gone += members) {
      signal?.throwIfAborted()
      members = await this.#count(eraseMembers(id, MEMBERS))
    }
    const tables = await this.#database.control.run(listErasable())
    for (const [i, { name: table, blocks }] of tables.entries()) {
      const at = { table, tablesDone: i, tables: tables.length }
      onProgress?.({ ...at, rows: before + gone })
      for (let block = 0; block < blocks; block += BLOCKS) {
        signal?.throwIfAborted()
        gone += await this.#eraseBlocks(table, id, block)
      }
    }
    return gone
  }

  /** Deletes a range of blocks, so that earlier blocks are not read again. */
  async #eraseBlocks(table: string, id: number, block: number): Promise<number> {
    const text = `with gone as (
      delete from ${table}
      where tenant_id = $1::integer and ctid >= $2::text::tid and ctid < $3::text::tid
      returning 1
    ) select count(*) from gone`
    const values = [id, `(${block},0)`, `(${block + BLOCKS},0)`]
    const [row] = await this.#database.control.query({ name: `erase ${table}`, text }, values)
    return Number(row?.[0])
  }

  async #count(call: Call<{ readonly gone: number }>): Promise<number> {
    const [row] = await this.#database.control.run(call)
    return row?.gone ?? 0
  }
}

function gone(name: string): PunctualError {
  const message = `Another process has already erased the tenant ${JSON.stringify(name)}. Nothing is left to do.`
  return new PunctualError('tenant_not_found', message, { id: name })
}
