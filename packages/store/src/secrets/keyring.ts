/**
 * The master keys of secrets: the first encrypts, all decrypt. AES-256-GCM with a random nonce; the
 * secret's tenant, name and version are authenticated with it, so that a ciphertext decrypts in its
 * own row only; a whole old row still decrypts. No key appears in an error or a log.
 */
import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto'
import { PunctualError } from '@punctual/core/errors'

const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
const ALGORITHM = 'aes-256-gcm'

/** The identity that a secret is authenticated with. */
export interface SecretIdentity {
  readonly tenantId: number
  readonly name: string
  readonly version: number
}

/** A secret in its stored form. */
export interface SealedSecret {
  readonly keyId: string
  readonly nonce: Buffer
  /** Ends with the authentication tag. */
  readonly ciphertext: Buffer
}

interface MasterKey {
  readonly id: string
  readonly key: Buffer
  /** Derived from the key, for digests: no key serves two purposes. */
  readonly digestKey: Buffer
}

function masterKey(text: string, where: string): MasterKey {
  const key = Buffer.from(text, 'base64')
  if (key.length !== KEY_BYTES || !/^[A-Za-z0-9+/_-]{43}=?$/.test(text))
    throw new PunctualError(
      'invalid_config',
      `${where} must be ${KEY_BYTES} random bytes in base64, as \`openssl rand -base64 32\` makes them; got another value (not shown).`,
      { field: where },
    )
  const id = createHash('sha256').update('punctual secrets key ').update(key).digest('hex')
  const digestKey = createHmac('sha256', key).update('punctual digest key').digest()
  return { id: id.slice(0, 16), key, digestKey }
}

function identityBytes({ tenantId, name, version }: SecretIdentity): Buffer {
  return Buffer.from(JSON.stringify(['punctual secret', tenantId, name, version]))
}

export class Keyring {
  readonly #keys: readonly MasterKey[]

  /** `where` names the source of the keys in errors. */
  constructor(keys: readonly string[], where = 'PUNCTUAL_SECRETS_KEY') {
    this.#keys = keys.map((key) => masterKey(key, where))
  }

  /** Whether there is no key. */
  get empty(): boolean {
    return this.#keys.length === 0
  }

  /** The id of the key that encrypts. */
  get currentId(): string {
    return this.#current.id
  }

  get #current(): MasterKey {
    const [key] = this.#keys
    if (key) return key
    throw new PunctualError(
      'secrets_key_missing',
      'This process has no master key for secrets. Set PUNCTUAL_SECRETS_KEY or --secrets-key-file to the key of the other processes; stored secrets stay unchanged.',
    )
  }

  /**
   * Digests of a text, in hexadecimal, that only a holder of a master key can compare with guesses:
   * one for each key, starting with the one that encrypts.
   */
  digests(text: string): readonly [string, ...string[]] {
    const digest = (key: MasterKey) =>
      createHmac('sha256', key.digestKey).update(text).digest('hex')
    return [digest(this.#current), ...this.#keys.slice(1).map(digest)]
  }

  encrypt(identity: SecretIdentity, value: string): SealedSecret {
    const { id, key } = this.#current
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
    cipher.setAAD(identityBytes(identity))
    const text = Buffer.concat([cipher.update(value, 'utf8'), cipher.final()])
    return { keyId: id, nonce, ciphertext: Buffer.concat([text, cipher.getAuthTag()]) }
  }

  decrypt(identity: SecretIdentity, { keyId, nonce, ciphertext }: SealedSecret): string {
    const current = this.#current
    const { key } = this.#keys.find(({ id }) => id === keyId) ?? {}
    if (!key)
      throw new PunctualError(
        'secret_unreadable',
        `The secret ${JSON.stringify(identity.name)} is encrypted with the master key ${keyId}, which this process does not have; it has ${this.#keys.map(({ id }) => id).join(', ') || current.id}. Add that key after the first; stored secrets stay unchanged.`,
        { id: identity.name },
      )
    try {
      const end = ciphertext.length - TAG_BYTES
      const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
      decipher.setAAD(identityBytes(identity))
      decipher.setAuthTag(ciphertext.subarray(end))
      const text = [decipher.update(ciphertext.subarray(0, end)), decipher.final()]
      return Buffer.concat(text).toString('utf8')
    } catch (cause) {
      throw new PunctualError(
        'secret_unreadable',
        `The secret ${JSON.stringify(identity.name)} is not the one stored under this name: its row was altered or copied from elsewhere. Set it again.`,
        { id: identity.name, cause },
      )
    }
  }
}
