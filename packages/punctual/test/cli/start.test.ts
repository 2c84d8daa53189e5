import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { makeApiKey } from '@punctual/core/identity'
import { systemRandom } from '@punctual/store'
import { createTestDatabase, freePort } from '@punctual/testkit'
import pg from 'pg'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { aTemporaryFolder, both, CliProcess, cli, processesNaming } from '../kit/cli-process.ts'

const patience = { timeout: 120_000 }
/** Each test stops its nodes before its folder is deleted. */
const nodes: CliProcess[] = []

function start(args: readonly string[], options: ConstructorParameters<typeof CliProcess>[1]) {
  const node = new CliProcess(['start', ...args], options)
  nodes.push(node)
  return node
}

afterEach(async () => {
  for (const node of nodes.splice(0)) {
    node.signal('SIGINT')
    await node.exited
  }
})

async function aDatabase(): Promise<Record<string, string>> {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  return { DATABASE_URL: database.url }
}

async function get(url: string, headers: Record<string, string> = {}) {
  const answer = await fetch(url, { headers })
  return {
    status: answer.status,
    type: answer.headers.get('content-type'),
    body: await answer.text(),
  }
}

describe('on the embedded database', () => {
  test(
    'the sample shows runs that succeed, fail, retry and die, and Ctrl-C leaves nothing behind',
    patience,
    async () => {
      const cwd = aTemporaryFolder()
      const port = String(await freePort())
      const node = start(['--sample', '--port', port, '--log-format', 'pretty'], { cwd })
      await node.saw(new RegExp(`Punctual .* listens on http://127\\.0\\.0\\.1:${port}\n`))
      expect(await get(`http://127.0.0.1:${port}/healthz`)).toMatchObject({ status: 200 })
      expect(await get(`http://127.0.0.1:${port}/readyz`)).toMatchObject({ status: 200 })
      const metrics = await get(`http://127.0.0.1:${port}/metrics`)
      expect(metrics.type).toMatch(/^text\/plain/)
      expect(metrics.body).toMatch(/^punctual_up 1$/m)

      await node.saw(/Summary: \d+ succeeded.* dead.* retries/)
      for (const [word, handler] of [
        ['succeeded', 'welcome-email'],
        ['failed', 'charge-card'],
        ['timed out', 'slow-export'],
        ['dead', 'sync-stock'],
        ['cancelled', 'newsletter'],
      ])
        expect(node.stdout).toMatch(new RegExp(`^\\d\\d:\\d\\d:\\d\\d  ${word} +${handler} `, 'm'))

      // Then a job fires, and the output shows each of its slots.
      await node.saw(/succeeded +heartbeat .*"slot":/)

      // Commands in other processes share the running server.
      const { table, value } = await both(['runs', 'list', '--state', 'dead'], { cwd })
      expect(table.stdout).toMatch(/dead +sync-stock/)
      expect(value).toHaveLength(2)
      const healthy = await both(['doctor'], { cwd })
      expect([healthy.table.code, healthy.value.fail]).toEqual([0, 0])
      expect(healthy.table.stdout).toMatch(/ok +fsync +on/)

      expect(await processesNaming(cwd)).not.toEqual([])
      node.signal('SIGINT')
      const { code, stdout } = await node.exited
      expect(code).toBe(0)
      expect(stdout).toMatch(/Stopped\. All data is kept/)
      expect(await processesNaming(cwd)).toEqual([])

      // When no process runs the server, a command starts it and stops it at its end.
      const alone = await cli(['runs', 'list', '--json'], { cwd })
      expect(JSON.parse(alone.stdout).length).toBeGreaterThanOrEqual(9)
      expect(await processesNaming(cwd)).toEqual([])

      const again = start(['--sample', '--port', '0'], { cwd })
      await again.saw(/Found \d+ runs from earlier/)
      const second = await cli(['start', '--port', '0'], { cwd })
      expect(second.code).toBe(3)
      expect(second.stderr).toMatch(
        /^error\[embedded_data_dir_in_use\]: .*it can have only one owner/,
      )
    },
  )

  test('a command that only reads creates no database', async () => {
    const cwd = aTemporaryFolder()
    const { code, stderr } = await cli(['runs', 'list'], { cwd })
    expect(code).toBe(3)
    expect(stderr).toMatch(/^error\[database_unavailable\]: No database: /)
    expect(stderr).toContain('punctual start')
  })

  test('in production a database must be configured', async () => {
    const { code, stderr } = await cli(['start'], { env: { NODE_ENV: 'production' } })
    expect(code).toBe(2)
    expect(stderr).toMatch(/^error\[database_required\]: .*--embedded/)
  })
})

