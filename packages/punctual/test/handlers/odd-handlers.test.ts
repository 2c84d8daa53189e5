/** Handlers with pathological return values: no capacity is lost, and no run hangs. */
import { migratedDatabase, type TestDatabase } from '@punctual/testkit'
import { Punctual } from 'punctual'
import { afterAll, beforeAll, expect, it } from 'vitest'

let database: TestDatabase
let punctual: Punctual
beforeAll(async () => {
  database = await migratedDatabase()
  punctual = await Punctual.start({
    databaseUrl: database.url,
    roles: ['worker'],
    worker: { concurrency: 2 },
  })
})
afterAll(async () => {
  await punctual.stop()
  await database.drop()
})

const odd: Record<string, () => unknown> = {
  'a `then` that throws when it is read': () => ({
    // biome-ignore lint/suspicious/noThenProperty: the test needs it
    get then() {
      throw new Error('do not look')
    },
  }),
  'a `then` that throws when it is called': () => ({
    // biome-ignore lint/suspicious/noThenProperty: the test needs it
    then() {
      throw new Error('do not call')
    },
  }),
  'a proxy that throws at everything': () =>
    new Proxy(
      {},
      {
        get() {
          throw new Error('do not touch')
        },
      },
    ),
}

it.each(Object.keys(odd))('%s fails the attempt and frees its capacity', async (what) => {
  const handler = punctual.handler(what, odd[what] as () => unknown)
  for (let round = 0; round < 3; round++) {
    const run = await punctual.runs.waitFor(await handler.submit(null, { maxAttempts: 1 }))
    expect(run.state).toBe('dead')
  }
  expect(punctual.running).toBe(0)
})

it('a `then` that answers twice counts once', async () => {
  const twice: unknown = {
    // biome-ignore lint/suspicious/noThenProperty: the test needs it
    then(resolve: (value: number) => void) {
      resolve(1)
      resolve(2)
    },
  }
  const handler = punctual.handler('twice', () => twice)
  const run = await punctual.runs.waitFor(await handler.submit(null))
  expect(run).toMatchObject({ state: 'succeeded', output: 1 })
  expect(punctual.running).toBe(0)
})

it('a handler that stops with its worker runs elsewhere, even with one attempt', async () => {
  const worker = await Punctual.start({ databaseUrl: database.url, roles: ['worker'] })
  const started = new Promise<void>((resolve) => {
    worker.handler('heeds', (_: null, ctx) => {
      resolve()
      return new Promise((_, reject) =>
        ctx.signal.addEventListener('abort', () => reject(new Error('stopping'))),
      )
    })
  })
  const { id } = await worker.submit('heeds', null, { maxAttempts: 1 })
  await started
  await worker.stop({ drainMs: 0 })
  punctual.handler('heeds', (_: null, ctx) => ctx.attempt)
  const run = await punctual.runs.waitFor(id)
  expect(run.attempts.map((a) => a.outcome)).toEqual(['cancelled', 'succeeded'])
})
