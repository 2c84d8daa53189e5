/** `punctual.apiKeys`: the API keys that identify callers of the HTTP API. */
import { checkText, type Instant, instantOf, integer, refuseOption } from '@punctual/core/check'
import { defaults, limits, PunctualError } from '@punctual/core/errors'
import { type ApiKey, type CreatedApiKey, type Scope, scopeNames } from '@punctual/core/identity'
import type { PostgresStore, TenantReference } from '@punctual/store'
import { checkedOptions } from './checked-options.ts'
import { type InstallationScope, recordApiKey } from './records.ts'
import { checkTenant } from './tenants.ts'

const LIST_MAX = 1_000
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Options of `punctual.apiKeys.create`. */
export interface ApiKeyOptions {
  /** Display name, up to 128 characters. */
  name: string
  /**
   * The permissions of the key: at least one scope. `system` must be the only scope, and belongs to
   * no tenant.
   */
  scopes: readonly Scope[]
  /** The tenant that owns the key; leave it out for a key with the scope `system`. */
  tenant?: TenantReference
  /** The key is refused from this instant on. @default never */
  expiresAt?: Instant
  /** Who creates it, up to 256 characters. */
  by?: string
}

/** Restricts a call to the keys of one tenant. */
export interface ApiKeyOwner {
  /** Finds only a key of this tenant. @default keys of all tenants */
  tenant?: TenantReference
}

/** Which keys to list. */
export interface ApiKeyListOptions extends ApiKeyOwner {
  /** Lists only keys of the installation, which belong to no tenant. @default false */
  system?: boolean
  /**
   * Only keys created after the one with this id: pass the last id of a page to get the next page.
   */
  after?: string
  /** The most keys to return, up to 1,000. @default 100 */
  limit?: number
}

/** Options of `punctual.apiKeys.rotate`. */
export interface RotateOptions extends ApiKeyOwner {
  /** How long the old key stays valid, in ms, up to 30 days. @default one day */
  overlapMs?: number
  /** Expiry of the new key. @default the lifetime of the old key, counted from now */
  expiresAt?: Instant
  /** Who rotates it, up to 256 characters. */
  by?: string
}

/** Options of `punctual.apiKeys.revoke`. */
export interface RevokeOptions extends ApiKeyOwner {
  /** Who revokes it, up to 256 characters. */
  by?: string
}

function checkScopes(scopes: unknown, ofTenant: boolean): readonly Scope[] {
  if (!Array.isArray(scopes) || scopes.length === 0)
    refuseOption('scopes', `a list of at least one of ${scopeNames.join(', ')}`, scopes)
  for (const scope of scopes)
    if (!scopeNames.includes(scope)) refuseOption('scopes', scopeNames.join(', '), scope)
  const unique = scopeNames.filter((scope) => scopes.includes(scope))
  if (ofTenant && unique.includes('system'))
    refuseOption('scopes', 'without system, because the key belongs to a tenant', scopes)
  if (!ofTenant && (unique.length !== 1 || unique[0] !== 'system'))
    refuseOption(
      'scopes',
      '["system"] for a key without a tenant; otherwise name the tenant',
      scopes,
    )
  return unique
}

interface Rotation {
  readonly overlapMs: number
  readonly expiresAt: Date | null
  readonly by: string | null
}

const byOf = (by: string | undefined) =>
  by === undefined ? null : checkText('by', by, limits.createdByLength)

function notFound(id: string): never {
  throw new PunctualError('api_key_not_found', `No API key has the id ${JSON.stringify(id)}.`, {
    id,
  })
}

function expiryOf(expiresAt: Instant | undefined, nowMs: number): Date | null {
  if (expiresAt === undefined) return null
  const expiresMs = instantOf('expiresAt', expiresAt)
  if (expiresMs <= nowMs) refuseOption('expiresAt', 'in the future', expiresAt)
  return new Date(expiresMs)
}

/** `punctual.apiKeys`: the API keys that identify callers of the HTTP API. */
export class ApiKeys {
  readonly #scope: InstallationScope
  readonly #store: PostgresStore

  /** @internal */
  constructor(scope: InstallationScope) {
    this.#scope = scope
    this.#store = scope.store
  }

