/** `punctual.secrets`: values that only handlers can read, encrypted at rest. */
import { checkName, refuseOption } from '@punctual/core/check'
import { limits } from '@punctual/core/errors'
import type { SecretInfo, SecretSet } from '@punctual/core/identity'
import type { PostgresStore } from '@punctual/store'
import type { ControlWrites, WriteScope } from '../audit/control-writes.ts'

/** The result of rotating the master key. */
export interface RotatedSecrets {
  /** Secrets that were re-encrypted with the first key. */
  readonly recrypted: number
  /** Secrets that no key of this process can decrypt; they were left unchanged. */
  readonly unreadable: number
}

/** Its messages never contain the value. */
function checkValue(value: unknown): string {
  const bytes = typeof value === 'string' ? Buffer.byteLength(value) : -1
  const expected = `a string of at least ${limits.secretLengthMin} characters and at most ${limits.secretBytes} bytes`
  if (typeof value !== 'string') return refuseOption('value', expected, typeof value)
  if (value.length < limits.secretLengthMin || bytes > limits.secretBytes)
    return refuseOption('value', expected, `${value.length} characters`)
  if (!value.isWellFormed()) return refuseOption('value', 'well-formed text', 'a lone surrogate')
  return value
}

/**
 * Secrets of one tenant. Programs write values here; handlers read them with `ctx.secret(name)`.
 */
export class Secrets {
  readonly #store: PostgresStore
  readonly #writes: ControlWrites
  readonly #tenantId: number

  /** @internal */
  constructor({ store, writes, tenantId }: WriteScope) {
    this.#store = store
    this.#writes = writes
    this.#tenantId = tenantId
  }

  /**
   * Stores a secret, or a new value of an existing one. Handlers receive it within seconds.
   * @param value - From 8 characters, the shortest that logs can redact reliably, to 64 KiB.
   * @throws `PunctualError` with `invalid_option`, and with `secrets_key_missing` when this process
   * has no master key.
   * @example
   * ```ts
   * await punctual.secrets.set('stripe-key', process.env.STRIPE_KEY ?? '')
   * ```
   */
  async set(name: string, value: string): Promise<SecretSet> {
    checkName('name', name)
    checkValue(value)
    const { actor } = this.#writes
    const by = `${actor.kind}:${actor.name ?? actor.id ?? 'unknown'}`.slice(0, 256)
    return this.#writes.record(this.#tenantId, async () => {
      const version = await this.#store.secrets.set(this.#tenantId, name, value, by)
      const before = version === 1 ? null : { version: version - 1 }
      const target = { kind: 'secret', id: null, name }
      const entry = { action: 'secret.set', target, before, after: { version } }
      return { result: { version }, entries: [entry] }
    })
  }

  /** Existing secrets by name, without their values; needs no master key. */
  list(): Promise<readonly SecretInfo[]> {
    return this.#store.secrets.list(this.#tenantId)
  }

  /**
   * Deletes a secret; false when there is none. Running processes may use the value for a few more
   * seconds.
   */
  async delete(name: string): Promise<boolean> {
    checkName('name', name)
    return this.#writes.record(this.#tenantId, async () => {
      const version = await this.#store.secrets.delete(this.#tenantId, name)
      const target = { kind: 'secret', id: null, name }
      const entry = { action: 'secret.delete', target, before: { version } }
      return { result: version !== null, entries: version === null ? [] : [entry] }
    })
  }
}

/** Secrets of the default tenant, and the master key for the secrets of all tenants. */
export class SecretsOfInstallation extends Secrets {
  readonly #options: WriteScope

  /** @internal */
  constructor(scope: WriteScope) {
    super(scope)
    this.#options = scope
  }

  /**
   * Re-encrypts the secrets of all tenants with the first master key. First give every process the
   * new key, listed before the old one; remove the old one when `unreadable` is 0.
   * @throws `PunctualError` with `secrets_key_missing`.
   */
  rotateKey(): Promise<RotatedSecrets> {
    const { writes, store } = this.#options
    return writes.record(null, async () => {
      const result = await store.secrets.rotate()
      const target = { kind: 'secrets_key', id: null, name: null }
      const entry = { action: 'secrets_key.rotate', target, after: result }
      return { result, entries: result.recrypted > 0 ? [entry] : [] }
    })
  }
}
