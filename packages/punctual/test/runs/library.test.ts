import { eventually, gate, migratedDatabase, type TestDatabase } from '@punctual/testkit'
import pg from 'pg'
import { NonRetryableError, Punctual, PunctualError, RetryAfterError } from 'punctual'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'

let database: TestDatabase
let punctual: Punctual
let n = 0
/** A separate handler name for every test, so that they share a database but no runs. */
const name = (what: string) => `${what}-${++n}`

beforeAll(async () => {
  database = await migratedDatabase()
  punctual = await Punctual.start({ databaseUrl: database.url, worker: { concurrency: 20 } })
})
afterAll(async () => {
  await punctual.stop()
  await database.drop()
})

const instant = { backoff: { kind: 'fixed', delayMs: 0 } } as const

describe('a run', () => {
  it('a run is submitted, run and settled with its output, its log and its timings', async () => {
    const greet = punctual.handler(name('greet'), async (payload: { to: string }, ctx) => {
      ctx.log.info('greeting', { to: payload.to })
      return { text: `hello ${payload.to}`, attempt: ctx.attempt, key: ctx.idempotencyKey }
    })
    const { id, created } = await greet.submit(
      { to: 'you' },
      { labels: { a: 'b' }, createdBy: 'test' },
    )
    const run = await punctual.runs.waitFor(id)
    expect(created).toBe(true)
    expect(run).toMatchObject({
      id,
      state: 'succeeded',
      output: { text: 'hello you', attempt: 1, key: id },
      labels: { a: 'b' },
      createdBy: 'test',
      attempts: [{ attempt: 1, outcome: 'succeeded' }],
    })
    expect(run.finishedAt.getTime()).toBeGreaterThanOrEqual(run.dueAt.getTime())
    expect(await punctual.runs.logs(id)).toMatchObject([
      { level: 'info', message: 'greeting', data: { to: 'you' } },
    ])
  })

  it('many runs are accepted together', async () => {
    const double = punctual.handler(name('double'), (x: number) => x * 2)
    const submitted = await double.submitMany(Array.from({ length: 500 }, (_, i) => i))
    const runs = await Promise.all(submitted.map((s) => punctual.runs.waitFor(s)))
    expect(runs.map((run) => run.output)).toEqual(Array.from({ length: 500 }, (_, i) => i * 2))
  })

  it('a run shows its progress while it runs', async () => {
    const proceed = gate()
    const slow = punctual.handler(name('slow'), async (_: null, ctx) => {
      ctx.progress({ done: 3, total: 10 })
      await proceed.opened
    })
    const { id } = await slow.submit(null)
    await eventually('the progress is stored', async () => {
      const run = await punctual.runs.get(id)
      return run?.state === 'running' && JSON.stringify(run.progress) === '{"done":3,"total":10}'
    })
    proceed.open()
    await punctual.runs.waitFor(id)
  })

  it('a run waits until it is due, and is found, rescheduled and cancelled in every place', async () => {
    const later = punctual.handler(name('later'), () => 'ran')
    for (const delayMs of [30_000, 3_600_000, 400 * 86_400_000]) {
      const { id } = await later.submit(undefined, { delayMs })
      expect(await punctual.runs.get(id)).toMatchObject({ state: 'scheduled' })
      expect(
        (await punctual.runs.list({ states: ['scheduled'], handler: later.name })).map((r) => r.id),
      ).toContain(id)
      expect(await punctual.runs.reschedule(id, new Date(Date.now() + 7_200_000))).toBe(
        'rescheduled',
      )
      expect(await punctual.runs.cancel(id)).toMatchObject({ result: 'cancelled' })
      expect(await punctual.runs.get(id)).toMatchObject({ state: 'cancelled' })
      expect(await punctual.runs.cancel(id)).toMatchObject({ result: 'cancelled' })
    }
    const { id } = await later.submit(undefined, { delayMs: 3_600_000 })
    await punctual.runs.reschedule(id, new Date())
    expect(await punctual.runs.waitFor(id)).toMatchObject({ state: 'succeeded', output: 'ran' })
  })

  it('a run does not start before it is due', async () => {
    const at = punctual.handler(name('at'), () => Date.now())
    const runAt = new Date(Date.now() + 300)
    const run = await punctual.runs.waitFor(await at.submit(undefined, { runAt }))
    expect(run.output as number).toBeGreaterThanOrEqual(runAt.getTime() - 1)
    expect(run.latenessMs as number).toBeGreaterThanOrEqual(-1)
  })

  it('a run with a due time in the past is due now', async () => {
    const past = punctual.handler(name('past'), () => 1)
    expect(
      await punctual.runs.waitFor(await past.submit(undefined, { runAt: new Date(1) })),
    ).toMatchObject({ state: 'succeeded' })
  })
})

