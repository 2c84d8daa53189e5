/** Tenants as they are stored. What is remembered of them elsewhere is told of every change. */
import { PunctualError } from '@punctual/core/errors'
import type { QuotaChanges, Quotas, Tenant } from '@punctual/core/identity'
import type { Row } from '../connection/channel.ts'
import type { Database } from '../connection/database.ts'
import type { Signals } from '../connection/signals.ts'
import type { LimitStore, Transact } from '../queues/limit-store.ts'

/** How a tenant is named: by its name, or by its number, also where that came as a text. */
export type TenantReference = string | number

const NUMBER = /^[1-9]\d{0,9}$/
const NUMBER_MAX = 2_147_483_647

/** A text of digits is a number: names begin with a letter. */
function numberOf(tenant: TenantReference): number | null {
  if (typeof tenant === 'number') return tenant
  return NUMBER.test(tenant) && Number(tenant) <= NUMBER_MAX ? Number(tenant) : null
}

export interface TenantStoreOptions {
  readonly database: Database
  readonly signals: Signals
  readonly limits: LimitStore
  readonly transact: Transact
  /** Resolves when claims that began before have ended. */
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
    about: { note: string | null; by: string | null },
    quotas: QuotaChanges = {},
  ): Promise<Tenant> {
    const set = settled(quotas)
    const values = [name, about.note, about.by, JSON.stringify(set)]
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

  /** By name. */
  async list({ after, limit }: { after: string; limit: number }): Promise<Tenant[]> {
    return (await this.#query('list-tenants', [after, limit])).map(tenantFrom)
  }

  /** What is null among the quotas is not limited any more. */
  async update(
    tenant: TenantReference,
    { note, quotas }: { note?: string | null; quotas: QuotaChanges },
  ): Promise<Tenant> {
    const { id } = await this.get(tenant)
    const removed = Object.keys(quotas).filter((name) => quotas[name as keyof Quotas] === null)
    const set = JSON.stringify(settled(quotas))
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
   * One that is suspended already stays as it is. Once it resolves nothing more of it is claimed; that nothing more is
   * accepted holds on this node at once, and on the others within two seconds.
   */
  async suspend(
    tenant: TenantReference,
    about: { note: string | null; by: string | null },
  ): Promise<Tenant> {
    const found = await this.get(tenant)
    const [row] = await this.#query('suspend-tenant', [found.id, about.note, about.by])
    this.#signals.identityChanged()
    await this.#claimsEnded()
    return row ? tenantFrom(row) : this.get(found.id)
  }

  /** One that is not suspended stays as it is. */
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

/** Those that are set, without those that are not limited any more. */
function settled(quotas: QuotaChanges): Quotas {
  return Object.fromEntries(Object.entries(quotas).filter(([, value]) => value !== null))
}

function exists(name: string): PunctualError {
  const message = `There is a tenant ${JSON.stringify(name)} already.`
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
