/**
 * The database is away under running work, for three leases: it is stopped and started again, or every node is cut
 * off from it (then it is the same server before and after). Handlers go on, nothing is started a second time, and
 * every run has one outcome.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EmbeddedServer, startEmbedded } from '@punctual/store'
import { eventually } from '@punctual/testkit'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startCutProxy } from './cut-proxy.ts'
import { DeliveryKit } from './delivery-kit.ts'

const LEASE_MS = 3_000
const RUN_MS = 10_000
const AWAY_MS = 9_000
const RUNS = 200
const WORKERS = 2

let root: string
let server: EmbeddedServer
let kit: DeliveryKit | undefined

const start = () => {
  const settings = { fsync: 'off', shared_buffers: '64MB' }
  return startEmbedded({ dataDir: join(root, 'data'), fastInit: true, settings, restart: false })
}

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'punctual-away-'))
  server = await start()
})
afterEach(async () => {
  await kit?.close()
  kit = undefined
  await server.stop()
  await rm(root, { recursive: true, force: true })
})

/** Runs that are all running, in other processes. */
async function running(on: DeliveryKit): Promise<readonly string[]> {
  const env = { LEASE_MS: String(LEASE_MS), CONCURRENCY: String(RUNS / WORKERS) }
  const workers = await Promise.all(Array.from({ length: WORKERS }, () => on.worker(env)))
  const payloads = Array.from({ length: RUNS }, () => ({ steps: [[['effect'], ['wait', RUN_MS]]] }))
  const runs = await on.punctual.submitMany('work', payloads)
  await eventually('all have started', () => {
    const starts = workers.flatMap(({ lines }) => lines).filter((it) => it.startsWith('start '))
    return starts.length === RUNS
  })
  return runs.map(({ id }) => id)
}

async function expectOneOutcomeEach(on: DeliveryKit, ids: readonly string[]): Promise<void> {
  const timeoutMs = 60_000
  const runs = await Promise.all(ids.map((id) => on.punctual.runs.waitFor(id, { timeoutMs })))
  for (const run of runs)
    expect(run).toMatchObject({
      state: 'succeeded',
      possibleDuplicate: false,
      attempts: [{ attempt: 1, outcome: 'succeeded' }],
    })
  const effects = await on.effects()
  expect(ids.map((id) => effects.get(id)?.length)).toEqual(ids.map(() => 1))
  expect(effects.size).toBe(RUNS)
}

it('stopped and started again: one outcome each, nothing is started twice', async () => {
  kit = await DeliveryKit.open({ url: server.url, leaseMs: LEASE_MS })
  const ids = await running(kit)
  await server.stop()
  // waits: the database is away for three leases, which is what this is about
  await new Promise((resolve) => setTimeout(resolve, AWAY_MS))
  server = await start()
  await expectOneOutcomeEach(kit, ids)
}, 120_000)

it('cut off from everybody, the same server before and after: the same', async () => {
  const proxy = await startCutProxy(server.url)
  kit = await DeliveryKit.open({ url: proxy.url, leaseMs: LEASE_MS })
  const ids = await running(kit)
  proxy.cut()
  // waits: as above
  await new Promise((resolve) => setTimeout(resolve, AWAY_MS))
  proxy.mend()
  await expectOneOutcomeEach(kit, ids)
  await kit.close()
  kit = undefined
  await proxy.stop()
}, 120_000)
