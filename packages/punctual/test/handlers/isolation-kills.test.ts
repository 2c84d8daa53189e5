/**
 * Isolated handlers' process groups end when a handler is killed, its worker stops, or that is
 * killed.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { eventually, migratedDatabase, type TestDatabase } from '@punctual/testkit'
import { Punctual } from 'punctual'
import { afterAll, beforeAll, expect, it } from 'vitest'

const moduleUrl = new URL('../children/isolated.mjs', import.meta.url)
const script = new URL('../children/isolating-worker.mjs', import.meta.url)

let database: TestDatabase
let client: Punctual
beforeAll(async () => {
  database = await migratedDatabase()
  client = await Punctual.start({ databaseUrl: database.url, roles: [] })
})
afterAll(async () => {
  await client.stop()
  await database.drop()
})

const spawning = { act: 'spawn' }

/** The handler's process and the process that it started, once both exist. */
async function pidsOf(runId: string): Promise<number[]> {
  const spawned = async () => (await client.runs.logs(runId))[0]?.data as { pids: number[] }
  await eventually('the handler has started a process', async () => Boolean(await spawned()))
  const { pids } = await spawned()
  expect(pids.map(isThere)).toEqual([true, true])
  return pids
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const allGone = (pids: readonly number[]) =>
  eventually('all processes are gone', () => !pids.some(isThere))

async function aWorker(handler: string): Promise<Punctual> {
  const worker = await Punctual.start({ databaseUrl: database.url, roles: ['worker'] })
  worker.handler(handler, { isolation: 'process' }, moduleUrl)
  return worker
}

it.concurrent('killing a handler also kills the processes that it started', async () => {
  const worker = await aWorker('cancelled')
  const { id } = await client.submit('cancelled', spawning)
  const pids = await pidsOf(id)
  await client.runs.cancel(id)
  expect(await client.runs.waitFor(id)).toMatchObject({ state: 'cancelled' })
  await allGone(pids)
  await worker.stop()
})

it.concurrent('a stopping worker leaves no process behind, and its run goes to other workers', async () => {
  const worker = await aWorker('interrupted')
  const { id } = await client.submit('interrupted', spawning)
  const pids = await pidsOf(id)
  await worker.stop({ drainMs: 0 })
  await allGone(pids)
  expect(await client.runs.get(id)).toMatchObject({ attempts: [{ outcome: 'cancelled' }] })
})

it.concurrent('a blocking handler does not outlive a killed worker', async () => {
  const worker: ChildProcess = spawn(process.execPath, [script.pathname], {
    env: { ...process.env, DATABASE_URL: database.url, HANDLER: 'orphaned' },
    stdio: 'inherit',
  })
  const { id } = await client.submit('orphaned', spawning)
  const pids = await pidsOf(id)
  worker.kill('SIGKILL')
  await allGone(pids)
})
