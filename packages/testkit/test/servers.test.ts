import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import {
  describeWithServer,
  freePort,
  type PgBouncer,
  servers,
  startPgBouncer,
  startRedis,
} from '../src/servers/index.ts'
import { startPrivateServer } from '../src/servers/private-server.ts'
import { startPostgres, type TestPostgres } from './start-postgres.ts'

test('the setup script installs exactly the servers of the table', () => {
  const script = fileURLToPath(new URL('../../../scripts/setup-servers.sh', import.meta.url))
  const listed = execFileSync('bash', [script, '--list'], { encoding: 'utf8' }).trim().split('\n')
  const table = Object.entries(servers).map(([name, { programs }]) => [name, ...programs].join(' '))
  expect(listed.sort()).toEqual(table.sort())
})

test('free ports are distinct and can be listened on', async () => {
  const ports = await Promise.all(Array.from({ length: 20 }, freePort))
  expect(new Set(ports).size).toBeGreaterThan(15)
})

describe('a private server that does not start', () => {
  test('a failed start reports the output and leaves no directory behind', async () => {
    let directory = ''
    const start = startPrivateServer({
      program: '/bin/sh',
      readyLine: /never printed/,
      async prepare(place) {
        directory = place.directory
        return ['-c', 'echo the disk is on fire >&2; exit 3']
      },
    })
    await expect(start).rejects.toThrow(/ended with code 3.*\n.*the disk is on fire/)
    expect(existsSync(directory)).toBe(false)
  })
})

describeWithServer('redis', () => {
  test('a server answers, survives a restart and is gone after stop', async () => {
    const redis = await startRedis()
    onTestFinished(() => redis.stop())
    expect(await ping(redis.url)).toBe('+PONG\r\n')
    await redis.restart()
    expect(await ping(redis.url)).toBe('+PONG\r\n')
    await redis.stop()
    await expect(ping(redis.url)).rejects.toThrow('ECONNREFUSED')
  })
})

describeWithServer('pgbouncer', () => {
  test('the admin console answers although the upstream does not', async () => {
    const upstreamUrl = `postgresql://nobody@127.0.0.1:${await freePort()}/none`
    const bouncer = await startPgBouncer({ upstreamUrl, poolMode: 'session' })
    onTestFinished(() => bouncer.stop())
    expect(await bouncer.admin('SHOW VERSION')).toEqual([
      { version: expect.stringMatching(/^PgBouncer \d/) },
    ])
  })

  describeWithServer('postgresql', () => {
    let postgres: TestPostgres
    let bouncer: PgBouncer

    beforeAll(async () => {
      // Every character that a connection string could misinterpret.
      postgres = await startPostgres(`it's "100%" a\\b pass=word`)
      bouncer = await startPgBouncer({ upstreamUrl: postgres.url, poolMode: 'transaction' })
    })

    afterAll(async () => {
      await bouncer?.stop()
      await postgres?.stop()
    })

    test('queries reach the upstream and share its connections', async () => {
      const backends = await Promise.all(Array.from({ length: 3 }, () => backendPid(bouncer.url)))
      expect(backends).toEqual(backends.map(() => expect.any(Number)))
      expect(await bouncer.admin('SHOW POOLS')).toContainEqual(
        expect.objectContaining({ database: 'postgres', pool_mode: 'transaction' }),
      )
    })

    test('a paused pooler holds a query back until it is resumed', async () => {
      await bouncer.pause()
      const query = backendPid(bouncer.url)
      await expect.poll(() => waitingClients(bouncer)).toBe(1)
      await bouncer.resume()
      expect(await query).toEqual(expect.any(Number))
    })

    test('a restart breaks open connections and the same URL works again', async () => {
      const client = new pg.Client({ connectionString: bouncer.url })
      await client.connect()
      const broken = new Promise((resolve) => client.once('error', resolve))
      await bouncer.restart()
      expect(await broken).toBeInstanceOf(Error)
      expect(await backendPid(bouncer.url)).toEqual(expect.any(Number))
    })
  })
})

async function backendPid(url: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    return rows[0]?.pid
  } finally {
    await client.end()
  }
}

async function waitingClients(bouncer: PgBouncer): Promise<number> {
  const pools = await bouncer.admin('SHOW POOLS')
  const pool = pools.find(({ database }) => database === 'postgres')
  return Number(pool?.cl_waiting)
}

function ping(url: string): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write('PING\r\n'))
    socket.once('error', reject)
    socket.once('data', (reply) => {
      socket.destroy()
      resolve(reply.toString())
    })
  })
}
