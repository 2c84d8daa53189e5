/** Targets from the command line: a node of its own performs them. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { migratedDatabase, type TestDatabase } from '@punctual/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CliProcess, cli } from '../kit/cli-process.ts'

let database: TestDatabase
let env: Record<string, string>
let server: Server
let url: string
const bodies: string[] = []

beforeAll(async () => {
  database = await migratedDatabase()
  env = { DATABASE_URL: database.url }
  server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      bodies.push(body)
      response.writeHead(request.url === '/wrong' ? 400 : 200).end(`${request.method} done`)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  server?.closeAllConnections()
  server?.close()
  await database?.drop()
})

const aNode = async (...flags: string[]) => {
  const node = new CliProcess(['start', '--roles', 'planner,worker', ...flags], { env })
  await node.saw(/"msg":"started"/)
  return node
}

test('run performs a target once, shows its log, and prints its output', async () => {
  await aNode('--egress-allow', 'localhost:*')
  const run = await cli(['run', '{"id":7}', '--http', `${url}/ok`, '--http-method', 'PUT'], { env })
  expect(run.stdout).toContain('{"status":200,"body":"PUT done"}')
  expect(run).toMatchObject({ code: 0, stderr: expect.stringContaining('succeeded') })
  expect(bodies).toEqual(['{"id":7}'])
  const wrong = await cli(['run', '--http', `${url}/wrong`], { env })
  expect(wrong.stdout).toMatch(/#1 warn +The target answered 400/)
  expect(wrong.code).not.toBe(0)
})

test('a node reaches no private address that its operator did not open', async () => {
  await aNode()
  const run = await cli(['run', '--http', 'http://127.0.0.1/'], { env })
  expect(run.stdout).toMatch(/127\.0\.0\.1 is refused.*--egress-allow/)
})

test('a job with a target is shown, exported, and unchanged when it is applied again', async () => {
  const create = ['jobs', 'create', 'ping', '--every', '1h', '--http', `${url}/{{payload.id}}`]
  const made = await cli(
    [...create, '--http-header', 'X-Key={{secret.KEY}}', '--payload', '{"id":1}'],
    { env },
  )
  expect(made.code).toBe(0)
  const shown = await cli(['jobs', 'show', 'ping'], { env })
  expect(shown.stdout).toMatch(
    /target +http \{"url":"http.*"headers":\{"X-Key":"\{\{secret\.KEY\}\}"\}/,
  )
  const exported = await cli(['jobs', 'export'], { env })
  expect(exported.stdout).toContain('kind: http')
  expect(exported.stdout).not.toContain('handler:')
  const applied = await cli(['jobs', 'apply', '-f', '-', '--json'], { env, input: exported.stdout })
  expect(applied.stdout).toMatch(/"unchanged":\s*(?:1|\[\s*"ping")/)
})

test('targets are sent to a server and read from it in the names of the library', async () => {
  const flags = ['--roles', 'api,planner,worker', '--port', '0', '--no-auth']
  const node = new CliProcess(['start', ...flags, '--egress-allow', 'localhost:*'], { env })
  const [, address = ''] = await node.saw(/"url":"(http[^"]+)".*"msg":"started"/)
  const there = { env: { PUNCTUAL_SERVER: address } }
  const target = ['--http', `${url}/ok`, '--http-success-contains', 'done', '--http-method', 'GET']
  const run = await cli(['run', ...target, '--json'], there)
  const last = JSON.parse(run.stdout.trim().split('\n').at(-1) ?? '{}')
  expect(last).toMatchObject({
    ...{ state: 'succeeded', target: { success: { bodyContains: 'done' } } },
    output: { status: 200, body: 'GET done' },
  })
  await cli(['jobs', 'create', 'remote', '--every', '1h', ...target], there)
  const shown = await cli(['jobs', 'show', 'remote'], there)
  expect(shown.stdout).toMatch(/target +http \{.*"success":\{"bodyContains":"done"\}/)
})

test('a shell command is one flag', async () => {
  const made = await cli(
    ['jobs', 'create', 'backup', '--cron', '0 2 * * *', '--shell', 'pg_dump app'],
    { env },
  )
  expect(made.code).toBe(0)
  const shown = await cli(['jobs', 'show', 'backup'], { env })
  expect(shown.stdout).toMatch(/target +shell \{"command":"pg_dump app","shell":true\}/)
})

test.each([
  [
    ['jobs', 'create', 'x', '--every', '1h'],
    /one of --handler, --http, --shell, --ssh, --grpc; got none/,
  ],
  [['jobs', 'create', 'x', '--every', '1h', '--http-method', 'GET'], /--http-method needs --http/],
  [['jobs', 'create', 'x', '--every', '1h', '--http', 'http://a', '--shell', 'ls'], /two kinds/],
  [
    ['jobs', 'create', 'x', '--every', '1h', '--http', 'http://a', '--handler', 'h'],
    /exclude each other/,
  ],
  [['run', '1'], /run needs a target/],
  [['start', '--targets', 'ftp'], /handler, http/],
  [['start', '--egress-allow', 'http://a'], /egressAllow must be/],
])('%j is refused', async (args, message) => {
  const { code, stderr } = await cli(args, { env })
  expect(code).not.toBe(0)
  expect(stderr).toMatch(message)
})
