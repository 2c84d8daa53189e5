/**
 * Keys as they are stored: by a hash, never as they are. A key that is made is returned once, by the call that makes it.
 * Whoever remembers keys is told of every change.
 */
import { createHash } from 'node:crypto'
import type { Random } from '@punctual/core/clock'
import { limits, PunctualError } from '@punctual/core/errors'
import { type ApiKey, makeApiKey, prefixOfApiKey, type Scope } from '@punctual/core/identity'
import type { Row, Value } from '../connection/channel.ts'
import type { Database } from '../connection/database.ts'
import type { Signals } from '../connection/signals.ts'

/** What a key is made with. */
export interface NewApiKey {
  readonly name: string
  /** Null for a key of the whole installation. */
  readonly tenantId: number | null
  readonly scopes: readonly Scope[]
  readonly expiresAt: Date | null
  readonly by: string | null
}

/** A key that was just made: the only time that it is seen. */
export interface CreatedApiKey extends ApiKey {
  /** The key itself. It is stored nowhere: keep it, or make another one. */
  readonly key: string
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
      `There are ${limits.apiKeysPerTenant} keys already, which is the limit, those that are revoked included.`,
      { quota: { name: 'apiKeys', limit: limits.apiKeysPerTenant, used: limits.apiKeysPerTenant } },
    )
  }

  /**
   * Makes sure that there is this key, which somebody else has made up. False when it was there; also when it was revoked
   * since, which stays so.
   */
  async ensure(key: string, options: NewApiKey): Promise<boolean> {
    const made = await this.#insert(key, options)
    if (made) return true
    const prefix = prefixOfApiKey(key)
    const [row] = await this.#query('recognise-api-key', [prefix])
    if (row?.[2] === hashOf(key)) return false
    throw new PunctualError(
      'invalid_config',
      `Another key has the public part ${prefix}. Make up another key; nobody must choose parts of one.`,
    )
  }

  /** Whether the installation has a key of its own, or ever had one. */
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
    // A node may remember that there is no such key.
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

  /** Null when it is not there, or cannot be used any more. */
  async rotate(
    id: string,
    tenantId: number | null,
    about: { overlapMs: number; expiresAt: Date | null; by: string | null },
  ): Promise<CreatedApiKey | null> {
    const key = makeApiKey(this.#random)
    const values = [
      ...[id, tenantId, prefixOfApiKey(key), hashOf(key), about.overlapMs],
      ...[about.expiresAt?.toISOString() ?? null, about.by],
    ]
    const [row] = await this.#query('rotate-api-key', values)
    this.#signals.identityChanged()
    return row ? { ...apiKeyFrom(row), key } : null
  }

  /** False when it was revoked before, or is not there. */
  async revoke(id: string, tenantId: number | null, by: string | null): Promise<boolean> {
    const rows = await this.#query('revoke-api-key', [id, tenantId, by])
    this.#signals.identityChanged()
    return rows.length > 0
  }

  #query(name: string, values: readonly Value[]): Promise<Row[]> {
    return this.#database.control.query(this.#database.statement(`api-keys/${name}`), values)
  }
}

/** As it is stored, in hexadecimal. */
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
