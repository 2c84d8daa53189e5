/** Tenants and keys on the command line, and the first key of an installation. */
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeApiKey, prefixOfApiKey } from '@punctual/core/identity'
import { systemRandom } from '@punctual/store'
import { createTestDatabase, migratedDatabase } from '@punctual/testkit'
import { Punctual } from 'punctual'
import { expect, onTestFinished, test } from 'vitest'
import { ensureFirstKey } from '../../src/cli/node/first-key.ts'
import { aTemporaryFolder, both, CliProcess, cli } from '../kit/cli-process.ts'

const patience = { timeout: 120_000 }

async function aDatabase(): Promise<Record<string, string>> {
  const database = await migratedDatabase()
  onTestFinished(() => database.drop())
  return { DATABASE_URL: database.url }
}

async function stop(node: CliProcess): Promise<string> {
  node.signal('SIGINT')
  return (await node.exited).stdout
}

test('tenants are created, shown, changed, suspended and resumed', patience, async () => {
  const env = await aDatabase()
  const run = (...args: string[]) => cli(['tenants', ...args, '--json'], { env })
  const created = await run('create', 'acme', '--note', 'the shop', '--quota', 'jobs=3')
  expect(JSON.parse(created.stdout)).toMatchObject({ name: 'acme', id: 2, quotas: { jobs: 3 } })
  const changes = ['--quota', 'jobs=none', 'timeoutMs=1h', 'executors=http,handler']
  const changed = await run('update', 'acme', '--note', '', ...changes)
  const quotas = { timeoutMs: 3_600_000, executors: ['handler', 'http'] }
  expect(JSON.parse(changed.stdout)).toMatchObject({ note: null, quotas })

  const { table, value } = await both(['tenants'], { env })
  expect(value).toMatchObject([{ name: 'acme', suspendedAt: null }, { name: 'default' }])
  expect(table.stdout).toMatch(/2 +acme +active +- +executors=handler,http, timeoutMs=1 h/)

  const refused = await Promise.all([
    cli(['tenants', 'create', 'acme'], { env }),
    cli(['tenants', 'show', 'nobody'], { env }),
    cli(['tenants', 'update', 'acme', '--quota', 'jbos=1'], { env }),
  ])
  expect(refused.map(({ code, stderr }) => [code, stderr])).toEqual([
    [1, expect.stringMatching(/^error\[tenant_exists\]/)],
    [4, expect.stringMatching(/tenant_not_found.*\n.*tenants list/)],
    [2, expect.stringContaining('quotas.jbos')],
  ])

  const suspended = await cli(['tenants', 'suspend', 'acme', '--note', 'unpaid'], { env })
  expect(suspended.stdout).toMatch(/state +suspended\n.*\n?.*reason +unpaid/)
  const resumed = await run('resume', 'acme')
  expect(JSON.parse(resumed.stdout)).toMatchObject({ suspendedAt: null, suspendedNote: null })
  const [usage, exported, unsure] = await Promise.all([
    cli(['tenants', 'usage', 'acme', '--from', '-1d'], { env }),
    cli(['tenants', 'export', 'acme'], { env }),
    cli(['tenants', 'erase', 'acme', '--confirm', 'amce'], { env }),
  ])
  expect(usage.stdout).toMatch(/DAY +RUNS.*\n\d{4}-\d\d-\d\d +0/)
  expect(JSON.parse(exported.stdout)).toMatchObject({ type: 'tenant', name: 'acme' })
  expect([unsure.code, unsure.stderr]).toEqual([2, expect.stringContaining('the name acme')])
  const erased = await run('erase', 'acme', '--confirm', 'acme')
  expect(JSON.parse(erased.stdout)).toMatchObject({ id: 2, name: 'acme' })
})

test('keys are created, listed without their secret, rotated and revoked', patience, async () => {
  const env = await aDatabase()
  const created = await cli(
    ['api-keys', 'create', 'ci', '--tenant', 'default', '--scopes', 'read,submit'],
    { env },
  )
  const key = created.stdout.trim()
  expect(prefixOfApiKey(key)).not.toBeNull()
  const { table, value } = await both(['api-keys', 'list', '--tenant', 'default'], { env })
  expect(value).toMatchObject([{ name: 'ci', scopes: ['read', 'submit'], revokedAt: null }])
  expect(table.stdout + JSON.stringify(value)).not.toContain(key.slice(22, -7))
  const [{ id }] = value
  const next = await cli(['api-keys', 'rotate', id, '--overlap', '1h', '--json'], { env })
  const rotated = JSON.parse(next.stdout)
  expect(rotated).toMatchObject({ name: 'ci', key: expect.stringMatching(/^punctual_/) })
  const punctual = await Punctual.start({ databaseUrl: env.DATABASE_URL ?? '', roles: [] })
  onTestFinished(() => punctual.stop())
  for (const accepted of [key, rotated.key])
    expect(await punctual.authenticate(accepted, 'submit')).toMatchObject({ tenantName: 'default' })
  const revoked = await cli(['api-keys', 'revoke', rotated.id, '--json'], { env })
  expect(JSON.parse(revoked.stdout).revokedBy).toMatch(/^cli:/)
  const gone = await cli(['api-keys', 'rotate', rotated.id], { env })
  expect([gone.code, gone.stderr]).toEqual([1, expect.stringMatching(/api_key_inactive/)])
  const none = await cli(['api-keys', 'create', 'x', '--scopes', 'read'], { env })
  expect([none.code, none.stderr]).toEqual([2, expect.stringMatching(/name the tenant/)])
})

