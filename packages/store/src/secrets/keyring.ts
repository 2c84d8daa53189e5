/**
 * The master keys that secrets are encrypted with: the first encrypts, all decrypt. AES-256-GCM with a random nonce; whose
 * secret it is, its name and its version are authenticated with it. A key never appears in an error, nor in a log.
 */
import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto'
import { PunctualError } from '@punctual/core/errors'

const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
const ALGORITHM = 'aes-256-gcm'

/** What a secret is authenticated as. */
export interface SecretIdentity {
  readonly tenantId: number
  readonly name: string
  readonly version: number
}

/** A secret as it is stored. */
export interface SealedSecret {
  readonly keyId: string
  readonly nonce: Buffer
  /** With the tag at its end. */
  readonly ciphertext: Buffer
}

interface MasterKey {
  readonly id: string
  readonly key: Buffer
  /** Made of the key, for digests: none is used for two things. */
  readonly digestKey: Buffer
}

function masterKey(text: string, where: string): MasterKey {
  const key = Buffer.from(text, 'base64')
  if (key.length !== KEY_BYTES || !/^[A-Za-z0-9+/_-]{43}=?$/.test(text))
    throw new PunctualError(
      'invalid_config',
      `${where} must be the base64 of ${KEY_BYTES} random bytes, as \`openssl rand -base64 32\` makes them; got something else, which is not shown.`,
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

  /** `where` says where they came from, for people. */
  constructor(keys: readonly string[], where = 'PUNCTUAL_SECRETS_KEY') {
    this.#keys = keys.map((key) => masterKey(key, where))
  }

  /** Whether there is any key. */
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
      'There is no master key for secrets in this process. Set PUNCTUAL_SECRETS_KEY, or --secrets-key-file, to the key that the others have; what is stored stays as it is.',
    )
  }

  /**
   * Digests of a text, in hexadecimal, which nobody can compare guesses with who has no master key: one for each key, that
   * of the key that encrypts first.
   */
  digests(text: string): readonly string[] {
    const keys = [this.#current, ...this.#keys.slice(1)]
    return keys.map((key) => createHmac('sha256', key.digestKey).update(text).digest('hex'))
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
        `The secret ${JSON.stringify(identity.name)} is encrypted with the master key ${keyId}, which this process does not have; it has ${this.#keys.map(({ id }) => id).join(', ') || current.id}. Add that key behind the first; what is stored stays as it is.`,
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
        `The secret ${JSON.stringify(identity.name)} is not what was stored under this name: its row was altered, or copied from elsewhere. Set it again.`,
        { id: identity.name, cause },
      )
    }
  }
}
