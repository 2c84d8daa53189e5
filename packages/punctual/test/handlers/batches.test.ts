/**
 * Handlers that take several runs in one call, in a real worker: each run has a separate outcome.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { migratedDatabase, type TestDatabase } from '@punctual/testkit'
import { type BatchItem, Punctual } from 'punctual'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'

let database: TestDatabase
let punctual: Punctual
beforeAll(async () => {
  database = await migratedDatabase()
  punctual = await Punctual.start({
    databaseUrl: database.url,
    roles: ['worker'],
    worker: { concurrency: 20 },
  })
})
afterAll(async () => {
  await punctual.stop()
  await database.drop()
})

const once = { maxAttempts: 1 } as const
const again = { retry: { backoff: { kind: 'fixed', delayMs: 0 } } } as const
/** Longer than any test, so that only a full batch is called. */
const WHEN_FULL_MS = 50_000

async function ended(name: string, payloads: readonly unknown[], options: object = once) {
  const submitted = await punctual.submitMany(name, payloads, options)
  return Promise.all(submitted.map(({ id }) => punctual.runs.waitFor(id)))
}

it('a batch is called when it is full, with an item for each run', async () => {
  const sizes: number[] = []
  const options = { batchSize: 4, batchWaitMs: WHEN_FULL_MS }
  punctual.handler('full', options, (items: readonly BatchItem<number>[]) => {
    sizes.push(items.length)
    return items.map(({ payload, context }) => ({ twice: payload * 2, runId: context.runId }))
  })
  const runs = await ended('full', [1, 2, 3, 4, 5, 6, 7, 8])
  expect(sizes).toEqual([4, 4])
  expect(runs.map((run) => run.output)).toEqual(
    runs.map((run, i) => ({ twice: (i + 1) * 2, runId: run.id })),
  )
})

it('a batch that does not fill is called when its first run has waited long enough', async () => {
  punctual.handler('few', { batchSize: 10, batchWaitMs: 50 }, (items) =>
    items.map(() => items.length),
  )
  for (const run of await ended('few', [1, 2, 3])) expect(run.state).toBe('succeeded')
  const [alone] = await ended('few', [1])
  expect(alone).toMatchObject({ output: 1 })
})

it('each run has a separate outcome, and only failed runs are retried', async () => {
  const options = { batchSize: 3, batchWaitMs: 100 }
  punctual.handler('mixed', options, (items: readonly BatchItem<string>[]) =>
    items.map(({ payload, context }) => {
      if (context.attempt > 1) return `${payload} at last`
      if (payload === 'error') return new TypeError('not this one')
      return payload === 'rejection' ? Promise.reject(new Error('nor this')) : payload
    }),
  )
  const runs = await ended('mixed', ['fine', 'error', 'rejection'], { ...again, maxAttempts: 2 })
  expect(runs.map((run) => run.output)).toEqual(['fine', 'error at last', 'rejection at last'])
  expect(runs.map((run) => run.attempts.length)).toEqual([1, 2, 2])
  expect(runs[1]?.attempts[0]?.error).toMatchObject({ name: 'TypeError', message: 'not this one' })
})

it('an empty place of the array is an outcome without output', async () => {
  punctual.handler('sparse', { batchSize: 3, batchWaitMs: WHEN_FULL_MS }, (items) => {
    const outcomes = new Array(items.length)
    outcomes[1] = 'set'
    return outcomes
  })
  const runs = await ended('sparse', [1, 2, 3])
  expect(runs.map((run) => run.state)).toEqual(['succeeded', 'succeeded', 'succeeded'])
  expect(runs.map((run) => run.output)).toEqual([null, 'set', null])
})

