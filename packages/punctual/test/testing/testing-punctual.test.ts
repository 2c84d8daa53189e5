/** The Punctual of `punctual/testing`, on a server that this process starts. */
import { existsSync } from 'node:fs'
import { gate } from '@punctual/testkit'
import pg from 'pg'
import { type GroupDone, NonRetryableError, type Punctual, RetryAfterError } from 'punctual'
import { startTestPunctual, type TestPunctual } from 'punctual/testing'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'

let queue: TestPunctual
let inline: TestPunctual
let n = 0
/** A separate handler name for every test. */
const name = (what: string) => `${what}-${++n}`
const HOUR_MS = 3_600_000

beforeAll(async () => {
  ;[queue, inline] = await Promise.all([
    startTestPunctual({ timeoutMs: 20_000, printErrors: false }),
    startTestPunctual({ timeoutMs: 20_000, inline: true, printErrors: false }),
  ])
})
afterEach(() => Promise.all([queue.clear(), inline.clear()]))
afterAll(() => Promise.all([queue.stop(), inline.stop()]))

/** A program under test: it knows the library, and nothing of tests. */
function signUp(punctual: Punctual, welcome: string) {
  return (email: string) => punctual.submit(welcome, { to: email }, { queue: 'mail', priority: 7 })
}

describe('a Punctual for tests', () => {
  it('a Punctual for tests has its own database on a server that the process shares', () => {
    const [a, b] = [new URL(queue.databaseUrl), new URL(inline.databaseUrl)]
    expect(a.host).toBe(b.host)
    expect(a.pathname).not.toBe(b.pathname)
  })

  it('stopping removes its database and leaves the server to the others', async () => {
    const other = await startTestPunctual()
    const { pathname } = new URL(other.databaseUrl)
    await Promise.all([other.stop(), other.stop()])
    const sql = new pg.Client({ connectionString: queue.databaseUrl })
    await sql.connect()
    const found = await sql.query('select 1 from pg_database where datname = $1', [
      pathname.slice(1),
    ])
    expect(found.rowCount).toBe(0)
    const { rows } = await sql.query<{ data_directory: string }>('show data_directory')
    expect(existsSync(rows[0]?.data_directory ?? '')).toBe(true)
    await sql.end()
  })

  it('a failed start releases the server', async () => {
    await expect(startTestPunctual({ timezone: 'Mars/Base' })).rejects.toMatchObject({
      code: 'invalid_timezone',
    })
  })
})

describe('drain', () => {
  it('drain runs due runs and those that they submit, and retries without waiting', async () => {
    const [first, second] = [name('first'), name('second')]
    const ran: string[] = []
    queue.handler(first, async (_: null, ctx) => {
      ran.push(`first ${ctx.attempt}`)
      if (ctx.attempt === 1) throw new RetryAfterError(HOUR_MS)
      await queue.submit(second)
    })
    queue.handler(second, (_: null, ctx) => {
      ran.push(`second ${ctx.attempt}`)
      if (ctx.attempt === 1) throw new Error('once')
    })
    const { id, run } = await queue.submit(first, null, {
      retry: { backoff: { kind: 'fixed', delayMs: HOUR_MS } },
    })
    expect(run).toBe(null)
    await queue.drain()
    expect(ran).toEqual(['first 1', 'first 2', 'second 1', 'second 2'])
    expect(await queue.runs.get(id)).toMatchObject({ state: 'succeeded' })
    expect(queue.failures).toMatchObject([
      { handler: first, runId: id, attempt: 1, error: expect.any(RetryAfterError) },
      { handler: second, attempt: 1, error: { message: 'once' } },
    ])
  })

  it("drain also runs a group's callback", async () => {
    const [part, whole] = [name('part'), name('whole')]
    const totals: number[] = []
    queue.handler(part, () => undefined)
    queue.handler(whole, ({ group }: GroupDone) => void totals.push(group.succeeded))
    const runs = [{ handler: part }, { handler: part }]
    await queue.groups.submit({ runs, onDone: { handler: whole } })
    await queue.drain()
    expect(totals).toEqual([2])
  })

  it('drain leaves later runs alone, unless it may advance the time', async () => {
    const remind = name('remind')
    const ran: unknown[] = []
    queue.handler(remind, async (day: number) => {
      ran.push(day)
      if (day === 1) await queue.submit(remind, 1.5, { delayMs: HOUR_MS })
    })
    for (const day of [3, 1, 2]) await queue.submit(remind, day, { delayMs: day * 24 * HOUR_MS })
    await queue.drain()
    expect(ran).toEqual([])
    await queue.drain({ until: Date.now() + 60 * HOUR_MS })
    expect(ran).toEqual([1, 1.5, 2])
  })

  it('drain resolves at once when no run is due', async () => {
    await queue.drain({ timeoutMs: 0 })
  })

  it('drain reports stuck runs and their reasons', async () => {
    const [orphan, slow, held] = [name('orphan'), name('slow'), name('held')]
    const [release, started] = [gate(), gate()]
    queue.handler(slow, () => {
      started.open()
      return release.opened
    })
    queue.handler(held, () => undefined)
    await queue.queues.pause('frozen')
    await queue.submit(orphan)
    await queue.submit(slow)
    await queue.submit(held, null, { queue: 'frozen' })
    await started.opened
    const stuck = await queue.drain({ timeoutMs: 50 }).catch((error) => error)
    expect(stuck).toMatchObject({ code: 'wait_timeout' })
    expect(stuck.message).toContain('3 runs have not ended after 50 ms')
    expect(stuck.message).toMatch(
      new RegExp(`- ${orphan} .*queued: No live worker has the handler`),
    )
    expect(stuck.message).toMatch(new RegExp(`- ${slow} .*running: Its handler has not returned`))
    expect(stuck.message).toMatch(new RegExp(`- ${held} .*paused`))
    release.open()
    await queue.queues.resume('frozen')
  })
})

