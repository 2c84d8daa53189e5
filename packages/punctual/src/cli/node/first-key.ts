/**
 * The first API key of an installation, created by `punctual start`. With the embedded database the
 * key is written to `admin.key` in the data directory before it is stored, so that a crash in
 * between never leaves a stored key that nobody knows. With another database it is the key in
 * PUNCTUAL_ADMIN_KEY, which any number of nodes may ensure at the same time.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AuditWrite } from '@punctual/core/audit'
import { PunctualError } from '@punctual/core/errors'
import { makeApiKey, prefixOfApiKey } from '@punctual/core/identity'
import { type PostgresStore, systemRandom, writeFileAtomic } from '@punctual/store'

export interface FirstKey {
  /** The key if it was just created, to be shown once on a terminal; otherwise null. */
  readonly key: string | null
  /** The file that contains it. */
  readonly path: string | null
  /** Whether the installation has a key, or has had one. */
  readonly found: boolean
}

const VARIABLE = 'PUNCTUAL_ADMIN_KEY'

/** @param dataDir - Data directory of the embedded database; null with another database. */
export async function ensureFirstKey(
  store: PostgresStore,
  dataDir: string | null,
  env: NodeJS.ProcessEnv,
): Promise<FirstKey> {
  const { apiKeys } = store
  const ensure = (key: string, name: string) =>
    store.transaction(async () => {
      const values = { name, tenantId: null, scopes: ['system'], expiresAt: null } as const
      if (await apiKeys.ensure(key, { ...values, by: 'punctual start' }))
        await store.auditLog.append([madeBy(name)])
    })
  const given = givenKey(env)
  if (given !== null) {
    await ensure(given, VARIABLE)
    return { key: null, path: null, found: true }
  }
  if (dataDir === null) return { key: null, path: null, found: await apiKeys.hasSystemKey() }
  const path = join(dataDir, 'admin.key')
  const kept = await keptKey(path)
  if (kept !== null) {
    await ensure(kept, 'admin.key')
    return { key: null, path, found: true }
  }
  // The file is missing although a key exists: an operator removed it on purpose.
  if (await apiKeys.hasSystemKey()) return { key: null, path: null, found: true }
  const key = makeApiKey(systemRandom)
  await writeFileAtomic(path, `${key}\n`, 0o600)
  await ensure(key, 'admin.key')
  return { key, path, found: true }
}

function madeBy(name: string): AuditWrite {
  return {
    tenantId: null,
    actor: { kind: 'system', name: 'punctual start' },
    action: 'api_key.create',
    target: { kind: 'api_key', id: null, name },
    before: null,
    after: { scopes: ['system'] },
    note: null,
  }
}

function givenKey(env: NodeJS.ProcessEnv): string | null {
  const given = env[VARIABLE]?.trim()
  if (given === undefined || given === '') return null
  if (prefixOfApiKey(given) !== null) return given
  throw new PunctualError(
    'invalid_config',
    `${VARIABLE} must be a complete API key; got a malformed one. \`punctual api-keys generate\` prints a valid key.`,
    { field: VARIABLE },
  )
}

async function keptKey(path: string): Promise<string | null> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (text === null) return null
  if (prefixOfApiKey(text.trim()) !== null) return text.trim()
  throw new PunctualError(
    'invalid_config',
    `${path} must contain an API key; got something else. Restore the file, or remove it and create a key with \`punctual api-keys create\`.`,
    { field: path },
  )
}