describe('on an external database', () => {
  test('a node logs JSON when stdout is not a terminal, and logs when it drains', async () => {
    const env = await aDatabase()
    const node = start(['--port', '0', '--sample'], { env })
    const [line] = await node.saw(/^\{.*"msg":"started"\}$/m)
    const started = JSON.parse(line)
    expect(started).toMatchObject({
      level: 30,
      roles: ['api', 'planner', 'worker', 'reaper', 'janitor', 'auditor'],
    })
    expect(JSON.stringify(started)).not.toContain(new URL(env.DATABASE_URL as string).password)
    expect(JSON.parse((await get(`${started.url}/healthz`)).body)).toMatchObject({ status: 'ok' })
    await node.saw(/"word":"succeeded","handler":"welcome-email"/)
    node.signal('SIGTERM')
    const { code, stdout } = await node.exited
    expect(code).toBe(0)
    const messages = stdout
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text).msg)
    expect(messages).toContain('draining')
    expect(messages.at(-1)).toBe('stopped')
  })

  test('a schema of a pre-release build is refused, with what to do', async () => {
    const env = await aDatabase()
    const database = new pg.Client({ connectionString: env.DATABASE_URL })
    await database.connect()
    await database.query(
      `create schema punctual;
       create table punctual.migrations (
         version integer primary key, name text not null, checksum text not null, breaking boolean not null);
       insert into punctual.migrations values (1, 'create_foundation', 'x', false)`,
    )
    await database.end()
    const { code, stderr } = await cli(['start', '--port', '0'], { env })
    expect(code).toBe(1)
    expect(stderr).toMatch(
      /^error\[schema_incompatible\]: .*0001_create_foundation.*0001_create_tenants.*start with an empty/,
    )
  })

  test('without the api role the process opens no port', async () => {
    const node = start(['--roles', 'planner,reaper', '--json'], { env: await aDatabase() })
    const [line] = await node.saw(/^\{.*"msg":"started"\}$/m)
    expect(JSON.parse(line)).toMatchObject({ url: null, roles: ['planner', 'reaper'] })
  })

  test('a node is ready only after the last step that can fail its start', async () => {
    const env = await aDatabase()
    expect((await cli(['migrate'], { env })).code).toBe(0)
    const database = new pg.Client({ connectionString: env.DATABASE_URL })
    await database.connect()
    onTestFinished(() => database.end())
    // The last step of a start checks whether a key exists.
    await database.query('begin; lock table punctual.api_keys')
    const port = await freePort()
    const node = start(['--port', String(port), '--roles', 'api'], { env })
    const waiting = `select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
    await vi.waitFor(async () => {
      await database.query('select pg_stat_clear_snapshot()')
      expect((await database.query(waiting)).rowCount).toBe(1)
    }, patience)
    const { status, body } = await get(`http://127.0.0.1:${port}/readyz`)
    expect([status, JSON.parse(body).reason]).toEqual([503, 'starting'])
    await database.query('rollback')
    await node.saw(/"msg":"started"/)
    expect(await get(`http://127.0.0.1:${port}/readyz`)).toMatchObject({ status: 200 })
  })

  test('readiness follows the database while the process stays alive', async () => {
    const database = await createTestDatabase()
    const node = start(['--port', '0'], { env: { DATABASE_URL: database.url } })
    const [, url] = await node.saw(/"url":"([^"]+)".*"msg":"started"/)
    expect(await get(`${url}/readyz`)).toMatchObject({ status: 200 })
    await database.drop()
    await vi.waitFor(async () => {
      const answer = await get(`${url}/readyz`)
      expect([answer.status, JSON.parse(answer.body).reason]).toEqual([503, 'database_unavailable'])
      expect(answer.body).not.toContain(database.name)
      expect(node.output).toMatch(new RegExp(`not ready: the database .*${database.name}`))
    }, patience)
    expect(await get(`${url}/healthz`)).toMatchObject({ status: 200 })
  })

  test('a request whose database connection breaks is answered as retryable', async () => {
    const env = await aDatabase()
    const node = start(['--port', '0', '--roles', 'api'], { env })
    const [, url] = await node.saw(/"url":"([^"]+)".*"msg":"started"/)
    const database = new pg.Client({ connectionString: env.DATABASE_URL })
    await database.connect()
    onTestFinished(() => database.end())
    await database.query('begin; lock table punctual.api_keys')
    const answer = get(`${url}/v1/me`, { authorization: `Bearer ${makeApiKey(systemRandom)}` })
    const breakIt = `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
    await vi.waitFor(async () => {
      // A transaction otherwise sees the activity as it was when it first looked.
      await database.query('select pg_stat_clear_snapshot()')
      expect((await database.query(breakIt)).rowCount).toBe(1)
    }, patience)
    const { status, body } = await answer
    expect([status, JSON.parse(body).code]).toEqual([503, 'database_unavailable'])
  })

  test('a port in use is reported at once, with the flag that changes it', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => taken.once('listening', resolve))
    onTestFinished(() => void taken.close())
    const { port } = taken.address() as AddressInfo
    const { code, stderr } = await cli(['start', '--port', String(port)])
    expect(code).toBe(1)
    expect(stderr).toMatch(/^error\[port_in_use\]: Port \d+ on 127\.0\.0\.1 is in use/)
    expect(stderr).toContain(`--port ${port + 1}`)
  })

  test('an address of another machine is refused', async () => {
    const { code, stderr } = await cli(['start', '--host', '192.0.2.1', '--port', '0'])
    expect(code).toBe(2)
    expect(stderr).toMatch(/^error\[address_unusable\]/)
  })

  test('the sample needs the worker role', async () => {
    const { code, stderr } = await cli(['start', '--sample', '--roles', 'api'])
    expect(code).toBe(2)
    expect(stderr).toContain('--sample needs the worker role')
  })
})
