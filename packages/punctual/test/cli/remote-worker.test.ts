/** `punctual worker --server`: the same module, without a database. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { aTemporaryFolder, CliProcess, cli } from '../kit/cli-process.ts'
import { HttpKit } from '../kit/http-kit.ts'

let kit: HttpKit
let key: string
let acme: ReturnType<HttpKit['punctual']['tenant']>

beforeAll(async () => {
  kit = await HttpKit.open({ roles: [] })
  key = await kit.keyFor('acme', 'worker')
  acme = kit.punctual.tenant(((await kit.punctual.tenants.get('acme')) as { id: number }).id)
})
afterAll(() => kit.close())

function aModule(source: string): string {
  const cwd = aTemporaryFolder()
  writeFileSync(join(cwd, 'worker.ts'), source)
  return cwd
}

it('runs the handlers of a module, and closes its session on SIGTERM', async () => {
  const cwd = aModule(
    'export default (punctual: any): void => { punctual.handler("add", (p: number) => p + 1) }',
  )
  const env = { PUNCTUAL_API_KEY: key }
  const worker = new CliProcess(['worker', '--server', kit.url, './worker.ts'], { cwd, env })
  await worker.saw(/"handlers":\["add"\].*"msg":"working"/)
  const { id } = await acme.submit('add', 41)
  const run = await acme.runs.waitFor(id, { timeoutMs: 30_000 })
  expect(run).toMatchObject({ state: 'succeeded', output: 42 })
  worker.signal('SIGTERM')
  expect((await worker.exited).code).toBe(0)
  expect(await kit.punctual.store.workers.sessions()).toEqual([])
})

it('refuses a module that uses the database, and names the property', async () => {
  const cwd = aModule('export default (punctual: any) => punctual.jobs.list()')
  const env = { PUNCTUAL_SERVER: kit.url, PUNCTUAL_API_KEY: key }
  const { code, stderr } = await cli(['worker', './worker.ts'], { cwd, env })
  expect(code).not.toBe(0)
  expect(stderr).toContain('punctual.jobs needs the database')
})
