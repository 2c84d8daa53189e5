import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { expect, onTestFinished, test, vi } from 'vitest'
import { isAlive } from './data-directory/process-identity.ts'
import type { EmbeddedExit } from './options/embedded-server.ts'
import { query, startForTest, usedDataDir } from './test/lab.ts'

const patience = { timeout: 20_000, interval: 20 }

function kill(pid: number | undefined): void {
  if (pid === undefined) throw new Error('no server is running')
  process.kill(pid, 'SIGKILL')
}

test('a killed postmaster is reported and restarts on the same port with its data', async () => {
  const exits: EmbeddedExit[] = []
  const server = await startForTest({
    dataDir: await usedDataDir(),
    onExit: (exit) => exits.push(exit),
  })
  await query(server.url, 'create table kept as select 42 as answer')
  const killed = server.pid
  kill(killed)
  const rows = await vi.waitFor(() => query(server.url, 'table kept'), patience)
  expect(rows).toEqual([{ answer: 42 }])
  expect(server.pid).not.toBe(killed)
  expect(exits).toMatchObject([{ reason: 'crashed', signal: 'SIGKILL', willRestart: true }])
})

test('a busy backend that outlives its postmaster does not block the restart', async () => {
  const server = await startForTest({ dataDir: await usedDataDir() })
  const client = new pg.Client(server.url)
  client.on('error', () => {})
  await client.connect()
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const backend = rows[0]?.pid ?? 0
  // A counting backend never checks whether the postmaster is alive, so it stays.
  const counting = client.query('select count(*) from generate_series(1, 100000000000)')
  const interrupted = expect(counting).rejects.toThrow()
  await vi.waitFor(async () => {
    const active = `select 1 from pg_stat_activity where pid = ${backend} and state = 'active'`
    expect(await query(server.url, active)).toHaveLength(1)
  }, patience)
  kill(server.pid)
  expect(await vi.waitFor(() => query(server.url, 'select 1 as one'), patience)).toEqual([
    { one: 1 },
  ])
  await interrupted
  expect(await isAlive(backend)).toBe(false)
})

test('a server without restart ends for good and releases the directory', async () => {
  const dataDir = await usedDataDir()
  const server = await startForTest({ dataDir, restart: false })
  kill(server.pid)
  await expect(server.exited).resolves.toMatchObject({
    reason: 'crashed',
    signal: 'SIGKILL',
    willRestart: false,
  })
  const next = await startForTest({ dataDir })
  expect(await query(next.url, 'select 1 as one')).toEqual([{ one: 1 }])
})

test('stopping during a restart ends the server for good', async () => {
  const onExit = vi.fn<(exit: EmbeddedExit) => void>()
  const server = await startForTest({ dataDir: await usedDataDir(), onExit })
  kill(server.pid)
  await vi.waitFor(() => expect(onExit).toHaveBeenCalled(), patience)
  await server.stop()
  await expect(server.exited).resolves.toMatchObject({ reason: 'stopped', willRestart: false })
  await expect(query(server.url, 'select 1')).rejects.toThrow('ECONNREFUSED')
})

test('a server whose owner lock disappears ends immediately', async () => {
  const dataDir = await usedDataDir()
  const server = await startForTest({ dataDir })
  const { pid } = server
  for (const name of await readdir(dataDir)) {
    if (name.startsWith('owner.')) await rm(join(dataDir, name))
  }
  await expect(server.exited).resolves.toMatchObject({ reason: 'lock-lost', willRestart: false })
  expect(await isAlive(pid ?? 0)).toBe(false)
})

test('sessions do not keep a server from stopping', async () => {
  const server = await startForTest({ dataDir: await usedDataDir() })
  const client = new pg.Client(server.url)
  const ended = new Promise<void>((resolve) => client.once('end', () => resolve()))
  client.on('error', () => {})
  await client.connect()
  onTestFinished(() => client.end())
  await client.query('begin; create table never_committed (id int)')
  await server.stop()
  await ended
})