describe('a failing run', () => {
  it('a failing run is retried up to its attempts and then dead, with every attempt recorded', async () => {
    const flaky = punctual.handler(name('flaky'), async (_: null, ctx) => {
      throw new TypeError(`attempt ${ctx.attempt} failed`)
    })
    const run = await punctual.runs.waitFor(
      await flaky.submit(null, { maxAttempts: 3, retry: instant }),
    )
    expect(run).toMatchObject({
      state: 'dead',
      reason: 'attempts_exhausted',
      error: { name: 'TypeError', message: 'attempt 3 failed' },
    })
    expect(run.attempts.map((a) => [a.attempt, a.outcome])).toEqual([
      [1, 'failed'],
      [2, 'failed'],
      [3, 'failed'],
    ])
    expect(run.error?.stack).toContain('library.test.ts')
  })

  it('a run succeeds when a later attempt does', async () => {
    const second = punctual.handler(name('second'), (_: null, ctx) => {
      if (ctx.attempt < 2) throw new Error('not yet')
      return ctx.attempt
    })
    expect(
      await punctual.runs.waitFor(await second.submit(null, { retry: instant })),
    ).toMatchObject({ state: 'succeeded', output: 2 })
  })

  it('a run is dead at once when the handler says that a retry cannot help', async () => {
    const never = punctual.handler(name('never'), () =>
      Promise.reject(new NonRetryableError('no such customer')),
    )
    expect(await punctual.runs.waitFor(await never.submit(null))).toMatchObject({
      state: 'dead',
      reason: 'non_retryable',
      attempts: [{ attempt: 1 }],
    })
  })

  it('a run is retried when the handler asked for it', async () => {
    const busy = punctual.handler(name('busy'), (_: null, ctx) => {
      if (ctx.attempt === 1) throw new RetryAfterError(150)
      return 'done'
    })
    const run = await punctual.runs.waitFor(await busy.submit(null))
    const [first, last] = run.attempts
    expect(run.state).toBe('succeeded')
    expect(
      (last?.startedAt?.getTime() ?? 0) - (first?.endedAt.getTime() ?? 0),
    ).toBeGreaterThanOrEqual(149)
  })

  it('at the timeout the signal is aborted, and the attempt ends even if the handler ignores it', async () => {
    const listens = punctual.handler(
      name('listens'),
      (_: null, ctx) =>
        new Promise((_, reject) => {
          ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason))
        }),
    )
    const ignores = punctual.handler(name('ignores'), () => new Promise(() => undefined))
    const options = { timeoutMs: 50, maxAttempts: 1 }
    const runs = await Promise.all(
      [await listens.submit(null, options), await ignores.submit(null, options)].map((s) =>
        punctual.runs.waitFor(s),
      ),
    )
    for (const run of runs)
      expect(run).toMatchObject({
        state: 'dead',
        error: { name: 'TimeoutError' },
        attempts: [{ outcome: 'timed_out' }],
      })
  })

  it('a failing run does not affect others: sync throws, rejections and odd values are contained', async () => {
    const odd = punctual.handler(name('odd'), (what: string) => {
      if (what === 'sync') throw new Error('sync')
      if (what === 'undefined') throw undefined
      if (what === 'bigint') return 1n
      if (what === 'circular') {
        const a: { a?: unknown } = {}
        a.a = a
        return a
      }
      return 'fine'
    })
    const runs = await Promise.all(
      (
        await odd.submitMany(['sync', 'undefined', 'bigint', 'circular', 'fine'], {
          maxAttempts: 1,
        })
      ).map((s) => punctual.runs.waitFor(s)),
    )
    expect(runs.map((run) => run.state)).toEqual(['dead', 'dead', 'dead', 'dead', 'succeeded'])
  })
})

