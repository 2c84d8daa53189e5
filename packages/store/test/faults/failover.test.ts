/**
 * A real primary with a streaming standby: Punctual finds the writable server and follows a
 * failover.
 */
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compileOptions } from '@punctual/core/submit'
import {
  type EmbeddedServer,
  PostgresStore,
  startEmbedded,
  systemClock,
  systemRandom,
} from '@punctual/store'
import { eventually, succeeded, systemRandomToken } from '@punctual/testkit'
import pg from 'pg'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'

let root: string
let primary: EmbeddedServer
let standby: EmbeddedServer
let store: PostgresStore

const connected = async <T>(url: string, work: (client: pg.Client) => Promise<T>) => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
const query = (url: string, text: string) =>
  connected(url, async (client) => (await client.query(text)).rows)

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'punctual-failover-'))
  const dirs = [join(root, 'a'), join(root, 'b')] as const
  const settings = { shared_buffers: '32MB', max_connections: '60' }
  const first = await startEmbedded({ dataDir: dirs[0], fastInit: true, settings })
  await first.stop()
  await cp(dirs[0], dirs[1], { recursive: true, preserveTimestamps: true })
  await rm(join(dirs[1], 'port'))
  await writeFile(join(dirs[1], 'cluster', 'standby.signal'), '')
  primary = await startEmbedded({ dataDir: dirs[0], settings, restart: false })
  const { username, password, port } = new URL(primary.url)
  standby = await startEmbedded({
    dataDir: dirs[1],
    settings: {
      ...settings,
      primary_conninfo: `host=127.0.0.1 port=${port} user=${username} password=${password}`,
    },
  })
  const both = primary.url.replace(
    `127.0.0.1:${port}`,
    `127.0.0.1:${new URL(standby.url).port},127.0.0.1:${port}`,
  )
  store = new PostgresStore({ url: both, clock: systemClock, random: systemRandom, node: 'n' })
}, 120_000)
afterAll(async () => {
  await store.close()
  await standby.stop()
  await primary.stop()
  await rm(root, { recursive: true, force: true })
})

it('the store skips the standby, and uses it after a failover to it (cases 47, 50, 51)', async () => {
  await store.migrate()
  const submission = (options = {}) => ({ options: compileOptions('test', options), payload: '1' })
  const submit = () => store.submit([submission()])
  const [before] = await submit()
  const sessionId = systemRandom.token()
  await store.work.openSession({
    id: sessionId,
    host: 'h',
    pid: 1,
    version: '0',
    handlers: ['test'],
    queues: [],
    labels: {},
    capacity: 1,
    leaseMs: 600_000,
  })
  const lanes = await store.work.lanes(['test'], [])
  const { runs } = await store.work.claim({
    sessionId,
    fence: systemRandomToken(),
    limit: 1,
    lanes,
  })
  const { incarnation } = await store.upkeep.expiredSessions()
  await eventually('the standby has replayed the claim', async () => {
    const rows = await query(standby.url, `select count(*)::int as n from punctual.leases`).catch(
      () => [],
    )
    return rows[0]?.n === 1
  })
  await primary.stop()
  await query(standby.url, 'select pg_promote()')
  // As if the commits of the lanes had been lost, and other lanes had got their ids.
  await query(standby.url, `update punctual.lanes set handler = 'another'`)
  // This submission comes first: as soon as one of the store's own connections reaches the new
  // primary, the store detects the failover. The mock stands for the tenant's quota cache, fresh
  // for two seconds; reading the quota would be such a connection.
  vi.spyOn(store.quotas, 'admit').mockReturnValueOnce(undefined)
  const refused = await connected(standby.url, async (tx) => {
    await tx.query('begin')
    return store.submit([submission()], { tx })
  }).catch((error: unknown) => error)
  const [[plain], [keyed]] = await Promise.all([submit(), store.submit([submission({ key: 'k' })])])
  for (const accepted of [plain, keyed])
    expect(await store.runs.find(accepted?.id as string)).toMatchObject({ handler: 'test' })
  expect(refused, 'a write on a connection of the caller cannot be repaired').toMatchObject({
    code: 'database_unavailable',
    message: expect.stringMatching(/failed over.*[Tt]ry again/),
  })
  expect(
    await store.work.settle(
      sessionId,
      runs.map((run) => succeeded(run)),
    ),
  ).toEqual([])
  expect(await store.runs.find(before?.id as string)).toMatchObject({ state: 'succeeded' })
  const [after] = await submit()
  expect(await store.runs.find(after?.id as string)).toMatchObject({ state: 'queued' })
  expect(
    (await store.upkeep.expiredSessions()).incarnation,
    'the reaper detects the new server',
  ).not.toBe(incarnation)
})
