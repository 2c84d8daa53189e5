/**
 * The first key of an installation, made by `punctual start`. On the embedded database it is written to `admin.key` in the
 * data directory before it is stored: a crash in between never leaves a key that nobody knows. On another database it is
 * the one that PUNCTUAL_ADMIN_KEY names, which any number of nodes make sure of at once.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AuditWrite } from '@punctual/core/audit'
import { PunctualError } from '@punctual/core/errors'
import { makeApiKey, prefixOfApiKey } from '@punctual/core/identity'
import { type PostgresStore, systemRandom, writeFileAtomic } from '@punctual/store'

export interface FirstKey {
  /** The key, where it was made just now: to be shown this once. */
  readonly key: string | null
  /** Where it is kept. */
  readonly path: string | null
  /** The installation has a key, or has had one. */
  readonly found: boolean
}

const VARIABLE = 'PUNCTUAL_ADMIN_KEY'

/** @param dataDir - Of the embedded database; null on another one. */
export async function ensureFirstKey(
  store: PostgresStore,
  dataDir: string | null,
  env: NodeJS.ProcessEnv,
): Promise<FirstKey> {
  const { apiKeys } = store
  const ensure = (key: string, name: string) =>
    store.transaction(async () => {
      const about = { name, tenantId: null, scopes: ['system'], expiresAt: null } as const
      if (await apiKeys.ensure(key, { ...about, by: 'punctual start' }))
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
  // Whoever took the file away did so on purpose: there was a first key.
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
    `${VARIABLE} must be a whole API key; this one is malformed: it was cut, mistyped or invented. \`punctual api-keys generate\` prints one.`,
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
    `${path} does not hold an API key. Put it back as it was; or remove it, and make a key with \`punctual api-keys create\`.`,
    { field: path },
  )
}
