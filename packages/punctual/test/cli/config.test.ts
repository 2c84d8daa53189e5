import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PunctualError } from '@punctual/core/errors'
import { describe, expect, test } from 'vitest'
import { libraryOptions } from '../../src/config/library-options.ts'
import { type ConfigInputs, resolveConfig } from '../../src/config/resolve-config.ts'
import { showUrl } from '../../src/config/show-secret.ts'
import { aTemporaryFolder, cli } from '../kit/cli-process.ts'

function aFolder(file?: unknown): string {
  const folder = aTemporaryFolder()
  const text = typeof file === 'string' ? file : JSON.stringify(file)
  if (file !== undefined) writeFileSync(join(folder, 'punctual.config.json'), text)
  return folder
}

function resolve(inputs: Partial<ConfigInputs> & { file?: unknown } = {}) {
  const { file, ...rest } = inputs
  return resolveConfig({ flags: {}, env: {}, cwd: aFolder(file), ...rest })
}

function refusal(inputs: Parameters<typeof resolve>[0]): PunctualError {
  try {
    resolve(inputs)
  } catch (error) {
    return error as PunctualError
  }
  throw new Error('nothing was refused')
}

describe('precedence', () => {
  const file = { port: 1001, host: 'file', concurrency: 11 }
  const env = { PUNCTUAL_PORT: '1002', PUNCTUAL_HOST: 'env' }

  test('a flag wins over a variable, a variable over the file, the file over the default', () => {
    const { config, sources } = resolve({ file, env, flags: { port: '1003' } })
    expect(config).toMatchObject({ port: 1003, host: 'env', concurrency: 11, leaseMs: 30_000 })
    expect(sources.port).toEqual({ origin: 'flag', from: '--port' })
    expect(sources.host).toEqual({ origin: 'environment', from: 'PUNCTUAL_HOST' })
    expect(sources.concurrency).toEqual({
      origin: 'file',
      from: '"concurrency" in punctual.config.json',
    })
    expect(sources.leaseMs).toEqual({ origin: 'default', from: null })
  })

  test('an empty variable counts as unset', () => {
    expect(resolve({ file, env: { PUNCTUAL_PORT: '' } }).config.port).toBe(1001)
  })

  test('a file named by a flag or a variable must exist', () => {
    const cwd = aFolder()
    writeFileSync(join(cwd, 'other.json'), '{"port":1004}')
    expect(resolve({ cwd, configPath: 'other.json' }).config.port).toBe(1004)
    expect(resolve({ cwd, env: { PUNCTUAL_CONFIG: 'other.json' } }).file).toBe('other.json')
    expect(refusal({ cwd, configPath: 'none.json' }).message).toContain('none.json does not exist')
  })
})

describe('bad values', () => {
  test.for([
    [{ flags: { port: '70000' } }, '--port must be an integer from 0 to 65535; got "70000"'],
    [{ flags: { port: '-1' } }, '--port must be'],
    [{ env: { PUNCTUAL_ROLES: 'api,cook' } }, 'PUNCTUAL_ROLES must be one or more of api, planner'],
    [{ env: { PUNCTUAL_EMBEDDED: 'maybe' } }, 'PUNCTUAL_EMBEDDED must be true or false'],
    [{ env: { PUNCTUAL_LEASE_MS: '1e4' } }, 'PUNCTUAL_LEASE_MS must be an integer'],
    [{ env: { PUNCTUAL_QUEUES: 'a,,b' } }, 'PUNCTUAL_QUEUES must be names of queues'],
    [{ env: { PUNCTUAL_QUEUES: 'a=0' } }, 'PUNCTUAL_QUEUES must be names of queues'],
    [{ env: { PUNCTUAL_WORKER_LABELS: 'a' } }, 'PUNCTUAL_WORKER_LABELS must be name=value pairs'],
    [{ file: { schema: 'No' } }, '"schema" in punctual.config.json must be a lower-case name'],
    [{ file: { port: '80' } }, '"port" in punctual.config.json must be an integer'],
    [{ file: { queues: { a: 'b' } } }, '"queues" in punctual.config.json must be'],
    [{ env: { PUNCTUAL_TRUST_PROXY: 'true' } }, 'PUNCTUAL_TRUST_PROXY must be the number of pro'],
    [{ file: { trustProxy: true } }, 'or false; true would trust every client; got "true"'],
    [{ flags: { trustProxy: '11' } }, '--trust-proxy must be the number of proxies'],
    [{ flags: { trustProxy: '10.0.0.0/33' } }, '--trust-proxy must be the number of proxies'],
    [{ flags: { trustProxy: '0.0.0.0/0' } }, '--trust-proxy must be the number of proxies'],
    [{ flags: { trustProxy: 'proxy.example' } }, '--trust-proxy must be the number of proxies'],
    [{ env: { PUNCTUAL_METRICS_TOKEN: 'short' } }, 'a token of 32 or more'],
    [{ file: { ports: 80 } }, 'contains "ports", which is not a setting. Known: databaseUrl'],
    [{ file: '{' }, 'punctual.config.json is not JSON'],
    [{ file: '[]' }, 'must contain one JSON object'],
  ] as const)('refuses %j and names the setting', ([inputs, message]) => {
    const error = refusal(inputs)
    expect(error).toBeInstanceOf(PunctualError)
    expect([error.code, error.message]).toEqual([
      'invalid_config',
      expect.stringContaining(message),
    ])
  })

  test('a refused token is not shown', () => {
    const { message } = refusal({ flags: { metricsToken: 'hunter2' } })
    expect(message).toMatch(/^--metrics-token must be .*; got \*\*\* \(not shown\)\.$/)
  })

  test('a refused URL does not show its password', () => {
    const { message } = refusal({ env: { DATABASE_URL: 'mysql://u:hunter2@h/db' } })
    expect(message).toContain('DATABASE_URL must be postgres://')
    expect(message).not.toContain('hunter2')
  })
})

