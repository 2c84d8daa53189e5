/** Reads the master keys of this process from its options, a file or the environment. */
import { readFileSync } from 'node:fs'
import { PunctualError } from '@punctual/core/errors'
import { Keyring } from '@punctual/store'

const VARIABLE = 'PUNCTUAL_SECRETS_KEY'

export interface KeyringSource {
  readonly secretsKey?: string | readonly string[]
  readonly secretsKeyFile?: string
}

function readKeyFile(path: string): string[] {
  try {
    return readFileSync(path, 'utf8')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '' && !line.startsWith('#'))
  } catch (cause) {
    const message = `secretsKeyFile cannot be read: ${(cause as Error).message}`
    throw new PunctualError('invalid_config', message, { field: 'secretsKeyFile', cause })
  }
}

const listed = (keys: string) => keys.split(',').map((key) => key.trim())

/**
 * The first key encrypts, all decrypt. Without a key the keyring is empty: secrets can then only be
 * listed and deleted.
 */
export function readKeyring(source: KeyringSource, env: NodeJS.ProcessEnv): Keyring {
  const { secretsKey, secretsKeyFile } = source
  if (secretsKey !== undefined) {
    const keys = typeof secretsKey === 'string' ? listed(secretsKey) : secretsKey
    return new Keyring(keys.map(String), 'secretsKey')
  }
  if (secretsKeyFile !== undefined) {
    const keys = readKeyFile(secretsKeyFile)
    if (keys.length > 0) return new Keyring(keys, 'secretsKeyFile')
    const message = `secretsKeyFile must contain a key; ${secretsKeyFile} has none.`
    throw new PunctualError('invalid_config', message, { field: 'secretsKeyFile' })
  }
  const variable = env[VARIABLE]
  return variable ? new Keyring(listed(variable), VARIABLE) : new Keyring([])
}
