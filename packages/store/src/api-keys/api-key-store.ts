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
import type { Database } from '../connection/database.ts'
import type { Signals } from '../connection/signals.ts'
import {
  findApiKey,
  findSystemKey,
  insertApiKey,
  listApiKeys,
  recogniseApiKey,
  revokeApiKey,
  rotateApiKey,
} from './statements.gen.ts'

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
    const [row] = await this.#database.control.run(recogniseApiKey(prefix))
    if (row?.hash === hashOf(key)) return false
    throw new PunctualError(
      'invalid_config',
      `Another key has the public part ${prefix}. Generate another key, and do not choose any part of it by hand.`,
    )
  }

  /** Whether the installation has, or ever had, an installation-wide key. */
  async hasSystemKey(): Promise<boolean> {
    const [row] = await this.#database.control.run(findSystemKey())
    return row?.found === true
  }

  async #insert(key: string, options: NewApiKey): Promise<ApiKey | null> {
    const { tenantId, name, scopes, expiresAt, by } = options
    const call = insertApiKey(
      tenantId,
      name,
      prefixOfApiKey(key),
      hashOf(key),
      scopes,
      expiresAt?.toISOString() ?? null,
      by,
      limits.apiKeysPerTenant,
    )
    const [made] = await this.#database.control.run(call)
    if (!made) return null
    // A node may have cached that this key does not exist.
    this.#signals.identityChanged()
    return made
  }

  /** A tenant sees only its own; null sees all. */
  async find(id: string, tenantId: number | null): Promise<ApiKey | null> {
    const [found] = await this.#database.control.run(findApiKey(id, tenantId))
    return found ?? null
  }

  list(filter: {
    readonly tenantId: number | null
    readonly systemOnly: boolean
    readonly after: string | null
    readonly limit: number
  }): Promise<ApiKey[]> {
    const { tenantId, systemOnly, after, limit } = filter
    return this.#database.control.run(listApiKeys(tenantId, systemOnly, after, limit))
  }

  /** Null when the key does not exist, or can no longer be used. */
  async rotate(
    id: string,
    tenantId: number | null,
    change: { overlapMs: number; expiresAt: Date | null; by: string | null },
  ): Promise<CreatedApiKey | null> {
    const key = makeApiKey(this.#random)
    const call = rotateApiKey(
      id,
      tenantId,
      prefixOfApiKey(key),
      hashOf(key),
      change.overlapMs,
      change.expiresAt?.toISOString() ?? null,
      change.by,
    )
    const [made] = await this.#database.control.run(call)
    this.#signals.identityChanged()
    return made ? { ...made, key } : null
  }

  /** False when the key was already revoked, or does not exist. */
  async revoke(id: string, tenantId: number | null, by: string | null): Promise<boolean> {
    const rows = await this.#database.control.run(revokeApiKey(id, tenantId, by))
    this.#signals.identityChanged()
    return rows.length > 0
  }
}

/** The stored form of a key, in hexadecimal. */
export function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('hex')
}
