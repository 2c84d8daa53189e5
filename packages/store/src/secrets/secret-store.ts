/**
 * Stores the secrets of tenants in PostgreSQL, which sees only ciphertext. Values cannot be listed:
 * they are read one at a time, by name.
 */
import { limits, PunctualError } from '@punctual/core/errors'
import type { SecretInfo } from '@punctual/core/identity'
import type { Row } from '../connection/channel.ts'
import type { Database } from '../connection/database.ts'
import type { Keyring, SealedSecret } from './keyring.ts'

const TRIES = 20
const PAGE = 100
const CACHE_MS = 5_000
const CACHE_MAX = 1_000

const hex = (text: string | null | undefined) => Buffer.from(text as string, 'hex')

function sealed([keyId, nonce, ciphertext]: Row): SealedSecret {
  return { keyId: keyId as string, nonce: hex(nonce), ciphertext: hex(ciphertext) }
}

export class SecretStore {
  readonly #database: Database
  readonly #keyring: Keyring
  readonly #cache = new Map<string, { readonly untilMs: number; readonly value: string }>()

  constructor(database: Database, keyring: Keyring) {
    this.#database = database
    this.#keyring = keyring
  }

  #run(path: string, values: (string | number | null)[]): Promise<Row[]> {
    return this.#database.control.query(this.#database.statement(`secrets/${path}`), values)
  }

  /** Stores a new value and returns its version. */
  async set(tenantId: number, name: string, value: string, by: string | null): Promise<number> {
    for (let tries = 0; tries < TRIES; tries++) {
      const [found] = await this.#run('find-secret', [tenantId, name])
      const before = Number(found?.[0] ?? 0)
      const version = before + 1
      const { keyId, nonce, ciphertext } = this.#keyring.encrypt({ tenantId, name, version }, value)
      const texts = [keyId, nonce.toString('hex'), ciphertext.toString('hex'), by]
      const [row] = await this.#run('set-secret', [tenantId, name, before, ...texts])
      this.#cache.delete(`${tenantId} ${name}`)
      if (row) return Number(row[0])
    }
    throw new PunctualError(
      'key_busy',
      `The secret ${JSON.stringify(name)} is being set by too many callers at once. Try again.`,
      { id: name },
    )
  }

  /** Digests of a text that holds a secret: see `Keyring.digests`. */
  digests(text: string): readonly string[] {
    return this.#keyring.digests(text)
  }

  async list(tenantId: number): Promise<SecretInfo[]> {
    const rows = await this.#run('list-secrets', [tenantId])
    return rows.map(([name, version, keyId, createdAt, createdBy, updatedAt, updatedBy]) => ({
      name: name as string,
      version: Number(version),
      keyId: keyId as string,
      createdAt: new Date(createdAt as string),
      createdBy: createdBy ?? null,
      updatedAt: new Date(updatedAt as string),
      updatedBy: updatedBy ?? null,
    }))
  }

  /** Deletes a secret and returns the version that it had; null when it does not exist. */
  async delete(tenantId: number, name: string): Promise<number | null> {
    const [row] = await this.#run('delete-secret', [tenantId, name])
    this.#cache.delete(`${tenantId} ${name}`)
    return row ? Number(row[0]) : null
  }

  /** Returns a value that is at most five seconds old. */
  async read(tenantId: number, name: string): Promise<string> {
    const key = `${tenantId} ${name}`
    const nowMs = this.#database.localClock.monotonicMs()
    const cached = this.#cache.get(key)
    if (cached && cached.untilMs > nowMs) return cached.value
    const [row] = await this.#run('find-secret', [tenantId, name])
    if (!row)
      throw new PunctualError(
        'secret_not_found',
        `There is no secret ${JSON.stringify(name.slice(0, limits.nameLength))}. Set it: punctual secrets set ${name.slice(0, limits.nameLength)}`,
        { id: name },
      )
    const [version, ...rest] = row
    const value = this.#keyring.decrypt({ tenantId, name, version: Number(version) }, sealed(rest))
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
    for (let after: [number, string] = [-1, '']; ; ) {
      const rows = await this.#run('list-outdated', [currentId, ...after, PAGE])
      for (const row of rows) done[(await this.#recrypt(row)) ? 'recrypted' : 'unreadable']++
      const [tenantId, name] = rows.at(-1) ?? []
      if (rows.length < PAGE) return done
      after = [Number(tenantId), name as string]
    }
  }

  async #recrypt([tenant, name, stored, ...rest]: Row): Promise<boolean> {
    const [tenantId, version] = [Number(tenant), Number(stored)]
    const identity = { tenantId, name: name as string, version }
    let value: string
    try {
      value = this.#keyring.decrypt(identity, sealed(rest))
    } catch {
      return false
    }
    const { keyId, nonce, ciphertext } = this.#keyring.encrypt(identity, value)
    await this.#run('recrypt-secret', [
      ...[tenantId, identity.name, version, keyId, nonce.toString('hex')],
      ...[ciphertext.toString('hex'), rest[0] as string],
    ])
    return true
  }
}