describe('inline mode', () => {
  it('inline mode resolves a submission with its run when the run has ended', async () => {
    const greet = inline.handler(name('greet'), (to: string) => `hello ${to}`)
    const submitted = await inline.submit(greet.name, 'ada')
    expect(submitted).toMatchObject({
      created: true,
      run: { id: submitted.id, state: 'succeeded', output: 'hello ada' },
    })
    const many = await inline.submitMany(greet.name, ['a', 'b'], (to) => ({ labels: { to } }))
    expect(many.map(({ run }) => run?.output)).toEqual(['hello a', 'hello b'])
  })

  it("inline mode also applies to a handler's handle, and inside other handlers", async () => {
    const log: string[] = []
    const inner = inline.handler(name('inner'), () => void log.push('inner'))
    const outer = inline.handler(name('outer'), async () => {
      await inner.submit(null)
      log.push('outer')
    })
    await outer.submit(null)
    expect(log).toEqual(['inner', 'outer'])
  })

  it('inline mode retries without waiting, keeps thrown errors, and rejects nothing', async () => {
    const flaky = name('flaky')
    inline.handler(flaky, (_: null, ctx) => {
      if (ctx.attempt === 1) throw new RetryAfterError(HOUR_MS)
      throw new NonRetryableError('no such customer')
    })
    const { run } = await inline.submit(flaky)
    expect(run).toMatchObject({ state: 'dead', error: { message: 'no such customer' } })
    expect(inline.failures.map(({ error }) => error)).toEqual([
      expect.any(RetryAfterError),
      expect.any(NonRetryableError),
    ])
  })

  it('inline mode waits neither for later runs nor for the run that it is inside', async () => {
    const again = name('again')
    const answers: unknown[] = []
    inline.handler(again, async () => void answers.push(await inline.submit(again, 1, { key })))
    const key = `key of ${again}`
    expect((await inline.submit(again, 2, { delayMs: HOUR_MS })).run).toBe(null)
    const { id } = await inline.submit(again, 0, { key })
    expect(answers).toMatchObject([{ id, created: false, run: null }])
  })

  it('inline mode runs submissions of a transaction after its commit', async () => {
    const ran: string[] = []
    const book = inline.handler(name('book'), (seat: string) => void ran.push(seat))
    const client = new pg.Client({ connectionString: inline.databaseUrl })
    await client.connect()
    for (const end of ['rollback', 'commit']) {
      await client.query('begin')
      await book.submit(end, { tx: client })
      await client.query(end)
    }
    await client.end()
    await inline.drain()
    expect(ran).toEqual(['commit'])
    expect(await inline.submitted(book)).toMatchObject([{ payload: 'commit' }])
  })

  it('inline mode refuses runs without a handler at once', async () => {
    await expect(inline.submit('nobody')).rejects.toMatchObject({ code: 'handler_unknown' })
    await expect(inline.submit('nobody', 1, 5 as never)).rejects.toMatchObject({ field: 'options' })
    await expect(inline.submitMany('nobody', 5 as never)).rejects.toMatchObject({
      field: 'payloads',
    })
  })
})