  /**
   * Creates a key. Its text is returned once, in `key`: only a hash is stored.
   * @throws `PunctualError` with `invalid_option`, `tenant_not_found`, or `quota_exceeded` at 1,000
   * keys of a tenant.
   * @example
   * ```ts
   * const options = { name: 'ci', tenant: 'acme', scopes: ['submit'] } as const
   * const { key } = await punctual.apiKeys.create(options)
   * ```
   */
  async create(options: ApiKeyOptions): Promise<CreatedApiKey> {
    const known = ['name', 'scopes', 'tenant', 'expiresAt', 'by'] as const
    const { name, scopes, tenant, expiresAt, by } = checkedOptions(options, known)
    const nowMs = this.#store.database.clock.nowMs()
    const checked = {
      name: checkText('name', name, limits.nameLength),
      scopes: checkScopes(scopes, tenant !== undefined),
      expiresAt: expiryOf(expiresAt, nowMs),
      by: byOf(by),
    }
    const create = async () => {
      const tenantId = await this.#tenantId(tenant)
      return this.#store.apiKeys.create({ ...checked, tenantId })
    }
    return recordApiKey(this.#scope, 'api_key.create', create, (key) => ({
      after: { scopes: key.scopes, expiresAt: key.expiresAt },
    }))
  }

  async #tenantId(tenant: TenantReference | undefined): Promise<number | null> {
    if (tenant === undefined) return null
    return (await this.#store.tenants.get(checkTenant(tenant))).id
  }

  /** A key by its id, or null when there is none. */
  async get(id: string, owner: ApiKeyOwner = {}): Promise<ApiKey | null> {
    const { tenant } = checkedOptions(owner, ['tenant'])
    if (!UUID.test(id)) return null
    return this.#store.apiKeys.find(id, await this.#tenantId(tenant))
  }

  /** Keys in the order of creation, including revoked and expired ones, page by page. */
  async list(options: ApiKeyListOptions = {}): Promise<readonly ApiKey[]> {
    const known = ['tenant', 'system', 'after', 'limit'] as const
    const { tenant, system = false, after, limit = 100 } = checkedOptions(options, known)
    if (after !== undefined && !UUID.test(after)) refuseOption('after', 'the id of a key', after)
    return this.#store.apiKeys.list({
      tenantId: await this.#tenantId(tenant),
      systemOnly: system === true,
      after: after ?? null,
      limit: integer('limit', limit, 1, LIST_MAX),
    })
  }

  /**
   * Creates a key with the same name and scopes as an existing one, which stays valid for
   * `overlapMs`.
   * @throws `PunctualError` with `api_key_not_found`, or with `api_key_inactive` when the key is
   * revoked, expired or already rotated.
   */
  async rotate(id: string, options: RotateOptions = {}): Promise<CreatedApiKey> {
    const known = ['tenant', 'overlapMs', 'expiresAt', 'by'] as const
    const { tenant, overlapMs, expiresAt, by } = checkedOptions(options, known)
    const rotation = {
      overlapMs: integer(
        'overlapMs',
        overlapMs ?? defaults.rotationOverlapMs,
        0,
        limits.rotationOverlapMsMax,
      ),
      expiresAt: expiryOf(expiresAt, this.#store.database.clock.nowMs()),
      by: byOf(by),
    }
    const rotate = () => this.#rotate(id, tenant, rotation)
    return recordApiKey(this.#scope, 'api_key.rotate', rotate, (made) => ({
      before: { id },
      after: { id: made.id, scopes: made.scopes, expiresAt: made.expiresAt },
    }))
  }

  async #rotate(id: string, tenant: TenantReference | undefined, rotation: Rotation) {
    const tenantId = await this.#tenantId(tenant)
    const found = await this.get(id, { ...(tenant !== undefined && { tenant }) })
    if (!found) notFound(id)
    const made = await this.#store.apiKeys.rotate(id, tenantId, rotation)
    if (made) return made
    throw new PunctualError(
      'api_key_inactive',
      `The API key ${JSON.stringify(found.name)} is revoked, expired or already rotated. Create a new one.`,
      { id },
    )
  }

  /**
   * Revokes a key and returns it: most nodes refuse it at once, all within two seconds. A key that
   * was revoked before is returned unchanged.
   * @throws `PunctualError` with `api_key_not_found`.
   */
  async revoke(id: string, options: RevokeOptions = {}): Promise<ApiKey> {
    const { tenant, by } = checkedOptions(options, ['tenant', 'by'])
    if (!UUID.test(id)) notFound(id)
    const revokedBy = byOf(by)
    let revokedBefore = false
    const revoke = async () => {
      const tenantId = await this.#tenantId(tenant)
      const was = await this.#store.apiKeys.find(id, tenantId)
      revokedBefore = was?.revokedAt != null
      await this.#store.apiKeys.revoke(id, tenantId, revokedBy)
      return (await this.#store.apiKeys.find(id, tenantId)) ?? notFound(id)
    }
    return recordApiKey(this.#scope, 'api_key.revoke', revoke, ({ revokedAt }) =>
      revokedBefore ? null : { before: { revokedAt: null }, after: { revokedAt } },
    )
  }
}
