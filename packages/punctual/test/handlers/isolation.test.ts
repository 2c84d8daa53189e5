/**
 * Handlers in a separate thread or process of a real worker: input, output, and released capacity.
 */
import { eventually, migratedDatabase, type TestDatabase } from '@punctual/testkit'
import { Punctual, type WaitingRun } from 'punctual'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'

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

const moduleUrl = (name = '') =>
  new URL(`../children/isolated.mjs${name && `#${name}`}`, import.meta.url)
const again = { retry: { backoff: { kind: 'fixed', delayMs: 0 } } } as const
const once = { maxAttempts: 1 } as const

describe.each(['thread', 'process'] as const)('a handler in a %s', (isolation) => {
  const name = `in a ${isolation}`
  beforeAll(() => {
    punctual.handler(name, { isolation }, moduleUrl())
  })
  const submit = (act: string, options: object = once, more: object = {}) =>
    punctual.submit(name, { act, ...more }, options)
  const ended = async (...what: Parameters<typeof submit>) =>
    punctual.runs.waitFor(await submit(...what))

  it('an isolated handler gets its payload and context, and its output comes back', async () => {
    const run = await ended('about', { ...once, queue: 'far', trace: 't' }, { a: [1, null, 'x'] })
    const { id } = run
    expect(run).toMatchObject({ state: 'succeeded', output: { payload: { a: [1, null, 'x'] } } })
    expect(run.output).toMatchObject({ runId: id, idempotencyKey: id, attempt: 1, maxAttempts: 1 })
    expect(run.output).toMatchObject({ queue: 'far', trace: 't', job: null, due: true, last: null })
    expect(run.output).not.toMatchObject({ place: `${process.pid} 0` })
    const [line] = await punctual.runs.logs(id)
    expect(line).toMatchObject({
      level: 'info',
      message: 'hello',
      data: { from: expect.any(String) },
    })
  })

  it('consecutive runs share one warm thread or process', async () => {
    const first = await ended('where')
    expect(first.output).toEqual(expect.stringMatching(/^\d+ \d+$/))
    expect(await ended('where')).toMatchObject({ output: first.output })
  })

  it('a thrown error fails the attempt with its name, message, code and stack', async () => {
    const run = await ended('throw', once, { what: 'coded' })
    expect(run).toMatchObject({ state: 'dead', reason: 'attempts_exhausted' })
    expect(run.error).toMatchObject({ name: 'TypeError', message: 'no good', code: 'E_GOOD' })
    expect(run.error?.stack).toContain('isolated.mjs')
    const text = await ended('throw', once, { what: 'text' })
    expect(text.error).toMatchObject({ name: 'NonError' })
  })

  it("a handler's error classes decide about retries", async () => {
    const final = await ended('throw', { maxAttempts: 5 }, { what: 'final' })
    expect(final).toMatchObject({ state: 'dead', error: { name: 'NonRetryableError' } })
    expect(final.attempts).toHaveLength(1)
    const { id } = await submit('throw', { maxAttempts: 5 }, { what: 'later' })
    const look = async () => (await punctual.runs.get(id)) as WaitingRun
    await eventually('it waits', async () => (await look()).attempts.length === 1)
    expect((await look()).nextAt.getTime()).toBeGreaterThan(Date.now() + 3_000_000)
    await punctual.runs.cancel(id)
  })

  it('a blocking handler is killed at its timeout, is never stuck, and frees its capacity', async () => {
    const late = await submit('block', { ...once, timeoutMs: 500 })
    const silent = await submit('block', { ...once, heartbeatMs: 500 })
    for (const { id } of [late, silent]) {
      const run = await punctual.runs.waitFor(id)
      expect(run).toMatchObject({ state: 'dead', error: { name: 'TimeoutError' } })
      expect(run.attempts).toMatchObject([{ outcome: 'timed_out' }])
      expect((await punctual.runs.logs(id)).at(-1)?.message).toMatch(/was killed/)
    }
    expect(punctual.running).toBe(0)
    expect((await punctual.workers.list())[0]?.stuck).toEqual([])
    expect(await ended('where')).toMatchObject({ state: 'succeeded' })
  })

  it('a blocking handler is killed when it is cancelled', async () => {
    const { id } = await submit('block')
    await eventually('it blocks', async () => (await punctual.runs.logs(id)).length > 0)
    await punctual.runs.cancel(id, 'enough')
    expect(await punctual.runs.waitFor(id)).toMatchObject({ state: 'cancelled', reason: 'enough' })
    expect(punctual.running).toBe(0)
  })

  it('a handler that heeds its signal ends by itself and serves the next run', async () => {
    const before = await ended('where')
    const run = await ended('heed', { ...once, timeoutMs: 100 })
    expect(run).toMatchObject({ state: 'dead', error: { name: 'TimeoutError' } })
    expect(await punctual.runs.logs(run.id)).toEqual([])
    expect(await ended('where')).toMatchObject({ output: before.output })
  })

  it('a handler that exits fails only its own attempt, and the next run has a new one', async () => {
    const before = await ended('where')
    const run = await ended('exit', { ...again, maxAttempts: 2 })
    expect(run.attempts).toMatchObject([{ outcome: 'failed' }, { outcome: 'succeeded' }])
    expect(run.attempts[0]?.error).toMatchObject({ code: 'isolate_ended' })
    expect(run.attempts[0]?.error?.message).toMatch(/code 3/)
    expect(run.output).not.toBe(before.output)
  })

  it('an uncaught error outside the handler call fails the attempt with that error', async () => {
    const run = await ended('uncaught', { ...again, maxAttempts: 2 })
    expect(run.attempts).toMatchObject([{ outcome: 'failed' }, { outcome: 'succeeded' }])
    const error = { name: 'RangeError', message: 'nobody caught this', code: 'E_LOOSE' }
    expect(run.attempts[0]?.error).toMatchObject(error)
  })

  it("the handler's own messages are ignored", async () => {
    const words = ['ready', null, 7, { type: 'hello' }, { kind: 'threw' }, { kind: 'crashed' }]
    const lies = [
      { kind: 'returned', output: '{' },
      { kind: 'returned', output: '"a lie"' },
    ]
    const before = await ended('where')
    const run = await ended('says', once, { what: [...words, ...lies] })
    expect(run).toMatchObject({ state: 'succeeded', output: before.output })
  })

  it.each([
    { kind: 'returned', output: '{' },
    { kind: 'checkpoint', call: 0, state: '{' },
    { kind: 'threw' },
  ])('an unreadable message in the protocol format fails the attempt: %j', async (message) => {
    const what = [{ by: 'punctual/isolate', message }]
    const run = await ended('says', { ...again, maxAttempts: 2 }, { what, stay: true })
    expect(run).toMatchObject({ state: 'dead', attempts: [{}, { outcome: 'failed' }] })
    expect(await ended('where')).toMatchObject({ state: 'succeeded' })
  })

  it('a handler that exceeds its memory fails its attempt', async () => {
    const options = { isolation, memoryMb: 32 } as const
    const hoard = punctual.handler(`${isolation} hoard`, options, moduleUrl('hoard'))
    const run = await punctual.runs.waitFor(await hoard.submit(null, once))
    expect(run).toMatchObject({ state: 'dead', attempts: [{ outcome: 'failed' }] })
    expect(punctual.running).toBe(0)
  })

  it('checkpoints are kept, and the next attempt continues from the last', async () => {
    const run = await ended('steps', { ...again, maxAttempts: 3 })
    expect(run).toMatchObject({ state: 'succeeded', output: 2, attempts: [{}, {}, {}] })
  })

  it("an isolated handler cannot use the worker's transaction", async () => {
    const run = await ended('transactions')
    expect(run.output).toEqual(['not_in_isolation', 'not_in_isolation'])
  })

  it.each(['oddOutput', 'oddProgress'])(
    'a value that is not JSON fails the attempt: %s',
    async (act) => {
      expect((await ended(act)).error).toMatchObject({ code: 'invalid_payload' })
    },
  )

  it('a missing export of the module is reported', async () => {
    const nothing = punctual.handler(`${isolation} nothing`, { isolation }, moduleUrl('nothing'))
    const run = await punctual.runs.waitFor(await nothing.submit(null, once))
    expect(run.error?.message).toMatch(/exports no function "nothing"/)
  })

  it('the handler gets the output of its schema', async () => {
    const schema = z.object({ at: z.string().transform((text) => new Date(text)) })
    const made = punctual.handler(`${isolation} schema`, { isolation, schema }, moduleUrl('kinds'))
    const run = await punctual.runs.waitFor(await made.submit({ at: '2030-06-01T00:00:00Z' }))
    expect(run).toMatchObject({ output: { date: true, year: 2030 } })
  })

  it('an isolated handler may be written in TypeScript', async () => {
    const url = new URL('../children/isolated-typed.ts', import.meta.url)
    const made = punctual.handler<{ name: string }>(`${isolation} typed`, { isolation }, url)
    const run = await punctual.runs.waitFor(await made.submit({ name: 'Large' }, once))
    expect(run).toMatchObject({ output: `${isolation} typed 2` })
  })
})

describe('options that cannot be combined with isolation are refused', () => {
  const url = moduleUrl()
  const inline = (): number => 1
  it.each([
    ['run', { isolation: 'thread' }, inline],
    ['run', { isolation: 'process' }, inline],
    ['isolation', { isolation: 'inline' }, url],
    ['isolation', {}, url],
    ['isolation', { isolation: 'container' }, url],
    ['memoryMb', { memoryMb: 64 }, inline],
    ['memoryMb', { isolation: 'thread', memoryMb: 0.5 }, url],
    ['batchSize', { isolation: 'thread', batchSize: 5 }, url],
    ['module', { isolation: 'thread' }, new URL('../children/nowhere.mjs', import.meta.url)],
    ['module', { isolation: 'thread' }, new URL('https://example.com/a.mjs')],
  ])('%s of %j', (field, options, body) => {
    expect(() => punctual.handler('refused', options as never, body as never)).toThrow(
      expect.objectContaining({ code: 'invalid_option', field }),
    )
  })
})
