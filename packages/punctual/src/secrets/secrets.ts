/** `punctual.secrets`: values that handlers need and nobody else may see, encrypted at rest. */
import { checkName, refuseOption } from '@punctual/core/check'
import { limits } from '@punctual/core/errors'
import type { PostgresStore, SecretInfo } from '@punctual/store'
import type { ControlWrites } from '../audit/control-writes.ts'

/** What setting a secret came to. */
export interface SecretSet {
  /** 1 when it is new; counts up with every new value. */
  readonly version: number
}

/** What rotating the master key came to. */
export interface RotatedSecrets {
  /** Secrets that are encrypted with the first key now. */
  readonly recrypted: number
  /** Secrets that no key of this process can decrypt; they stay as they are. */
  readonly unreadable: number
}

/** Never shows what came. */
function checkValue(value: unknown): string {
  const bytes = typeof value === 'string' ? Buffer.byteLength(value) : -1
  const expected = `a text of at least ${limits.secretLengthMin} characters and at most ${limits.secretBytes} bytes`
  if (typeof value !== 'string') return refuseOption('value', expected, typeof value)
  if (value.length < limits.secretLengthMin || bytes > limits.secretBytes)
    return refuseOption('value', expected, `${value.length} characters`)
  if (!value.isWellFormed()) return refuseOption('value', 'well-formed text', 'a broken surrogate')
  return value
}

export interface SecretsParts {
  readonly store: PostgresStore
  readonly writes: ControlWrites
}

/** Secrets of one tenant. Values are written here, and read by handlers with `ctx.secret(name)`. */
export class Secrets {
  readonly #store: PostgresStore
  readonly #writes: ControlWrites
  readonly #tenantId: number

  /** @internal */
  constructor({ store, writes }: SecretsParts, tenantId: number) {
    this.#store = store
    this.#writes = writes
    this.#tenantId = tenantId
  }

  /**
   * Stores a secret, or a new value of one. Handlers get it within seconds.
   * @param value - 8 characters at least, so that it can be told from other text and redacted; up to 64 kB.
   * @throws `PunctualError` with `invalid_option`, and with `secrets_key_missing` when this process has no master key.
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

  /** What there is, by name; without values, and also without a master key. */
  list(): Promise<readonly SecretInfo[]> {
    return this.#store.secrets.list(this.#tenantId)
  }

  /** False when there is none. Handlers may have it for some more seconds. */
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

/** Secrets of the first tenant, and the master key of those of all. */
export class SecretsOfInstallation extends Secrets {
  readonly #options: SecretsParts

  /** @internal */
  constructor(parts: SecretsParts, tenantId: number) {
    super(parts, tenantId)
    this.#options = parts
  }

  /**
   * Encrypts the secrets of all tenants with the first master key that are encrypted with another one. Give all processes
   * the new key first, before the old one; the old one can go when nothing is left `unreadable`.
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
