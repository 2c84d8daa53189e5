/**
 * A PostgreSQL that dies under load and recovers: nothing that was acknowledged is lost, nothing is in two places,
 * and the work goes on by itself.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ClaimedRun } from '@punctual/core/ports'
import { compileOptions } from '@punctual/core/submit'
import {
  type EmbeddedServer,
  PostgresStore,
  startEmbedded,
  systemClock,
  systemRandom,
} from '@punctual/store'
import { checkInvariants, eventually, installWitness, succeeded } from '@punctual/testkit'
import pg from 'pg'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'

const BEFORE = 60
const AFTER = 60

let root: string
let server: EmbeddedServer
let store: PostgresStore
let sessionId: string

const openStore = () =>
  new PostgresStore({
    ...{ url: server.url, clock: systemClock, random: systemRandom, node: systemRandom.token() },
  })

async function asked<T>(ask: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: server.url })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await ask(client)
  } finally {
    await client.end()
  }
}

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'punctual-crash-'))
  const settings = { shared_buffers: '32MB', max_connections: '40' }
  server = await startEmbedded({ dataDir: join(root, 'a'), fastInit: true, settings })
  store = openStore()
  await store.migrate()
  await asked(installWitness)
  sessionId = systemRandom.token()
  await store.work.openSession({
    ...{ id: sessionId, host: 'h', pid: 1, version: '0', handlers: ['test'], queues: [] },
    ...{ labels: {}, capacity: 10, leaseMs: 600_000 },
  })
}, 120_000)
afterAll(async () => {
  await store.close()
  await server.stop()
  await rm(root, { recursive: true, force: true })
})

/** Submits, claims and settles until it is told to stop; keeps what was acknowledged. */
function work() {
  const submitted: string[] = []
  const settled: string[] = []
  let going = true
  const again = async (step: () => Promise<void>) => {
    // Whoever is refused tries again, as a caller and a worker would.
    while (going) await step().catch(() => undefined)
  }
  const submitting = again(async () => {
    const [run] = await store.submit([{ options: compileOptions('test'), payload: '1' }])
    submitted.push(run?.id as string)
  })
  const working = again(async () => {
    const lanes = await store.work.lanes(['test'], [])
    const claim = { sessionId, fence: systemRandom.token(), limit: 5, lanes }
    const { runs } = await store.work.claim(claim)
    const settlements = runs.map((run: ClaimedRun) => succeeded(run))
    const refused = await store.work.settle(sessionId, settlements)
    settled.push(...runs.map(({ id }) => id).filter((id) => !refused.includes(id)))
  })
  const stop = async () => {
    going = false
    await Promise.all([submitting, working])
  }
  return { submitted, settled, stop }
}

const strikes: Record<string, () => Promise<void>> = {
  'a backend is killed, and the server restarts all of them (case 44)': async () => {
    const pid = await asked(async (client) => {
      const { rows } = await client.query(
        `select pid from pg_stat_activity
         where application_name like 'punctual%' and backend_type = 'client backend' limit 1`,
      )
      return rows[0].pid as number
    })
    process.kill(pid, 'SIGKILL')
  },
  'the postmaster is killed (case 45)': async () => {
    process.kill(server.pid as number, 'SIGKILL')
  },
  'the server stops without a checkpoint (case 46)': async () => {
    process.kill(server.pid as number, 'SIGQUIT')
  },
}

it.each(Object.keys(strikes))(
  'nothing is lost or doubled when %s',
  async (name) => {
    const load = work()
    onTestFinished(load.stop)
    await eventually('it works', () => load.settled.length >= BEFORE)
    await strikes[name]?.()
    const so = load.settled.length
    await eventually('it works again', () => load.settled.length >= so + AFTER, 50_000)
    await load.stop()
    await asked(async (client) => {
      expect(await checkInvariants(client)).toEqual([])
      const kept = await client.query('select id from punctual.runs where id = any ($1)', [
        load.submitted,
      ])
      expect(kept.rowCount, 'what was acknowledged is there').toBe(load.submitted.length)
      const ended = await client.query(
        'select 1 from punctual.outcomes where state = 1 and run_id = any ($1)',
        [load.settled],
      )
      expect(ended.rowCount, 'what was settled has ended').toBe(new Set(load.settled).size)
    })
  },
  120_000,
)

it('while all connections are taken who has one keeps its lease, and a newcomer waits (case 54)', async () => {
  const submit = (by: PostgresStore) =>
    by.submit([{ options: compileOptions('test'), payload: '1' }])
  await submit(store)
  expect(await store.work.renewSession(sessionId)).toEqual({ drains: false })
  const taken: pg.Client[] = []
  const release = () => Promise.all(taken.splice(0).map((client) => client.end()))
  onTestFinished(() => release().then(() => undefined))
  for (let full = false; !full; ) {
    const client = new pg.Client({ connectionString: server.url })
    client.on('error', () => undefined)
    await client.connect().then(
      () => taken.push(client),
      (error) => {
        expect(error.code).toBe('53300')
        full = true
      },
    )
  }
  expect(taken.length).toBeGreaterThan(10)
  const newcomer = openStore()
  onTestFinished(() => newcomer.close())
  let accepted: unknown
  const waiting = submit(newcomer).then((runs) => {
    accepted = runs
  })
  expect(await store.work.renewSession(sessionId)).toEqual({ drains: false })
  expect(await submit(store)).toMatchObject([{ created: true }])
  expect(accepted, 'it has no connection').toBeUndefined()
  await release()
  await waiting
  expect(accepted).toMatchObject([{ created: true }])
})
