/** Middleware around every call of a handler. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { gate, migratedDatabase, type TestDatabase } from '@punctual/testkit'
import { type Middleware, Punctual } from 'punctual'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'

let database: TestDatabase
let punctual: Punctual
beforeAll(async () => {
  database = await migratedDatabase()
})
afterAll(() => database.drop())
beforeEach(async () => {
  punctual = await Punctual.start({ databaseUrl: database.url, roles: ['worker'] })
})
afterEach(() => punctual.stop())

const once = { maxAttempts: 1 } as const
const ended = async (name: string, payload: unknown = null) =>
  punctual.runs.waitFor(await punctual.submit(name, payload, once))

it('middleware nests in the order of its registration, also around earlier handlers', async () => {
  const order: string[] = []
  punctual.handler('nested', () => void order.push('handler'))
  const named = (name: string): Middleware => ({
    async around(_, next) {
      order.push(`${name} before`)
      await next()
      order.push(`${name} after`)
    },
  })
  punctual.use(named('outer')).use(named('inner'))
  await ended('nested')
  expect(order).toEqual([
    ...['outer before', 'inner before', 'handler', 'inner after', 'outer after'],
  ])
})

it("each call's AsyncLocalStorage values are available in its handler", async () => {
  const storage = new AsyncLocalStorage<string>()
  punctual.use({ around: ({ context }, next) => storage.run(context.runId, next) })
  punctual.handler('stored', async (_: unknown, ctx) => {
    await Promise.resolve()
    return storage.getStore() === ctx.runId
  })
  const runs = await punctual.submitMany(
    'stored',
    Array.from({ length: 20 }, (_, i) => i),
  )
  for (const { id } of runs) expect(await punctual.runs.waitFor(id)).toMatchObject({ output: true })
})

it('middleware sees what a handler throws, and the attempt fails as without it', async () => {
  const seen: string[] = []
  punctual.use({
    around: async ({ handler, payload, context }, next) => {
      try {
        return await next()
      } catch (error) {
        seen.push(`${handler} ${JSON.stringify(payload)} ${context.attempt}: ${error}`)
        throw error
      }
    },
  })
  punctual.handler('thrown', () => {
    throw new Error('no')
  })
  expect(await ended('thrown', { a: 1 })).toMatchObject({ state: 'dead', error: { message: 'no' } })
  expect(seen).toEqual(['thrown {"a":1} 1: Error: no'])
})

it('middleware may return another output, and may skip the handler', async () => {
  punctual.use({
    around: async ({ handler }, next) => (handler === 'left' ? 'cached' : { was: await next() }),
  })
  let called = false
  punctual.handler('left', () => {
    called = true
  })
  punctual.handler('other', () => 1)
  expect(await ended('left')).toMatchObject({ output: 'cached' })
  expect(await ended('other')).toMatchObject({ output: { was: 1 } })
  expect(called).toBe(false)
})

it('middleware that does not await the handler sets the output; a later rejection is harmless', async () => {
  punctual.use({ around: (_, next) => void next() })
  const held = gate()
  const thrown = gate()
  punctual.handler('unawaited', async () => {
    await held.opened
    // After the rejection, and after Node.js has reported an unhandled one.
    setImmediate(thrown.open)
    throw new Error('too late')
  })
  const unhandled: unknown[] = []
  const note = (reason: unknown) => void unhandled.push(reason)
  process.on('unhandledRejection', note)
  expect(await ended('unawaited')).toMatchObject({ state: 'succeeded', output: null })
  held.open()
  await thrown.opened
  process.off('unhandledRejection', note)
  expect(unhandled).toEqual([])
})

it('middleware that calls the handler twice fails the attempt', async () => {
  let calls = 0
  punctual.use({ around: async (_, next) => [await next(), await next()] })
  punctual.handler('twice', () => ++calls)
  const run = await ended('twice')
  expect(run).toMatchObject({ state: 'dead' })
  expect(run.error?.message).toMatch(/called twice/)
  expect(calls).toBe(1)
})

it.for([[null], [{}], [{ around: 1 }]])('invalid middleware is refused: %j', ([middleware]) => {
  expect(() => punctual.use(middleware as never)).toThrow(
    expect.objectContaining({ code: 'invalid_option', field: 'middleware' }),
  )
})
