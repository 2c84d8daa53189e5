/**
 * Erases a tenant: everything that has its number, table by table and block by block, each piece in a transaction of its
 * own, so that nobody waits for it and it can be ended and begun again at any point. The tables are taken from the
 * catalogue, so that one that is added later cannot be forgotten.
 *
 * Other nodes may accept something for a tenant that they remember for two seconds: that is waited for, and all tables are
 * looked at until nothing is found. What stays is the row of the tenant with its number; rules of schedules, which
 * belong to no tenant; for a day, that its workers were there and left, of which nobody knows whose they were; backups; and
 * whatever handlers have written elsewhere.
 *
 * Several may erase it at once, or one after another was cut off: each removes what it finds, and one of them ends it. The
 * others are told that the tenant is gone, as they would be a moment later.
 */
import type { Actor } from '@punctual/core/audit'
import { PunctualError } from '@punctual/core/errors'
import { DEFAULT_TENANT, type Tenant } from '@punctual/core/identity'
import type { AuditLog } from '../audit-log/audit-log.ts'
import type { Database } from '../connection/database.ts'
import type { Signals } from '../connection/signals.ts'
import type { Transact } from '../queues/limit-store.ts'

/** How far an erasure has come. */
export interface EraseProgress {
  /** The table that is being looked at. */
  readonly table: string
  /** How many tables have been looked at, of how many; all are looked at until nothing is found. */
  readonly tablesDone: number
  /** How many tables there are. */
  readonly tables: number
  /** How many rows are gone so far. */
  readonly rows: number
}

/** What an erasure came to. */
export interface EraseResult {
  /** The number of the tenant, which is never used again. */
  readonly id: number
  /** The name that it had, which is free again. */
  readonly name: string
  /** How many rows are gone. */
  readonly rows: number
  /** How many entries of its audit log are gone, and the head of the chain that they were in. */
  readonly audit: { readonly entries: number; readonly head: unknown }
}

export interface EraseOptions {
  /** Who asks for it: the audit log of the installation says so. */
  readonly actor: Actor
  readonly onProgress?: ((progress: EraseProgress) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

export interface TenantErasureOptions {
  readonly database: Database
  readonly signals: Signals
  readonly auditLog: AuditLog
  readonly transact: Transact
  readonly claimsEnded: () => Promise<void>
}

/** Longer than other nodes remember that the tenant may have something accepted. */
const REMEMBERED_MS = 2_500
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

  /** In transactions of its own, also within somebody's: it takes long, and what is gone is gone. */
  async erase(tenant: Tenant, options: EraseOptions): Promise<EraseResult> {
    const { id, name } = tenant
    if (id === DEFAULT_TENANT.id)
      throw new PunctualError('tenant_protected', 'The default tenant cannot be erased.', {
        id: name,
      })
    return this.#database.transactions.apart(() => this.#erase(tenant, options))
  }

  async #erase({ id, name }: Tenant, options: EraseOptions): Promise<EraseResult> {
    const [begun] = await this.#query('begin-erasing', [id, options.actor.name ?? null])
    if (!begun) throw gone(name)
    this.#options.signals.identityChanged()
    await this.#options.claimsEnded()
    await this.#database.localClock.sleep(REMEMBERED_MS, options.signal)
    let rows = 0
    for (let pass = 0; pass < PASSES_MAX; pass++) {
      const removed = await this.#pass(id, rows, options)
      rows += removed
      if (removed === 0) break
    }
    const audit = await this.#options.transact(async () => {
      // First of all: whoever else is about to end it waits here, and has nothing left to end.
      const [ended] = await this.#query('end-erasing', [id])
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
    let gone = await this.#count('erase-gated', [id])
    for (let members = MEMBERS; members === MEMBERS; gone += members) {
      signal?.throwIfAborted()
      members = await this.#count('erase-members', [id, MEMBERS])
    }
    const tables = await this.#query('list-erasable', [])
    for (const [i, [table, blocks]] of tables.entries()) {
      const at = { table: table as string, tablesDone: i, tables: tables.length }
      onProgress?.({ ...at, rows: before + gone })
      for (let block = 0; block < Number(blocks); block += BLOCKS) {
        signal?.throwIfAborted()
        gone += await this.#eraseBlocks(table as string, id, block)
      }
    }
    return gone
  }

  /** A stretch of a table, by its physical place: what is before it is not read again. */
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

  async #count(name: string, values: (string | number)[]): Promise<number> {
    const [row] = await this.#query(name, values)
    return Number(row?.[0])
  }

  #query(name: string, values: readonly (string | number | null)[]) {
    return this.#database.control.query(this.#database.statement(`tenants/${name}`), values)
  }
}

function gone(name: string): PunctualError {
  const message = `Somebody else has erased the tenant ${JSON.stringify(name)} meanwhile. There is nothing left to do.`
  return new PunctualError('tenant_not_found', message, { id: name })
}
