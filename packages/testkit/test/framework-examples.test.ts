/**
 * Punctual inside the servers of Next.js and NestJS: the two examples, started as in production.
 */
import { rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { eventually, type Gate, gate, migratedDatabase, type TestDatabase } from '@punctual/testkit'
import { Punctual } from 'punctual'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { ExampleProcess } from './example-process.ts'

/** The server is built first, which takes seconds on both cores. */
const NEXT = { timeout: 180_000 }

let database: TestDatabase
let punctual: Punctual
beforeAll(async () => {
  database = await migratedDatabase()
  punctual = await Punctual.start({ databaseUrl: database.url, roles: [] })
})
afterAll(async () => {
  await punctual.stop()
  await database.drop()
})

it('the NestJS server runs provider methods and exits after their runs end', async () => {
  const provider = await startProvider()
  const server = new ExampleProcess(['--import', 'tsx', 'main.ts'], {
    folder: 'examples/nestjs',
    env: { ...provider.env, DATABASE_URL: database.url, TSX_TSCONFIG_PATH: 'tsconfig.json' },
  })
  const [, url = ''] = await server.line(/listening on (\S+)/)
  await sendsReceipts(`${url}/receipts`, provider)
  await stopsBehindItsRun(server, `${url}/receipts`, provider)
})

it('the Next.js server runs handlers and exits after their runs end', NEXT, async () => {
  const provider = await startProvider()
  const server = await startNext({ ...provider.env, DATABASE_URL: database.url })
  const [, url = ''] = await server.line(/Local:\s+(\S+)/)
  await sendsReceipts(`${url}/api/receipts`, provider)
  await submitsForms(url, provider)
  await stopsBehindItsRun(server, `${url}/api/receipts`, provider)
})

/**
 * A stand-in for a mail provider: a test can wait for a request's body and decides when to answer.
 */
class Provider {
  readonly #open = new Map<string, Gate>()
  readonly server: Server = createServer(async (request, response) => {
    let receipt = ''
    for await (const chunk of request) receipt += chunk
    const answer = gate()
    this.#open.set(receipt, answer)
    await answer.opened
    response.end()
  })

  async got(receipt: string): Promise<void> {
    await eventually(`${receipt} is sent`, () => this.#open.has(receipt))
  }

  answer(receipt: string): void {
    this.#open.get(receipt)?.open()
  }

  get env(): NodeJS.ProcessEnv {
    return { MAIL_URL: `http://127.0.0.1:${(this.server.address() as AddressInfo).port}` }
  }
}

async function startProvider(): Promise<Provider> {
  const provider = new Provider()
  await new Promise<void>((resolve) => provider.server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void provider.server.close())
  return provider
}

function ask(url: string, body: unknown): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  return fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
}

async function shown(url: string): Promise<{ state: string; output: unknown }> {
  return (await (await fetch(url)).json()) as { state: string; output: unknown }
}

/**
 * A request is answered while its run is running; a repeated one adds no run; nonsense is refused.
 */
async function sendsReceipts(url: string, provider: Provider): Promise<void> {
  const answer = await ask(url, { order: '1' })
  expect(answer.status).toBe(202)
  const { id } = (await answer.json()) as { id: string }
  await provider.got('R-1')
  expect((await shown(`${url}/${id}`)).state).toBe('running')
  expect(await (await ask(url, { order: '1' })).json()).toEqual({ id })
  provider.answer('R-1')
  await eventually('the run ends', async () => (await shown(`${url}/${id}`)).state !== 'running')
  expect(await shown(`${url}/${id}`)).toEqual({ state: 'succeeded', output: { receipt: 'R-1' } })
  expect((await ask(url, {})).status).toBe(400)
  expect((await fetch(`${url}/nothing`)).ok).toBe(false)
}

/**
 * Submits like a browser without JavaScript: every form field, including the hidden server action.
 */
async function submitsForms(page: string, provider: Provider): Promise<void> {
  const [, action = ''] = /name="(\$ACTION_ID_\w+)"/.exec(await (await fetch(page)).text()) ?? []
  const body = new FormData()
  body.set(action, '')
  body.set('order', '2')
  const headers = { origin: new URL(page).origin }
  const answer = await fetch(page, { method: 'POST', body, headers })
  await provider.got('R-2')
  expect(await answer.text()).toMatch(/<li>[\w-]+ (?:queued|running)<.*<li>[\w-]+ succeeded</)
  provider.answer('R-2')
}

/**
 * A signal arrives during a run: new requests are refused, the run ends, and no process remains.
 */
async function stopsBehindItsRun(
  server: ExampleProcess,
  url: string,
  provider: Provider,
): Promise<void> {
  const { id } = (await (await ask(url, { order: '3' })).json()) as { id: string }
  await provider.got('R-3')
  const ended = server.stop()
  await eventually('the port is closed', () =>
    fetch(url).then(
      () => false,
      () => true,
    ),
  )
  expect(server.alive).toBe(true)
  provider.answer('R-3')
  expect(await ended).toBe(0)
  // The compiler process of tsx exits by itself shortly after the server.
  await eventually('no process remains', () => !server.alive)
  expect(await punctual.runs.get(id)).toMatchObject({ state: 'succeeded', attempts: [{}] })
  const workers = await punctual.workers.list()
  expect(workers.filter(({ endedAt }) => endedAt === null)).toEqual([])
}

/** Builds into a separate folder; Next.js requires one inside the project. */
async function startNext(given: NodeJS.ProcessEnv): Promise<ExampleProcess> {
  const [folder, distDir] = ['examples/nextjs', `.next-test-${process.pid}`]
  const built = new URL(`../../../${folder}/${distDir}`, import.meta.url)
  onTestFinished(() => rmSync(built, { recursive: true, force: true }))
  const next = '../../node_modules/next/dist/bin/next'
  const env: NodeJS.ProcessEnv = {
    ...{ ...given, NODE_ENV: 'production', NEXT_DIST_DIR: distDir },
    ...{ NEXT_TELEMETRY_DISABLED: '1', NEXT_MANUAL_SIG_HANDLE: '1' },
  }
  const build = new ExampleProcess([next, 'build'], { folder, env })
  expect(await build.ended, build.lines.join('\n')).toBe(0)
  return new ExampleProcess([next, 'start', '-H', '127.0.0.1', '-p', '0'], { folder, env })
}
