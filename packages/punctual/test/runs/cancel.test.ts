/** Cancelling running runs, through the library and the command line. */
import { eventually, gate, migratedDatabase } from '@punctual/testkit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Punctual } from '../../src/index.ts'
import { cli } from '../kit/cli-process.ts'

let database: Awaited<ReturnType<typeof migratedDatabase>>
let worker: Punctual
let client: Punctual
const cancelling = { result: 'cancelling', state: 'cancelling' }
const started = { heeding: gate<string>(), quick: gate<string>() }

beforeAll(async () => {
  database = await migratedDatabase()
  const { url: databaseUrl } = database
  worker = await Punctual.start({ databaseUrl, roles: ['worker'], worker: { concurrency: 2 } })
  client = await Punctual.start({ databaseUrl, roles: [] })
  worker.handler('heeding', (_, { runId, signal }) => {
    started.heeding.open(runId)
    return new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason))
    })
  })
  worker.handler('finishing', (_, { runId, signal }) => {
    started.quick.open(runId)
    return new Promise((resolve) => {
      signal.addEventListener('abort', () => resolve('saved what there was'))
    })
  })
})
afterAll(async () => {
  await worker.stop()
  await client.stop()
  await database.drop()
})

it('a handler in another process is asked to stop, and its run is cancelled', async () => {
  const { id } = await client.submit('heeding', 1)
  await started.heeding.opened
  expect(await client.runs.cancel(id, 'nobody wants it')).toEqual(cancelling)
  const run = await client.runs.waitFor(id)
  expect(run).toMatchObject({ state: 'cancelled', reason: 'nobody wants it' })
  expect(run.attempts).toMatchObject([{ outcome: 'cancelled' }])
  expect(await client.runs.cancel(id)).toEqual({ result: 'cancelled', state: 'cancelled' })
})

it('a handler that returns although it was asked to stop has succeeded', async () => {
  const { id } = await client.submit('finishing', 1)
  await started.quick.opened
  expect(await client.runs.cancel(id)).toEqual(cancelling)
  const run = await client.runs.waitFor(id)
  expect(run).toMatchObject({ state: 'succeeded', output: 'saved what there was' })
  const late = { result: 'already_finished', state: 'succeeded' }
  expect(await client.runs.cancel(id)).toEqual(late)
  const flags = ['--database-url', database.url]
  const finished = await cli(['runs', 'cancel', id, ...flags])
  expect([finished.code, finished.stdout]).toEqual([
    1,
    expect.stringContaining('already ended (succeeded)'),
  ])
})

it('the command line reports the result of a cancellation', async () => {
  const { id } = await client.submit('heeding', 1)
  const flags = ['--database-url', database.url]
  await eventually('a worker has it', async () => (await client.runs.get(id))?.state === 'running')
  const cancelling = await cli(['runs', 'cancel', id, '--reason', 'enough', ...flags])
  expect([cancelling.code, cancelling.stdout]).toEqual([
    0,
    expect.stringContaining('the handler was signalled'),
  ])
  await client.runs.waitFor(id)
  const again = await cli(['runs', 'cancel', id, '--json', ...flags])
  expect(JSON.parse(again.stdout)).toEqual({ id, result: 'cancelled', state: 'cancelled' })
})