describe('readers', () => {
  test('reads queues and labels from strings and from JSON', () => {
    const env = { PUNCTUAL_QUEUES: 'emails, reports=5', PUNCTUAL_WORKER_LABELS: 'zone=a,path=b=c' }
    const { config } = resolve({ env })
    expect(config.queues).toEqual({ emails: null, reports: 5 })
    expect(config.workerLabels).toEqual({ zone: 'a', path: 'b=c' })
    expect(resolve({ file: { queues: ['emails'] } }).config.queues).toEqual({ emails: null })
    expect(resolve({ file: { queues: { a: 5, b: null } } }).config.queues).toEqual({
      a: 5,
      b: null,
    })
  })

  test.for([
    ['false', false, false],
    ['0', 0, false],
    ['2', 2, 2],
    ['10.0.0.1', '10.0.0.1', ['10.0.0.1']],
    ['10.0.0.0/8, fd00::/8', ['10.0.0.0/8', 'fd00::/8'], ['10.0.0.0/8', 'fd00::/8']],
  ] as const)('reads trusted proxies from %s and from JSON', ([text, trustProxy, expected]) => {
    expect(resolve({ flags: { trustProxy: text } }).config.trustProxy).toEqual(expected)
    expect(resolve({ file: { trustProxy } }).config.trustProxy).toEqual(expected)
  })

  test('a configuration becomes the options of the library', () => {
    const env = { PUNCTUAL_QUEUES: 'a,b=2', PUNCTUAL_PREPARED_STATEMENTS: 'off' }
    expect(libraryOptions(resolve({ env }).config, ['worker'])).toMatchObject({
      roles: ['worker'],
      preparedStatements: false,
      worker: { concurrency: 50, queues: { a: {}, b: { concurrency: 2 } } },
    })
    expect(libraryOptions(resolve().config, [])).not.toHaveProperty('databaseUrl')
  })
})

describe('a database URL', () => {
  test.for([
    ['postgres://u:hunter2@h:5432/db', 'postgres://u:***@h:5432/db'],
    ['postgres://u@h1,h2/db', 'postgres://u@h1,h2/db'],
    [
      'postgres://h/db?password=hunter2&sslmode=require',
      'postgres://h/db?password=***&sslmode=require',
    ],
  ] as const)('%s is shown as %s', ([url, shown]) => {
    expect(showUrl(url)).toBe(shown)
  })

  test.for(['postgres://u:hun@ter2@h/db', 'u:hunter2@h', 'postgres//u:hunter2@h'])(
    'hides %s completely',
    (url) => {
      expect(showUrl(url)).not.toMatch(/hun|ter2/)
    },
  )
})

describe('config show', () => {
  const url = 'postgres://ann:hunter2@db:5432/app'

  test('shows each value and its source, without passwords', async () => {
    const cwd = aFolder({ host: '0.0.0.0' })
    const env = { DATABASE_URL: url, PUNCTUAL_CONCURRENCY: '7' }
    const args = ['config', 'show', '--port', '8080', '--no-migrate']
    const [table, json] = await Promise.all([
      cli(args, { cwd, env }),
      cli([...args, '--json'], { cwd, env }),
    ])
    expect([table.code, json.code]).toEqual([0, 0])
    expect(table.stdout + json.stdout).not.toContain('hunter2')
    expect(table.stdout).toMatch(
      /databaseUrl +postgres:\/\/ann:\*\*\*@db:5432\/app +environment DATABASE_URL/,
    )
    expect(table.stdout).toMatch(/port +8080 +flag --port/)
    expect(JSON.parse(json.stdout)).toMatchObject({
      file: 'punctual.config.json',
      settings: {
        host: { value: '0.0.0.0', origin: 'file' },
        concurrency: { value: 7, origin: 'environment', from: 'PUNCTUAL_CONCURRENCY' },
        migrate: { value: false, origin: 'flag' },
        schema: { value: 'punctual', origin: 'default', from: null },
      },
    })
  })

  test('an invalid value ends any command with 2, a code and the name of the setting', async () => {
    const { code, stderr } = await cli(['queues'], { env: { PUNCTUAL_SCHEMA: 'My Schema' } })
    expect(code).toBe(2)
    expect(stderr).toMatch(/^error\[invalid_config\]: PUNCTUAL_SCHEMA must be .*; got "My Schema"/)
  })
})