test(
  'the first embedded start stores a key readable by its owner only, and logs its path only',
  patience,
  async () => {
    const cwd = aTemporaryFolder()
    const path = join(cwd, '.punctual', 'admin.key')
    const first = new CliProcess(['start', '--port', '0', '--roles', 'api'], { cwd })
    await first.saw(/"path":"[^"]*admin\.key"[^\n]*created the first API key/)
    const key = readFileSync(path, 'utf8').trim()
    expect(prefixOfApiKey(key)).not.toBeNull()
    if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600)

    const { value } = await both(['api-keys', 'list'], { cwd })
    expect(value).toMatchObject([{ name: 'admin.key', prefix: key.slice(0, 21) }])
    await stop(first)
    expect(first.output).not.toContain(key)
  },
)

test(
  'readable lines that are not for a terminal do not show the key either',
  patience,
  async () => {
    const cwd = aTemporaryFolder()
    const args = ['start', '--port', '0', '--log-format', 'pretty', '--roles', 'api']
    const node = new CliProcess(args, { cwd })
    await node.saw(/created the first API key/)
    const key = readFileSync(join(cwd, '.punctual', 'admin.key'), 'utf8').trim()
    await stop(node)
    expect(node.output).not.toContain(key)
  },
)

// skips: `script` of util-linux gives a program a terminal; other systems have another one
test.skipIf(process.platform !== 'linux')(
  'a terminal shows the first key once',
  patience,
  async () => {
    const cwd = aTemporaryFolder()
    const start = async () => {
      const args = ['start', '--port', '0', '--roles', 'api']
      const node = new CliProcess(args, { cwd, terminal: true, env: { NO_COLOR: '1' } })
      await node.saw(/Ctrl-C/)
      return stop(node)
    }
    const shown = await start()
    const [, key = ''] = /API key +(punctual_\w+)/.exec(shown) ?? []
    expect(readFileSync(join(cwd, '.punctual', 'admin.key'), 'utf8').trim()).toBe(key)
    expect(await start()).not.toContain(key)
  },
)

test('later starts create no other key, even without the file, and restore the key of the file', async () => {
  const { DATABASE_URL: databaseUrl = '' } = await aDatabase()
  const punctual = await Punctual.start({ databaseUrl, roles: [] })
  onTestFinished(() => punctual.stop())
  const folder = aTemporaryFolder()
  const ensure = () => ensureFirstKey(punctual.store, folder, {})
  const { key, path } = await ensure()
  expect(await ensure(), 'the key is shown once').toEqual({ key: null, path, found: true })
  // The state after a crash between writing the file and storing the key.
  await punctual.store.database.control.query({ name: '', text: 'delete from punctual.api_keys' })
  await ensure()
  expect(await punctual.authenticate(key as string, 'system')).toMatchObject({ tenantId: null })
  rmSync(path as string)
  expect(await ensure()).toEqual({ key: null, path: null, found: true })
  expect(existsSync(path as string)).toBe(false)
  writeFileSync(path as string, 'nonsense')
  await expect(ensure()).rejects.toMatchObject({ code: 'invalid_config' })
})

test(
  'three nodes that start together with PUNCTUAL_ADMIN_KEY create one key',
  patience,
  async () => {
    const database = await createTestDatabase()
    onTestFinished(() => database.drop())
    const key = makeApiKey(systemRandom)
    const env = { DATABASE_URL: database.url, PUNCTUAL_ADMIN_KEY: key }
    const nodes = Array.from(
      { length: 3 },
      () =>
        new CliProcess(['start', '--port', '0', '--log-format', 'json', '--roles', 'api'], { env }),
    )
    const outputs = await Promise.all(
      nodes.map(async (node) => {
        await node.saw(/"started"/)
        return stop(node)
      }),
    )
    for (const output of outputs) expect(output).not.toContain(key)
    const { value } = await both(['api-keys', 'list'], { env })
    expect(value).toMatchObject([{ prefix: key.slice(0, 21), tenantId: null, scopes: ['system'] }])
    const punctual = await Punctual.start({ databaseUrl: database.url, roles: [] })
    onTestFinished(() => punctual.stop())
    expect(await punctual.authenticate(key, 'system')).toMatchObject({ tenantId: null })
  },
)

test('a truncated PUNCTUAL_ADMIN_KEY is refused, and not shown', patience, async () => {
  const generated = await cli(['api-keys', 'generate'])
  const key = generated.stdout.trim()
  expect(prefixOfApiKey(key)).not.toBeNull()
  const env = { ...(await aDatabase()), PUNCTUAL_ADMIN_KEY: key.slice(0, -1) }
  const { code, stderr, stdout } = await cli(['start', '--port', '0'], { env })
  expect([code, stderr]).toEqual([2, expect.stringMatching(/error\[invalid_config\].*malformed/)])
  expect(stderr + stdout).not.toContain(key.slice(0, -1))
})
