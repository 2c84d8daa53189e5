/** Stores tenants, and notifies all caches of tenants of every change. */
import { PunctualError } from '@punctual/core/errors'
import type { QuotaChanges, Quotas, Tenant } from '@punctual/core/identity'
import type { Database } from '../connection/database.ts'
import type { Signals } from '../connection/signals.ts'
import type { LimitStore, Transact } from '../queues/limit-store.ts'
import type { QueueStore } from '../queues/queue-store.ts'
import {
  type FindTenantRow,
  findTenant,
  insertTenant,
  listTenants,
  lockTenant,
  resumeTenant,
  suspendTenant,
  updateTenant,
} from './statements.gen.ts'

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
  readonly queues: QueueStore
}

export class TenantStore {
  readonly #database: Database
  readonly #signals: Signals
  readonly #limits: LimitStore
  readonly #transact: Transact
  readonly #queues: QueueStore

  constructor({ database, signals, limits, transact, queues }: TenantStoreOptions) {
    this.#database = database
    this.#signals = signals
    this.#limits = limits
    this.#transact = transact
    this.#queues = queues
  }

  /** @throws `tenant_exists` when the name is taken. */
  async create(
    name: string,
    author: { note: string | null; by: string | null },
    quotas: QuotaChanges = {},
  ): Promise<Tenant> {
    const set = withoutNulls(quotas)
    const call = insertTenant(name, author.note, author.by, JSON.stringify(set))
    return this.#transact(async () => {
      const [row] = await this.#database.control.run(call)
      if (!row) throw exists(name)
      const tenant = tenantFrom(row)
      await this.#limits.follow(tenant.id, {}, set)
      return tenant
    })
  }

  async find(tenant: TenantReference): Promise<Tenant | null> {
    const id = numberOf(tenant)
    const call = id === null ? findTenant(null, String(tenant)) : findTenant(id, null)
    const [row] = await this.#database.control.run(call)
    return row ? tenantFrom(row) : null
  }

  /** @throws `tenant_not_found` */
  async get(tenant: TenantReference): Promise<Tenant> {
    return (await this.find(tenant)) ?? notFound(tenant)
  }

  /** Sorted by name. */
  async list({ after, limit }: { after: string; limit: number }): Promise<Tenant[]> {
    return (await this.#database.control.run(listTenants(after, limit))).map(tenantFrom)
  }

  /** A quota of null removes that limit. */
  async update(
    tenant: TenantReference,
    { note, quotas }: { note?: string | null; quotas: QuotaChanges },
  ): Promise<Tenant> {
    const { id } = await this.get(tenant)
    const removed = Object.entries(quotas).flatMap(([name, quota]) => (quota === null ? name : []))
    const set = JSON.stringify(withoutNulls(quotas))
    const call = updateTenant(id, note !== undefined, note ?? null, set, removed)
    const updated = await this.#transact(async () => {
      const [held] = await this.#database.control.run(lockTenant(id))
      const [row] = await this.#database.control.run(call)
      if (!row) notFound(tenant)
      const after = tenantFrom(row)
      await this.#limits.follow(id, held?.quotas ?? {}, after.quotas)
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
    const call = suspendTenant(found.id, author.note, author.by)
    const [row] = await this.#database.control.run(call)
    this.#signals.identityChanged()
    await this.#queues.claimsEnded()
    return row ? tenantFrom(row) : this.get(found.id)
  }

  /** Ends a suspension; a tenant that is not suspended is unchanged. */
  async resume(tenant: TenantReference): Promise<Tenant> {
    const found = await this.get(tenant)
    const [row] = await this.#database.control.run(resumeTenant(found.id))
    this.#signals.identityChanged()
    this.#signals.anything()
    return row ? tenantFrom(row) : this.get(found.id)
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

function tenantFrom({ erasingAt, ...tenant }: FindTenantRow): Tenant {
  return { ...tenant, erasingSince: erasingAt }
}
