/**
 * Stores the secrets of tenants in PostgreSQL, which sees only ciphertext. Values cannot be listed:
 * they are read one at a time, by name.
 */
import { limits, PunctualError } from '@punctual/core/errors'
import type { SecretInfo } from '@punctual/core/identity'
import type { Database } from '../connection/database.ts'
import type { Keyring, SealedSecret } from './keyring.ts'
import {
  deleteSecret,
  findSecret,
  type ListOutdatedRow,
  listOutdated,
  listSecrets,
  recryptSecret,
  setSecret,
} from './statements.gen.ts'

const TRIES = 20
const PAGE = 100
const CACHE_MS = 5_000
const CACHE_MAX = 1_000

/** As it is stored: the bytes in hexadecimal. */
interface StoredSecret {
  readonly keyId: string
  readonly nonce: string
  readonly ciphertext: string
}

const hex = (text: string) => Buffer.from(text, 'hex')

function sealed({ keyId, nonce, ciphertext }: StoredSecret): SealedSecret {
  return { keyId, nonce: hex(nonce), ciphertext: hex(ciphertext) }
}

function stored({ keyId, nonce, ciphertext }: SealedSecret): StoredSecret {
  return { keyId, nonce: nonce.toString('hex'), ciphertext: ciphertext.toString('hex') }
}

export class SecretStore {
  readonly #database: Database
  readonly #keyring: Keyring
  readonly #cache = new Map<string, { readonly untilMs: number; readonly value: string }>()

  constructor(database: Database, keyring: Keyring) {
    this.#database = database
    this.#keyring = keyring
  }

  /** Stores a new value and returns its version. */
  async set(tenantId: number, name: string, value: string, by: string | null): Promise<number> {
    for (let tries = 0; tries < TRIES; tries++) {
      const [found] = await this.#database.control.run(findSecret(tenantId, name))
      const before = found?.version ?? 0
      const identity = { tenantId, name, version: before + 1 }
      const { keyId, nonce, ciphertext } = stored(this.#keyring.encrypt(identity, value))
      const limit = limits.secretsPerTenant
      const call = setSecret(tenantId, name, before, keyId, nonce, ciphertext, by, limit)
      const [row] = await this.#database.control.run(call)
      this.#cache.delete(`${tenantId} ${name}`)
      if (row) return row.version
      if (before === 0) await this.#checkCount(tenantId, name)
    }
    throw new PunctualError(
      'key_busy',
      `The secret ${JSON.stringify(name)} is being set by too many callers at once. Try again.`,
      { id: name },
    )
  }

  /** Refuses a new secret of a tenant that has as many as it may have. */
  async #checkCount(tenantId: number, name: string): Promise<void> {
    const limit = limits.secretsPerTenant
    const secrets = await this.list(tenantId)
    if (secrets.length < limit || secrets.some((secret) => secret.name === name)) return
    throw new PunctualError(
      'quota_exceeded',
      `This tenant already has ${limit} secrets, the limit. Delete one that no handler reads.`,
      { quota: { name: 'secrets', limit, used: secrets.length } },
    )
  }

  /** Digests of a text that holds a secret: see `Keyring.digests`. */
  digests(text: string): readonly [string, ...string[]] {
    return this.#keyring.digests(text)
  }

  list(tenantId: number): Promise<SecretInfo[]> {
    return this.#database.control.run(listSecrets(tenantId))
  }

  /** Deletes a secret and returns the version that it had; null when it does not exist. */
  async delete(tenantId: number, name: string): Promise<number | null> {
    const [row] = await this.#database.control.run(deleteSecret(tenantId, name))
    this.#cache.delete(`${tenantId} ${name}`)
    return row?.version ?? null
  }

  /** Returns a value that is at most five seconds old. */
  async read(tenantId: number, name: string): Promise<string> {
    const key = `${tenantId} ${name}`
    const nowMs = this.#database.localClock.monotonicMs()
    const cached = this.#cache.get(key)
    if (cached && cached.untilMs > nowMs) return cached.value
    const [row] = await this.#database.control.run(findSecret(tenantId, name))
    if (!row)
      throw new PunctualError(
        'secret_not_found',
        `There is no secret ${JSON.stringify(name.slice(0, limits.nameLength))}. Set it: punctual secrets set ${name.slice(0, limits.nameLength)}`,
        { id: name },
      )
    const value = this.#keyring.decrypt({ tenantId, name, version: row.version }, sealed(row))
    if (this.#cache.size >= CACHE_MAX) this.#cache.clear()
    this.#cache.set(key, { untilMs: nowMs + CACHE_MS, value })
    return value
  }

  /**
   * Encrypts with the first master key every secret, of all tenants, that uses another one; returns
   * how many it re-encrypted and how many it could not read. It may be stopped and started again.
   */
  async rotate(): Promise<{ recrypted: number; unreadable: number }> {
    const { currentId } = this.#keyring
    const done = { recrypted: 0, unreadable: 0 }
    for (let after: Pick<ListOutdatedRow, 'tenantId' | 'name'> = { tenantId: -1, name: '' }; ; ) {
      const call = listOutdated(currentId, after.tenantId, after.name, PAGE)
      const rows = await this.#database.control.run(call)
      for (const row of rows) done[(await this.#recrypt(row)) ? 'recrypted' : 'unreadable']++
      const last = rows.at(-1)
      if (rows.length < PAGE || !last) return done
      after = last
    }
  }

  async #recrypt({ tenantId, name, version, ...before }: ListOutdatedRow): Promise<boolean> {
    const identity = { tenantId, name, version }
    let value: string
    try {
      value = this.#keyring.decrypt(identity, sealed(before))
    } catch {
      return false
    }
    const { keyId, nonce, ciphertext } = stored(this.#keyring.encrypt(identity, value))
    await this.#database.control.run(
      recryptSecret(tenantId, name, version, keyId, nonce, ciphertext, before.keyId),
    )
    return true
  }
}
