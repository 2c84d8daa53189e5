/** Stores tenants, and notifies all caches of tenants of every change. */
import { PunctualError } from '@punctual/core/errors'
import type { QuotaChanges, Quotas, Tenant } from '@punctual/core/identity'
import type { Row } from '../connection/channel.ts'
import type { Database } from '../connection/database.ts'
import type { Signals } from '../connection/signals.ts'
import type { LimitStore, Transact } from '../queues/limit-store.ts'

/** Refers to a tenant by name or by number; the number may be a string of digits. */
export type TenantReference = string | number

const NUMBER = /^[1-9]\d{0,9}$/
const NUMBER_MAX = 2_147_483_647

/** A string of digits is a number: names start with a letter. */
function numberOf(tenant: TenantReference): number | null {
  if (typeof tenant === 'number') return tenant
  return NUMBER.test(tenant) && Number(tenant) <= NUMBER_MAX ? Number(tenant) : null
}

export interface TenantStoreOptions {
  readonly database: Database
  readonly signals: Signals
  readonly limits: LimitStore
  readonly transact: Transact
  /** Resolves when the claims that are running now have ended. */
  readonly claimsEnded: () => Promise<void>
}

export class TenantStore {
  readonly #database: Database
  readonly #signals: Signals
  readonly #limits: LimitStore
  readonly #transact: Transact
  readonly #claimsEnded: () => Promise<void>

  constructor({ database, signals, limits, transact, claimsEnded }: TenantStoreOptions) {
    this.#database = database
    this.#signals = signals
    this.#limits = limits
    this.#transact = transact
    this.#claimsEnded = claimsEnded
  }

  /** @throws `tenant_exists` when the name is taken. */
  async create(
    name: string,
    author: { note: string | null; by: string | null },
    quotas: QuotaChanges = {},
  ): Promise<Tenant> {
    const set = withoutNulls(quotas)
    const values = [name, author.note, author.by, JSON.stringify(set)]
    return this.#transact(async () => {
      const [row] = await this.#query('insert-tenant', values)
      if (!row) throw exists(name)
      const tenant = tenantFrom(row)
      await this.#limits.follow(tenant.id, {}, set)
      return tenant
    })
  }

  async find(tenant: TenantReference): Promise<Tenant | null> {
    const id = numberOf(tenant)
    const values = id === null ? [null, String(tenant)] : [id, null]
    const [row] = await this.#query('find-tenant', values)
    return row ? tenantFrom(row) : null
  }

  /** @throws `tenant_not_found` */
  async get(tenant: TenantReference): Promise<Tenant> {
    return (await this.find(tenant)) ?? notFound(tenant)
  }

  /** Sorted by name. */
  async list({ after, limit }: { after: string; limit: number }): Promise<Tenant[]> {
    return (await this.#query('list-tenants', [after, limit])).map(tenantFrom)
  }

  /** A quota of null removes that limit. */
  async update(
    tenant: TenantReference,
    { note, quotas }: { note?: string | null; quotas: QuotaChanges },
  ): Promise<Tenant> {
    const { id } = await this.get(tenant)
    const removed = Object.keys(quotas).filter((name) => quotas[name as keyof Quotas] === null)
    const set = JSON.stringify(withoutNulls(quotas))
    const values = [...[id, note !== undefined, note ?? null, set], removed]
    const updated = await this.#transact(async () => {
      const [held] = await this.#query('lock-tenant', [id])
      const [row] = await this.#query('update-tenant', values)
      if (!row) notFound(tenant)
      const after = tenantFrom(row)
      await this.#limits.follow(id, JSON.parse(held?.[0] ?? '{}'), after.quotas)
      return after
    })
    this.#signals.identityChanged()
    return updated
  }

  /**
   * Suspends a tenant; a suspended one is unchanged. Once this resolves, none of its runs is
   * claimed; this node accepts no work for it at once, other nodes within two seconds.
   */
  async suspend(
    tenant: TenantReference,
    author: { note: string | null; by: string | null },
  ): Promise<Tenant> {
    const found = await this.get(tenant)
    const [row] = await this.#query('suspend-tenant', [found.id, author.note, author.by])
    this.#signals.identityChanged()
    await this.#claimsEnded()
    return row ? tenantFrom(row) : this.get(found.id)
  }

  /** Ends a suspension; a tenant that is not suspended is unchanged. */
  async resume(tenant: TenantReference): Promise<Tenant> {
    const found = await this.get(tenant)
    const [row] = await this.#query('resume-tenant', [found.id])
    this.#signals.identityChanged()
    this.#signals.anything()
    return row ? tenantFrom(row) : this.get(found.id)
  }

  #query(name: string, values: Parameters<Database['control']['query']>[1]): Promise<Row[]> {
    return this.#database.control.query(this.#database.statement(`tenants/${name}`), values)
  }
}

/** The quotas that are set; null removes one. */
function withoutNulls(quotas: QuotaChanges): Quotas {
  return Object.fromEntries(Object.entries(quotas).filter(([, value]) => value !== null))
}

function exists(name: string): PunctualError {
  const message = `A tenant named ${JSON.stringify(name)} already exists.`
  return new PunctualError('tenant_exists', message, { field: 'name', id: name })
}

function notFound(tenant: TenantReference): never {
  throw new PunctualError('tenant_not_found', `There is no tenant ${JSON.stringify(tenant)}.`, {
    id: String(tenant),
  })
}

const dateOf = (text: string | null | undefined) => (text ? new Date(text) : null)

function tenantFrom(row: Row): Tenant {
  const [id, name, note, quotas, createdAt, createdBy, ...rest] = row
  const [suspendedAt, suspendedBy, suspendedNote, erasingAt] = rest
  return {
    id: Number(id),
    name: name as string,
    note: note ?? null,
    quotas: JSON.parse(quotas as string) as Quotas,
    createdAt: new Date(createdAt as string),
    createdBy: createdBy ?? null,
    suspendedAt: dateOf(suspendedAt),
    suspendedBy: suspendedBy ?? null,
    suspendedNote: suspendedNote ?? null,
    erasingSince: dateOf(erasingAt),
  }
}
