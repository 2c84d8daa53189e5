/**
 * Stores API keys as hashes, never as they are. A new key is returned once, by the call that
 * creates it. Every change is sent to all nodes, whose authenticators cache keys.
 */
import { createHash } from 'node:crypto'
import type { Random } from '@punctual/core/clock'
import { limits, PunctualError } from '@punctual/core/errors'
import {
  type ApiKey,
  type CreatedApiKey,
  makeApiKey,
  prefixOfApiKey,
  type Scope,
} from '@punctual/core/identity'
import type { Row, Value } from '../connection/channel.ts'
import type { Database } from '../connection/database.ts'
import type { Signals } from '../connection/signals.ts'

/** The properties of a new key. */
export interface NewApiKey {
  readonly name: string
  /** Null for a key of the whole installation. */
  readonly tenantId: number | null
  readonly scopes: readonly Scope[]
  readonly expiresAt: Date | null
  readonly by: string | null
}

export class ApiKeyStore {
  readonly #database: Database
  readonly #signals: Signals
  readonly #random: Random

  constructor(database: Database, signals: Signals, random: Random) {
    this.#database = database
    this.#signals = signals
    this.#random = random
  }

  async create(options: NewApiKey): Promise<CreatedApiKey> {
    const key = makeApiKey(this.#random)
    const made = await this.#insert(key, options)
    if (made) return { ...made, key }
    throw new PunctualError(
      'quota_exceeded',
      `This tenant or installation already has ${limits.apiKeysPerTenant} keys, the limit, revoked ones included.`,
      { quota: { name: 'apiKeys', limit: limits.apiKeysPerTenant, used: limits.apiKeysPerTenant } },
    )
  }

  /**
   * Makes sure that this key, which the caller generated, exists. False if it already did; that
   * includes a key that was revoked since, which stays revoked.
   */
  async ensure(key: string, options: NewApiKey): Promise<boolean> {
    const made = await this.#insert(key, options)
    if (made) return true
    const prefix = prefixOfApiKey(key)
    const [row] = await this.#query('recognise-api-key', [prefix])
    if (row?.[2] === hashOf(key)) return false
    throw new PunctualError(
      'invalid_config',
      `Another key has the public part ${prefix}. Generate another key, and do not choose any part of it by hand.`,
    )
  }

  /** Whether the installation has, or ever had, an installation-wide key. */
  async hasSystemKey(): Promise<boolean> {
    const [row] = await this.#query('find-system-key', [])
    return row?.[0] === 't'
  }

  async #insert(key: string, options: NewApiKey): Promise<ApiKey | null> {
    const { tenantId, name, scopes, expiresAt, by } = options
    const values = [
      ...[tenantId, name, prefixOfApiKey(key), hashOf(key), scopes as readonly string[]],
      ...[expiresAt?.toISOString() ?? null, by, limits.apiKeysPerTenant],
    ]
    const [row] = await this.#query('insert-api-key', values)
    if (!row) return null
    // A node may have cached that this key does not exist.
    this.#signals.identityChanged()
    return apiKeyFrom(row)
  }

  /** A tenant sees only its own; null sees all. */
  async find(id: string, tenantId: number | null): Promise<ApiKey | null> {
    const [row] = await this.#query('find-api-key', [id, tenantId])
    return row ? apiKeyFrom(row) : null
  }

  async list(filter: {
    readonly tenantId: number | null
    readonly systemOnly: boolean
    readonly after: string | null
    readonly limit: number
  }): Promise<ApiKey[]> {
    const { tenantId, systemOnly, after, limit } = filter
    return (await this.#query('list-api-keys', [tenantId, systemOnly, after, limit])).map(
      apiKeyFrom,
    )
  }

  /** Null when the key does not exist, or can no longer be used. */
  async rotate(
    id: string,
    tenantId: number | null,
    change: { overlapMs: number; expiresAt: Date | null; by: string | null },
  ): Promise<CreatedApiKey | null> {
    const key = makeApiKey(this.#random)
    const values = [
      ...[id, tenantId, prefixOfApiKey(key), hashOf(key), change.overlapMs],
      ...[change.expiresAt?.toISOString() ?? null, change.by],
    ]
    const [row] = await this.#query('rotate-api-key', values)
    this.#signals.identityChanged()
    return row ? { ...apiKeyFrom(row), key } : null
  }

  /** False when the key was already revoked, or does not exist. */
  async revoke(id: string, tenantId: number | null, by: string | null): Promise<boolean> {
    const rows = await this.#query('revoke-api-key', [id, tenantId, by])
    this.#signals.identityChanged()
    return rows.length > 0
  }

  #query(name: string, values: readonly Value[]): Promise<Row[]> {
    return this.#database.control.query(this.#database.statement(`api-keys/${name}`), values)
  }
}

/** The stored form of a key, in hexadecimal. */
export function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('hex')
}

const dateOf = (text: string | null | undefined) => (text ? new Date(text) : null)

function apiKeyFrom(row: Row): ApiKey {
  const [id, name, prefix, tenantId, tenantName, scopes, createdAt, createdBy, ...rest] = row
  const [expiresAt, revokedAt, revokedBy, rotatedTo, lastUsedAt] = rest
  return {
    id: id as string,
    name: name as string,
    prefix: prefix as string,
    tenantId: tenantId ? Number(tenantId) : null,
    tenantName: tenantName ?? null,
    scopes: (scopes as string).split(',') as Scope[],
    createdAt: new Date(createdAt as string),
    createdBy: createdBy ?? null,
    expiresAt: dateOf(expiresAt),
    revokedAt: dateOf(revokedAt),
    revokedBy: revokedBy ?? null,
    rotatedTo: rotatedTo ?? null,
    lastUsedAt: dateOf(lastUsedAt),
  }
}
