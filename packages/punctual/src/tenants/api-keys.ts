/** `punctual.apiKeys`: the keys by which callers of the HTTP API are known. */
import { checkText, type Instant, instantOf, integer, refuseOption } from '@punctual/core/check'
import { defaults, limits, PunctualError } from '@punctual/core/errors'
import { type ApiKey, type Scope, scopeNames } from '@punctual/core/identity'
import type { CreatedApiKey, PostgresStore, TenantReference } from '@punctual/store'
import { checkedOptions } from './checked-options.ts'
import { checkTenant } from './tenants.ts'

const LIST_MAX = 1_000
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** What `punctual.apiKeys.create` takes. */
export interface ApiKeyOptions {
  /** What people call it, up to 128 characters. */
  name: string
  /** What it may do: one scope at least. `system` stands alone, and is of no tenant. */
  scopes: readonly Scope[]
  /** The tenant that it belongs to; left out for a key with the scope `system`. */
  tenant?: TenantReference
  /** From when on it is refused. @default never */
  expiresAt?: Instant
  /** Who makes it. */
  by?: string
}

/** Whose keys may be looked at or changed. */
export interface ApiKeyOwner {
  /** Only a key of this tenant is found. @default a key of anybody */
  tenant?: TenantReference
}

/** Which keys are listed. */
export interface ApiKeyListOptions extends ApiKeyOwner {
  /** Only keys of the installation, which are of no tenant. @default false */
  system?: boolean
  /** Only those made after the one with this id: give the last of a page to get the next page. */
  after?: string
  /** Up to 1,000. @default 100 */
  limit?: number
}

/** What `punctual.apiKeys.rotate` takes. */
export interface RotateOptions extends ApiKeyOwner {
  /** How long the old key is still accepted, up to 30 days. @default one day */
  overlapMs?: number
  /** From when on the new one is refused. @default as long after now as the old one after its making */
  expiresAt?: Instant
  /** Who rotates it. */
  by?: string
}

/** What `punctual.apiKeys.revoke` takes. */
export interface RevokeOptions extends ApiKeyOwner {
  /** Who revokes it. */
  by?: string
}

function checkScopes(scopes: unknown, ofTenant: boolean): readonly Scope[] {
  if (!Array.isArray(scopes) || scopes.length === 0)
    refuseOption('scopes', `a list of at least one of ${scopeNames.join(', ')}`, scopes)
  for (const scope of scopes)
    if (!scopeNames.includes(scope)) refuseOption('scopes', scopeNames.join(', '), scope)
  const unique = scopeNames.filter((scope) => scopes.includes(scope))
  if (ofTenant && unique.includes('system'))
    refuseOption('scopes', 'without system: that is across tenants, and this key is of one', scopes)
  if (!ofTenant && (unique.length !== 1 || unique[0] !== 'system'))
    refuseOption('scopes', '["system"] for a key of no tenant; name the tenant otherwise', scopes)
  return unique
}

const byOf = (by: string | undefined) =>
  by === undefined ? null : checkText('by', by, limits.createdByLength)

function notFound(id: string): never {
  throw new PunctualError('api_key_not_found', `There is no API key ${JSON.stringify(id)}.`, { id })
}

function expiryOf(expiresAt: Instant | undefined, nowMs: number): Date | null {
  if (expiresAt === undefined) return null
  const expiresMs = instantOf('expiresAt', expiresAt)
  if (expiresMs <= nowMs) refuseOption('expiresAt', 'in the future', expiresAt)
  return new Date(expiresMs)
}

/** `punctual.apiKeys`: the keys by which callers of the HTTP API are known. */
export class ApiKeys {
  readonly #store: PostgresStore

  /** @internal */
  constructor(store: PostgresStore) {
    this.#store = store
  }

  /**
   * Makes a key. The answer has it in `key`, once: only a hash is stored.
   * @throws `PunctualError` with `invalid_option`, `tenant_not_found`, or `quota_exceeded` at 1,000 keys of a tenant.
   * @example
   * ```ts
   * const { key } = await punctual.apiKeys.create({ name: 'ci', tenant: 'acme', scopes: ['submit'] })
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
    return this.#store.apiKeys.create({ ...checked, tenantId: await this.#tenantId(tenant) })
  }

  async #tenantId(tenant: TenantReference | undefined): Promise<number | null> {
    if (tenant === undefined) return null
    return (await this.#store.tenants.get(checkTenant(tenant))).id
  }

  /** A key by its id, or null. */
  async get(id: string, owner: ApiKeyOwner = {}): Promise<ApiKey | null> {
    const { tenant } = checkedOptions(owner, ['tenant'])
    if (!UUID.test(id)) return null
    return this.#store.apiKeys.find(id, await this.#tenantId(tenant))
  }

  /** Keys in the order of their making, those that are revoked or expired included; a page at a time. */
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
   * Makes a key with the same name and scopes in the place of another, which is accepted for a while yet.
   * @throws `PunctualError` with `api_key_not_found`, or with `api_key_inactive` when it is revoked, expired or was rotated.
   */
  async rotate(id: string, options: RotateOptions = {}): Promise<CreatedApiKey> {
    const known = ['tenant', 'overlapMs', 'expiresAt', 'by'] as const
    const { tenant, overlapMs, expiresAt, by } = checkedOptions(options, known)
    const about = {
      overlapMs: integer(
        'overlapMs',
        overlapMs ?? defaults.rotationOverlapMs,
        0,
        limits.rotationOverlapMsMax,
      ),
      expiresAt: expiryOf(expiresAt, this.#store.database.clock.nowMs()),
      by: byOf(by),
    }
    const tenantId = await this.#tenantId(tenant)
    const found = await this.get(id, { ...(tenant !== undefined && { tenant }) })
    if (!found) notFound(id)
    const made = await this.#store.apiKeys.rotate(id, tenantId, about)
    if (made) return made
    throw new PunctualError(
      'api_key_inactive',
      `The API key ${JSON.stringify(found.name)} is revoked, expired or was rotated already. Make another one.`,
      { id },
    )
  }

  /**
   * Revokes a key: every node refuses it within two seconds, most at once. Answers with the key; one that is revoked stays
   * as it is.
   * @throws `PunctualError` with `api_key_not_found`.
   */
  async revoke(id: string, options: RevokeOptions = {}): Promise<ApiKey> {
    const { tenant, by } = checkedOptions(options, ['tenant', 'by'])
    if (!UUID.test(id)) notFound(id)
    const tenantId = await this.#tenantId(tenant)
    await this.#store.apiKeys.revoke(id, tenantId, byOf(by))
    return (await this.#store.apiKeys.find(id, tenantId)) ?? notFound(id)
  }
}