describe('order and limits', () => {
  const extra: Punctual[] = []
  afterEach(async () => {
    await Promise.all(extra.splice(0).map((p) => p.stop()))
  })
  async function worker(options: Parameters<typeof Punctual.start>[0] = {}): Promise<Punctual> {
    const p = await Punctual.start({ databaseUrl: database.url, roles: ['worker'], ...options })
    extra.push(p)
    return p
  }

  it('a queue is worked through by priority, then due time, then id', async () => {
    const handler = name('ordered')
    const base = Date.now() - 10_000
    const submit = (label: string, priority: number, due: number) =>
      punctual.submit(handler, label, { priority, runAt: new Date(base + due), queue: handler })
    await submit('low', 1, 0)
    await submit('mid b', 5, 2_000)
    await submit('mid a', 5, 1_000)
    await submit('high', 9, 3_000)
    await submit('mid b2', 5, 2_000)
    const seen: string[] = []
    const one = await worker({ worker: { concurrency: 1, queues: [handler] } })
    const all = gate()
    one.handler(handler, (label: string) => {
      seen.push(label)
      if (seen.length === 5) all.open()
    })
    await all.opened
    expect(seen[0]).toBe('high')
    expect(seen[4]).toBe('low')
    expect(new Set(seen.slice(1, 4))).toEqual(new Set(['mid a', 'mid b', 'mid b2']))
    expect(seen.indexOf('mid b')).toBeLessThan(seen.indexOf('mid b2'))
  })

  it('a worker and each capped queue respect their concurrency limit', async () => {
    const handler = name('capped')
    const running = new Map<string, number>()
    const most = new Map<string, number>()
    const p = await worker({
      worker: {
        concurrency: 6,
        queues: { [`${handler}-a`]: { concurrency: 2 }, [`${handler}-b`]: {} },
      },
    })
    p.handler(handler, async (_: null, ctx) => {
      for (const key of [ctx.queue, 'all']) {
        running.set(key, (running.get(key) ?? 0) + 1)
        most.set(key, Math.max(most.get(key) ?? 0, running.get(key) ?? 0))
      }
      await new Promise((resolve) => setImmediate(resolve))
      for (const key of [ctx.queue, 'all']) running.set(key, (running.get(key) ?? 0) - 1)
    })
    const runs = await Promise.all(
      Array.from({ length: 80 }, (_, i) =>
        punctual.submit(handler, null, { queue: `${handler}-${i % 2 ? 'a' : 'b'}` }),
      ),
    )
    await Promise.all(runs.map((run) => punctual.runs.waitFor(run)))
    expect(most.get(`${handler}-a`)).toBeLessThanOrEqual(2)
    expect(most.get('all')).toBeLessThanOrEqual(6)
    expect(most.get('all')).toBeGreaterThan(2)
  })

  it('a worker claims only runs of its handlers and queues', async () => {
    const handler = name('picky')
    const { id } = await punctual.submit(handler, 1, { queue: 'elsewhere' })
    const other = await punctual.submit(name('nobody'), 1)
    const p = await worker({ worker: { queues: ['here'] } })
    p.handler(handler, () => 'ran')
    const here = await punctual.submit(handler, 1, { queue: 'here' })
    await punctual.runs.waitFor(here)
    for (const waiting of [id, other.id])
      expect(await punctual.runs.get(waiting)).toMatchObject({ state: 'queued' })
    const { reasons } = await punctual.runs.explain(id)
    expect(reasons.map(({ code }) => code)).toEqual(['no_worker'])
  })

  it('strict refuses runs without a live worker for them; otherwise they wait for a worker', async () => {
    const handler = name('future')
    await expect(punctual.submit(handler, 1, { strict: true })).rejects.toMatchObject({
      code: 'handler_unknown',
    })
    const early = await punctual.submit(handler, 1)
    const p = await worker()
    p.handler(handler, () => 'at last')
    expect(await punctual.runs.waitFor(early)).toMatchObject({ output: 'at last' })
    await punctual.submit(handler, 1, { strict: true })
  })

  it('two handlers with one name are refused', () => {
    const handler = name('twin')
    punctual.handler(handler, () => 1)
    expect(() => punctual.handler(handler, () => 2)).toThrow(PunctualError)
  })
})

