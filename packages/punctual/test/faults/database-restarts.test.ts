/**
 * A database that crashes repeatedly under short runs of every delivery mode (cases 11, 45, 46):
 * claims, marks and outcomes are in flight at each crash, and their senders do not know whether
 * they were committed. No worker dies, so no run may be retried, flagged or unknown because of it.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EmbeddedServer, startEmbedded } from '@punctual/store'
import { eventually } from '@punctual/testkit'
import type { Delivery, FinishedRun } from 'punctual'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { DeliveryKit, type Steps } from '../kit/delivery-kit.ts'
import { query } from '../kit/standby-pair.ts'

const CRASHES = 5
const RUNS_EACH = 400
const LEASE_MS = 5_000

let root: string
let server: EmbeddedServer
let kit: DeliveryKit
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'punctual-restarts-'))
  // A server crash loses the same without fsync; only a crash of the machine would differ.
  const settings = { fsync: 'off', shared_buffers: '64MB' }
  server = await startEmbedded({ dataDir: join(root, 'data'), fastInit: true, settings })
  kit = await DeliveryKit.open({ url: server.url, leaseMs: LEASE_MS })
})
afterEach(async () => {
  await kit.close()
  await server.stop()
  await rm(root, { recursive: true, force: true })
})

async function submit(delivery: Delivery, steps: Steps): Promise<readonly string[]> {
  const payloads = Array.from({ length: RUNS_EACH }, () => ({ steps }))
  const options = { delivery, ...(delivery === 'transactional' && { maxAttempts: 50 }) }
  const runs = await kit.punctual.submitMany('work', payloads, options)
  return runs.map(({ id }) => id)
}

/** The postmaster is killed; its supervisor starts a new one, which recovers. */
async function crash(): Promise<void> {
  const { pid } = server
  if (pid !== undefined) process.kill(pid, 'SIGQUIT')
  await eventually('the server is back', () =>
    query(server.url, 'select 1').then(
      () => server.pid !== pid,
      () => false,
    ),
  )
}

async function ended(ids: readonly string[]): Promise<readonly FinishedRun[]> {
  return Promise.all(ids.map((id) => kit.punctual.runs.waitFor(id, { timeoutMs: 90_000 })))
}

it('database crashes lose nothing, repeat nothing and leave nothing unknown (cases 11, 46)', async () => {
  await query(server.url, 'create table effects (run_id uuid, attempt integer)')
  const wait: readonly [string, number] = ['wait', 30]
  const plain = await submit('at-least-once', [[wait, ['effect'], wait]])
  const once = await submit('at-most-once', [[wait, ['effect'], wait]])
  const atomic = await submit('transactional', [[wait, ['write'], wait]])
  const env = { LEASE_MS: String(LEASE_MS), CONCURRENCY: '20' }
  await Promise.all([kit.worker(env), kit.worker(env)])
  for (let crashes = 0; crashes < CRASHES; crashes++) {
    // waits: the time of the crash is random
    await new Promise((resolve) => setTimeout(resolve, 200 + Math.random() * 800))
    await crash()
  }
  const [repeated, single, committed] = [await ended(plain), await ended(once), await ended(atomic)]
  const effects = await kit.effects()
  for (const run of [...repeated, ...single]) {
    expect(run).toMatchObject({
      state: 'succeeded',
      possibleDuplicate: false,
      attempts: [{ attempt: 1 }],
    })
    expect(effects.get(run.id)).toEqual([1])
  }
  const rows = await kit.sql<{ run_id: string; attempt: string }>('select * from effects')
  for (const run of committed) {
    const written = rows.filter((row) => row.run_id === run.id).map((row) => Number(row.attempt))
    expect([run.state, written]).toEqual(['succeeded', [run.attempts.length]])
  }
}, 180_000)
