/**
 * PostgreSQL dies under load and recovers: no acknowledged run is lost, no run is in two places,
 * and the work continues without intervention.
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

async function withClient<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: server.url })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await work(client)
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
  await withClient(installWitness)
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

/** Submits, claims and settles until it is stopped; collects the acknowledged runs. */
function startLoad() {
  const submitted: string[] = []
  const settled: string[] = []
  let running = true
  const repeat = async (step: () => Promise<void>) => {
    // A refused step is retried, as callers and workers do.
    while (running) await step().catch(() => undefined)
  }
  const submitting = repeat(async () => {
    const [run] = await store.submit([{ options: compileOptions('test'), payload: '1' }])
    submitted.push(run?.id as string)
  })
  const working = repeat(async () => {
    const lanes = await store.work.lanes(['test'], [])
    const claim = { sessionId, fence: systemRandom.token(), limit: 5, lanes }
    const { runs } = await store.work.claim(claim)
    const settlements = runs.map((run: ClaimedRun) => succeeded(run))
    const refused = await store.work.settle(sessionId, settlements)
    settled.push(...runs.map(({ id }) => id).filter((id) => !refused.includes(id)))
  })
  const stop = async () => {
    running = false
    await Promise.all([submitting, working])
  }
  return { submitted, settled, stop }
}

const strikes: Record<string, () => Promise<void>> = {
  'a backend is killed and the server restarts all of them (case 44)': async () => {
    const pid = await withClient(async (client) => {
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
  'no run is lost or duplicated when %s',
  async (name) => {
    const load = startLoad()
    onTestFinished(load.stop)
    await eventually('runs are settled', () => load.settled.length >= BEFORE)
    await strikes[name]?.()
    const settledBefore = load.settled.length
    await eventually(
      'runs are settled after the crash',
      () => load.settled.length >= settledBefore + AFTER,
      50_000,
    )
    await load.stop()
    await withClient(async (client) => {
      expect(await checkInvariants(client)).toEqual([])
      const kept = await client.query('select id from punctual.runs where id = any ($1)', [
        load.submitted,
      ])
      expect(kept.rowCount, 'every acknowledged run exists').toBe(load.submitted.length)
      const ended = await client.query(
        'select 1 from punctual.outcomes where state = 1 and run_id = any ($1)',
        [load.settled],
      )
      expect(ended.rowCount, 'every settled run has ended').toBe(new Set(load.settled).size)
    })
  },
  120_000,
)

it('when connections are exhausted, leases are kept and new clients wait (case 54)', async () => {
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
  expect(accepted, 'the newcomer has no connection').toBeUndefined()
  await release()
  await waiting
  expect(accepted).toMatchObject([{ created: true }])
})
