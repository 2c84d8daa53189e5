import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTestDatabase, type TestDatabase } from '@punctual/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Punctual } from '../../src/index.ts'
import { aTemporaryFolder, CliProcess, cli } from '../kit/cli-process.ts'

let database: TestDatabase
let producer: Punctual
let env: Record<string, string>

beforeAll(async () => {
  database = await createTestDatabase()
  env = { DATABASE_URL: database.url }
  producer = await Punctual.start({ databaseUrl: database.url, roles: [] })
})

afterAll(async () => {
  await producer.stop()
  await database.drop()
})

function aModule(name: string, source: string): { cwd: string } {
  const cwd = aTemporaryFolder()
  mkdirSync(join(cwd, 'jobs'))
  writeFileSync(join(cwd, 'jobs', name), source)
  return { cwd }
}

const modules = [
  [
    'a default function of a TypeScript module',
    'worker.ts',
    'export default (punctual: { handler: Function }): void => { punctual.handler("NAME", (p: number) => p + 1) }',
  ],
  [
    'an asynchronous register function in a TypeScript module (.mts)',
    'worker.mts',
    'type N = number; export async function register(punctual: any) { await null; punctual.handler("NAME", { onLeaseLoss: "abort" }, (p: N) => p + 1) }',
  ],
  [
    'an object of handlers in JavaScript',
    'worker.mjs',
    'export const handlers = { "NAME": (p) => p + 1 }',
  ],
  ['a CommonJS module', 'worker.cjs', 'module.exports = { handlers: { "NAME": (p) => p + 1 } }'],
] as const

describe('handlers are registered by', () => {
  test.for(modules)('%s', async ([, file, source]) => {
    const name = `add-${file}`
    const { cwd } = aModule(file, source.replace('NAME', name))
    const worker = new CliProcess(['worker', `./jobs/${file}`], { env, cwd })
    await worker.saw(new RegExp(`"handlers":\\["${name}"\\].*"msg":"working"`))
    const { id } = await producer.submit(name, 41)
    const run = await producer.runs.waitFor(id, { timeoutMs: 30_000 })
    expect(run).toMatchObject({ state: 'succeeded', output: 42 })
    worker.signal('SIGTERM')
    expect((await worker.exited).code).toBe(0)
  })
})

describe('a module is refused', () => {
  test('when it does not exist', async () => {
    const { code, stderr } = await cli(['worker', './none.ts'], { env })
    expect(code).toBe(4)
    expect(stderr).toMatch(/^error\[module_not_found\]: The module \.\/none\.ts does not exist/)
  })

  test.for([
    ['has no handlers', 'export const other = 1', 2, 'module_invalid'],
    ['registers no handlers', 'export default () => {}', 2, 'module_invalid'],
    ['throws when it is loaded', 'throw new Error("kaput")', 1, 'module_failed'],
    [
      'throws when it registers',
      'export default () => { throw new Error("kaput") }',
      1,
      'module_failed',
    ],
    ['is not TypeScript', 'export default (', 1, 'module_failed'],
  ] as const)('when it %s', async ([, source, exitCode, errorCode]) => {
    const { cwd } = aModule('worker.ts', source)
    const { code, stderr } = await cli(['worker', 'jobs/worker.ts'], { env, cwd })
    expect(code).toBe(exitCode)
    expect(stderr).toContain(`error[${errorCode}]: The module jobs/worker.ts`)
    if (source.includes('kaput')) expect(stderr).toContain('Error: kaput')
  })
})

test('stray rejections and throws of handlers are logged and counted, and the process continues', async () => {
  const { cwd } = aModule(
    'worker.mjs',
    `export const handlers = {
       'leave-rejection': () => void Promise.reject(new Error('left a rejection')),
       'leave-throw': () => void setImmediate(() => { throw new Error('left a throw') }),
       'still-here': () => 'yes',
     }`,
  )
  const args = ['worker', 'jobs/worker.mjs', '--roles', 'api,worker', '--port', '0']
  const worker = new CliProcess(args, { env: { ...env, PUNCTUAL_LOG_LEVEL: 'debug' }, cwd })
  const [, url] = await worker.saw(/"url":"([^"]+)".*"msg":"working"/)
  for (const name of ['leave-rejection', 'leave-throw']) await producer.submit(name)
  await worker.saw(/unhandled rejection; the process continues: left a rejection/)
  await worker.saw(/uncaught exception; the process continues: left a throw/)
  const { id } = await producer.submit('still-here')
  expect(await producer.runs.waitFor(id, { timeoutMs: 30_000 })).toMatchObject({ output: 'yes' })
  const metrics = await (await fetch(`${url}/metrics`)).text()
  expect(metrics).toMatch(/^punctual_errors_total\{where="unhandled_rejection"\} 1$/m)
  expect(metrics).toMatch(/^punctual_errors_total\{where="uncaught_exception"\} 1$/m)
  worker.signal('SIGINT')
  expect((await worker.exited).code).toBe(0)
})

test('while it drains a node is not ready, and a second Ctrl-C ends it at once', async () => {
  const { cwd } = aModule(
    'worker.mjs',
    'export const handlers = { "never-ends": (_, { log }) => { log.info("begun"); return new Promise(() => {}) } }',
  )
  const args = ['worker', 'jobs/worker.mjs', '--roles', 'api,worker', '--port', '0']
  const worker = new CliProcess(args, { env, cwd })
  const [, url] = await worker.saw(/"url":"([^"]+)".*"msg":"working"/)
  const { id } = await producer.submit('never-ends')
  await expect
    .poll(async () => (await producer.runs.get(id))?.state, { timeout: 30_000 })
    .toBe('running')
  worker.signal('SIGINT')
  await worker.saw(/"running":1,"msg":"draining"/)
  const ready = await fetch(`${url}/readyz`)
  expect([ready.status, await ready.json()]).toMatchObject([503, { reason: 'draining' }])
  // waits: signals within half a second of each other count as one request
  await new Promise((resolve) => setTimeout(resolve, 600))
  worker.signal('SIGINT')
  expect((await worker.exited).code).toBe(130)
})