it.for<[string, () => unknown, RegExp]>([
  ['throws', () => Promise.reject(new Error('all of it')), /^all of it$/],
  ['returns too few outcomes', () => [1], /one outcome for each of its 2 items; got 1 outcomes?/],
  ['returns rejections, too many', () => [1, 2, 3].map(() => Promise.reject(1)), /got 3 outcomes/],
  ['returns no array', () => ({ length: 2 }), /got a value that is not an array/],
])('a batch that %s fails all of its runs', async ([what, run, message]) => {
  punctual.handler(what, { batchSize: 2, batchWaitMs: WHEN_FULL_MS }, run as never)
  for (const { state, error } of await ended(what, [1, 2])) {
    expect(state).toBe('dead')
    expect(error?.message).toMatch(message)
  }
  expect(punctual.running).toBe(0)
})

it('a run whose timeout passes while it waits leaves its batch', async () => {
  const seen: unknown[] = []
  const options = { batchSize: 2, batchWaitMs: WHEN_FULL_MS }
  punctual.handler('leaving', options, (items) => {
    seen.push(items.map(({ payload }) => payload))
    return items.map(() => null)
  })
  const [late] = await ended('leaving', ['late'], { ...once, timeoutMs: 100 })
  expect(late?.attempts).toMatchObject([{ outcome: 'timed_out' }])
  const runs = await ended('leaving', ['a', 'b'])
  expect(runs.map((run) => run.state)).toEqual(['succeeded', 'succeeded'])
  expect(seen).toEqual([['a', 'b']])
})

it('a run whose timeout passes in a batch ends, and the others continue', async () => {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  punctual.handler('slow', { batchSize: 2, batchWaitMs: WHEN_FULL_MS }, async (items) => {
    await released
    return items.map(() => 'done')
  })
  const hasty = await punctual.submit('slow', 1, { ...once, timeoutMs: 100 })
  const patient = await punctual.submit('slow', 2, once)
  expect(await punctual.runs.waitFor(hasty)).toMatchObject({ state: 'dead' })
  release()
  expect(await punctual.runs.waitFor(patient)).toMatchObject({ output: 'done' })
})

it('the schema reads each payload, and refused payloads are not in the batch', async () => {
  const schema = z.object({ at: z.string().transform((text) => new Date(text).getFullYear()) })
  const options = { schema, batchSize: 5, batchWaitMs: 50 }
  const typed = punctual.handler('typed', options, (items) =>
    items.map((item) => item.payload.at + 1),
  )
  const good = await typed.submit({ at: '2030-06-01T00:00:00Z' }, once)
  expect(await punctual.runs.waitFor(good)).toMatchObject({ output: 2031 })
  await expect(typed.submit({ at: 5 as never })).rejects.toMatchObject({ code: 'invalid_payload' })
})

it('middleware wraps each run of a batch; the batch is outside their AsyncLocalStorage', async () => {
  const storage = new AsyncLocalStorage<string>()
  const around: string[] = []
  punctual.handler('stored', { batchSize: 2, batchWaitMs: WHEN_FULL_MS }, (items) =>
    items.map(() => storage.getStore() ?? 'none'),
  )
  punctual.use({
    around({ handler, context }, next) {
      if (handler === 'stored') around.push(context.runId)
      return storage.run(context.runId, next)
    },
  })
  const runs = await ended('stored', [1, 2])
  expect(runs.map((run) => run.output)).toEqual(['none', 'none'])
  expect(around.sort()).toEqual(runs.map((run) => run.id).sort())
})

describe('an invalid size or wait of a batch is refused', () => {
  it.each([
    ['batchSize', { batchSize: 0 }],
    ['batchSize', { batchSize: 1.5 }],
    ['batchSize', { batchSize: '5' }],
    ['batchWaitMs', { batchSize: 5, batchWaitMs: -1 }],
    ['batchWaitMs', { batchSize: 5, batchWaitMs: Number.NaN }],
    ['batchWaitMs', { batchWaitMs: 5 }],
  ])('%s of %j', (field, options) => {
    expect(() => punctual.handler('refused', options as never, () => [])).toThrow(
      expect.objectContaining({ code: 'invalid_option', field }),
    )
  })
})