describe('transactions', () => {
  it("a submission commits or vanishes with the caller's transaction", async () => {
    const handler = punctual.handler(name('tx'), () => 'ran')
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    await client.query('begin')
    const gone = await handler.submit(1, { tx: client })
    await client.query('rollback')
    await client.query('begin')
    const [kept] = await handler.submitMany([1], { tx: client })
    await client.query('commit')
    await client.end()
    expect(await punctual.runs.waitFor(kept as { id: string })).toMatchObject({
      state: 'succeeded',
    })
    expect(await punctual.runs.get(gone.id)).toBeNull()
  })

  it("a handler's writes and the success commit together, or not at all", async () => {
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    await client.query('create table if not exists effects (run_id text, attempt int)')
    const handler = punctual.handler(name('effect'), (_: null, ctx) =>
      ctx.transaction(async (tx) => {
        await tx.query('insert into effects values ($1, $2)', [ctx.runId, ctx.attempt])
        if (ctx.attempt === 1) throw new Error('after the write')
        return 'stored'
      }),
    )
    const run = await punctual.runs.waitFor(await handler.submit(null, { retry: instant }))
    expect(run).toMatchObject({
      state: 'succeeded',
      output: 'stored',
      attempts: [{ outcome: 'failed' }, { outcome: 'succeeded' }],
    })
    const { rows } = await client.query('select attempt from effects where run_id = $1', [run.id])
    expect(rows).toEqual([{ attempt: 2 }])
    await client.end()
  })

  it('a key has one live run and is freed at its end', async () => {
    const proceed = gate()
    const handler = punctual.handler(name('keyed'), () => proceed.opened)
    const key = name('key')
    const first = await handler.submit(1, { key })
    expect(await handler.submit(2, { key })).toEqual({
      id: first.id,
      created: false,
      outcome: 'existing',
    })
    proceed.open()
    await punctual.runs.waitFor(first)
    expect((await handler.submit(3, { key })).created).toBe(true)
  })
})

describe('waiting', () => {
  it("waiting ends with wait_timeout, and with the caller's signal", async () => {
    const { id } = await punctual.submit(name('nobody'), 1)
    await expect(punctual.runs.waitFor(id, { timeoutMs: 30 })).rejects.toMatchObject({
      code: 'wait_timeout',
    })
    await expect(
      punctual.runs.waitFor(id, { signal: AbortSignal.abort(new Error('mine')) }),
    ).rejects.toThrow('mine')
    await expect(
      punctual.runs.waitFor('01999999-0000-7000-8000-000000000000'),
    ).rejects.toMatchObject({ code: 'run_not_found' })
    await expect(punctual.runs.waitFor('nonsense')).rejects.toMatchObject({
      code: 'invalid_option',
    })
  })
})

it.for([
  ['nobody listens', { port: '1' }, /cannot be reached: .*ECONNREFUSED/],
  ['the password is wrong', { password: 'wrong' }, /refused the connection: .*password/],
  ['the database does not exist', { pathname: '/nowhere' }, /refused the connection: .*nowhere/],
] as const)('starting when %s fails with a coded error', async ([, part, message]) => {
  const databaseUrl = Object.assign(new URL(database.url), part).href
  const starting = Punctual.start({ databaseUrl })
  await expect(starting).rejects.toMatchObject({
    code: 'database_unavailable',
    message: expect.stringMatching(message),
  })
})