describe('asserts', () => {
  it('asserts find submissions by parts of their payload and options', async () => {
    const welcome = name('welcome')
    await signUp(queue, welcome)('ada@example.com')
    await queue.submitMany(welcome, [{ to: 'bob', at: [1, { deep: true, x: 1 }] }], {
      key: 'one of them',
    })
    expect(await queue.submitted(welcome)).toMatchObject([
      { payload: { to: 'ada@example.com' }, options: { queue: 'mail', priority: 7 } },
      { payload: { to: 'bob' }, options: { key: 'one of them' } },
    ])
    const { id } = await queue.assertSubmitted(welcome, { payload: { to: /^ada@/ } })
    expect(await queue.runs.get(id)).toMatchObject({ payload: { to: 'ada@example.com' } })
    await queue.assertSubmitted({ name: welcome }, { options: { priority: 7 }, times: 1 })
    await queue.assertSubmitted(welcome, { payload: { at: [1, { deep: true }] } })
    await queue.assertSubmitted(welcome, { payload: { to: expect.stringContaining('@') } })
    await queue.assertNotSubmitted(welcome, { payload: { to: 'eve' } })
    await queue.assertNotSubmitted(welcome, { payload: { at: [1] } })
    await queue.assertNotSubmitted(welcome, { where: ({ options }) => options.delayMs === 5 })
  })

  it('asserts report what they found instead', async () => {
    const mail = name('mail')
    await queue.submit(mail, { to: 'bob' }, { priority: 2 })
    await expect(queue.assertSubmitted(mail, { payload: { to: 'ada' } })).rejects.toThrow(
      `Expected a submission with the payload { to: 'ada' }, found 0 to ${mail}. ` +
        `Its latest submissions:\n- { to: 'bob' } { priority: 2 }`,
    )
    await expect(queue.assertSubmitted(mail, { times: 2 })).rejects.toThrow('Expected 2, found 1')
    await expect(queue.assertSubmitted('other')).rejects.toThrow(
      `It has no submissions; other handlers with submissions: ${mail}.`,
    )
    await expect(queue.assertNotSubmitted(mail)).rejects.toThrow('Expected no submission, found 1')
  })

  it('asserts ignore submissions with a live key and forget cleared ones', async () => {
    const once = name('once')
    await queue.submit(once, 1, { key: once, delayMs: HOUR_MS })
    const { id } = await queue.submit(once, 2, { key: once, delayMs: HOUR_MS })
    await queue.assertSubmitted(once, { times: 1, payload: 1 })
    await queue.clear()
    await queue.assertNotSubmitted(once)
    expect(await queue.runs.get(id)).toMatchObject({ state: 'cancelled' })
  })
})

describe('clear', () => {
  it('clear forgets the windows of keys: the next test gets new runs', async () => {
    const job = name('windowed')
    queue.handler(job, (n) => n)
    for (const options of [
      { key: job, window: HOUR_MS },
      { key: `${job} changed`, onConflict: 'replace' },
    ] as const) {
      const first = await queue.submit(job, 1, options)
      await queue.drain()
      await queue.clear()
      const next = await queue.submit(job, 2, options)
      expect(next).toMatchObject({ created: true })
      expect(next.id).not.toBe(first.id)
      await queue.drain()
    }
  })

  it('clear forgets used rates: the next test does not wait for them', async () => {
    const job = name('rated')
    queue.handler(job, () => undefined)
    await queue.limits.set({ queue: job, rate: { limit: 1, per: 'hour' } })
    for (const options of [{ rate: { key: job, limit: 1, per: 'hour' } }, { queue: job }] as const)
      for (let test = 0; test < 2; test++) {
        const { id } = await queue.submit(job, null, options)
        await queue.drain()
        expect(await queue.runs.get(id)).toMatchObject({ state: 'succeeded' })
        await queue.clear()
      }
    expect(await queue.limits.list()).toMatchObject([{ queue: job, freeAt: null }])
    await queue.limits.remove(job)
  })
})

it('a Punctual on a given server prints the errors of handlers', async () => {
  const print = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const serverUrl = process.env.PUNCTUAL_TEST_POSTGRES_18_URL ?? queue.databaseUrl
  const loud = await startTestPunctual({ serverUrl, inline: true, timeoutMs: 20_000 })
  expect(new URL(loud.databaseUrl).host).toBe(new URL(serverUrl).host)
  loud.handler('fails', () => {
    throw new NonRetryableError('as it must')
  })
  await loud.submit('fails')
  await loud.stop()
  const error = expect.objectContaining({ message: 'as it must' })
  expect(print.mock.calls).toEqual([['punctual: attempt 1 of 3 of fails failed:', error]])
  print.mockRestore()
})
