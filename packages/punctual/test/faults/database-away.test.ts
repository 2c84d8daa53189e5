/**
 * The database is away for three leases while runs are running: it is stopped and restarted, or
 * every node is cut off from it (then the server stays the same), or it dies and its standby takes
 * over. Handlers continue, no run starts a second time, and every run has one outcome.
 *
 * `PUNCTUAL_AWAY=full` runs the promised size: 1,000 runs of two minutes, one minute without a
 * database.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EmbeddedServer, startEmbedded } from '@punctual/store'
import { eventually, TcpProxy } from '@punctual/testkit'
import { describe, expect, it, type TestContext } from 'vitest'
import { DeliveryKit } from '../kit/delivery-kit.ts'
import { StandbyPair } from '../kit/standby-pair.ts'

const full = process.env.PUNCTUAL_AWAY === 'full'
const LEASE_MS = full ? 30_000 : 3_000
const RUN_MS = full ? 120_000 : 10_000
const AWAY_MS = full ? 60_000 : 9_000
const RUNS = full ? 1_000 : 200
const WORKERS = 2
const DEADLINE_MS = full ? 400_000 : 120_000

type AtEnd = TestContext['onTestFinished']

async function aServer(atEnd: AtEnd): Promise<() => Promise<EmbeddedServer>> {
  const root = await mkdtemp(join(tmpdir(), 'punctual-away-'))
  atEnd(() => rm(root, { recursive: true, force: true }))
  const settings = { fsync: 'off', shared_buffers: '64MB' }
  const options = { dataDir: join(root, 'data'), fastInit: true, settings, restart: false }
  return async () => {
    const server = await startEmbedded(options)
    atEnd(() => server.stop())
    return server
  }
}

async function aKit(url: string, atEnd: AtEnd): Promise<DeliveryKit> {
  const kit = await DeliveryKit.open({ url, leaseMs: LEASE_MS })
  atEnd(() => kit.close())
  return kit
}

// waits: the database is away for three leases, which is the subject of this test
const whileAway = () => new Promise<void>((resolve) => setTimeout(resolve, AWAY_MS))

/** Runs that are all running, in other processes. */
async function running(on: DeliveryKit): Promise<readonly string[]> {
  const env = { LEASE_MS: String(LEASE_MS), CONCURRENCY: String(RUNS / WORKERS) }
  const workers = await Promise.all(Array.from({ length: WORKERS }, () => on.worker(env)))
  const payloads = Array.from({ length: RUNS }, () => ({ steps: [[['effect'], ['wait', RUN_MS]]] }))
  const runs = await on.punctual.submitMany('work', payloads)
  await eventually('all have started', () => {
    const starts = workers.flatMap(({ lines }) => lines).filter((line) => line.startsWith('start '))
    return starts.length === RUNS
  })
  return runs.map(({ id }) => id)
}

async function expectOneOutcomeEach(on: DeliveryKit, ids: readonly string[]): Promise<void> {
  const timeoutMs = RUN_MS + 50_000
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

async function stoppedAndStarted(atEnd: AtEnd): Promise<void> {
  const start = await aServer(atEnd)
  const server = await start()
  const kit = await aKit(server.url, atEnd)
  const ids = await running(kit)
  await server.stop()
  await whileAway()
  await start()
  await expectOneOutcomeEach(kit, ids)
}

async function cutOff(atEnd: AtEnd): Promise<void> {
  const server = await (await aServer(atEnd))()
  const proxy = await TcpProxy.to(server.url)
  atEnd(() => proxy.close())
  const kit = await aKit(proxy.through(server.url), atEnd)
  const ids = await running(kit)
  proxy.hold('up', 'down')
  await whileAway()
  proxy.repair()
  await expectOneOutcomeEach(kit, ids)
}

async function failedOver(atEnd: AtEnd): Promise<void> {
  const pair = await StandbyPair.start()
  atEnd(() => pair.stop())
  const url = await pair.url()
  await pair.setSynchronous('second')
  const kit = await aKit(url, atEnd)
  const ids = await running(kit)
  await pair.failOver(whileAway)
  await expectOneOutcomeEach(kit, ids)
  expect((await kit.punctual.guarantees()).facts.timeline).toBe('2')
}

describe.concurrent('running runs have one outcome each and no second start when', () => {
  const options = { timeout: DEADLINE_MS }
  it('the database is stopped and started again', options, (t) =>
    stoppedAndStarted(t.onTestFinished),
  )
  it('every node is cut off from the same database server', options, (t) =>
    cutOff(t.onTestFinished),
  )
  it('the database dies and its synchronous standby takes over', options, (t) =>
    failedOver(t.onTestFinished),
  )
})
