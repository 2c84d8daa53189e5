/** Delivery modes end to end, with real worker processes that are killed (cases 8, 9, 10, 16). */
import { eventually, gate } from '@punctual/testkit'
import { NonRetryableError, RetryAfterError } from 'punctual'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DeliveryKit } from '../kit/delivery-kit.ts'

let kit: DeliveryKit
beforeEach(async () => {
  kit = await DeliveryKit.open()
})
afterEach(() => kit.close())

const ended = (id: string) => kit.punctual.runs.waitFor(id, { timeoutMs: 60_000 })

describe('at-least-once', () => {
  it('a run is retried after its worker is killed, and flagged as a possible duplicate', async () => {
    const first = await kit.worker()
    const id = await kit.submit([[['effect'], ['hang']], [['effect']]])
    await kit.happened(id)
    expect(await kit.punctual.runs.get(id)).toMatchObject({ possibleDuplicate: false })
    await first.kill()
    await kit.worker()
    expect(await ended(id)).toMatchObject({
      state: 'succeeded',
      delivery: 'at-least-once',
      possibleDuplicate: true,
      attempts: [{ outcome: 'crashed' }, { outcome: 'succeeded' }],
    })
    expect((await kit.effects()).get(id)).toEqual([1, 2])
  })

  it('a retry after a failure is flagged: the handler may have done its work before it threw', async () => {
    const node = await kit.node()
    node.handler('flaky', (_: null, ctx) => {
      if (ctx.attempt === 1) throw new RetryAfterError(0, 'not yet')
    })
    const { id } = await node.submit('flaky', null)
    expect(await ended(id)).toMatchObject({ state: 'succeeded', possibleDuplicate: true })
  })

  it('a run with one started attempt is not flagged, however often it was claimed and given back', async () => {
    const node = await kit.node({ worker: { concurrency: 1 } })
    const [busy, proceed] = [gate(), gate()]
    node.handler('slow', async () => {
      busy.open()
      await proceed.opened
    })
    const held = await node.submit('slow', null)
    await busy.opened
    const waiting = await node.submitMany('slow', [1, 2, 3])
    const stopping = node.stop()
    proceed.open()
    await stopping
    const heir = await kit.node()
    heir.handler('slow', () => null)
    for (const { id } of [held, ...waiting])
      expect(await ended(id)).toMatchObject({
        possibleDuplicate: false,
        attempts: [{ attempt: 1 }],
      })
  })

  it('a reaped suspect that never started is not flagged', async () => {
    const first = await kit.worker()
    const id = await kit.submit([[['hang']]])
    await first.started(id)
    await first.kill()
    // A worker that only claims: its session is opened here and never renewed.
    const { work } = kit.punctual.store
    const sessionId = '77'
    const announced = { host: 'h', pid: 1, version: '0', handlers: ['work'], queues: [] }
    await eventually('the run is reclaimed and claimed by a session that dies', async () => {
      if ((await kit.punctual.runs.get(id))?.state !== 'queued') return false
      await work.openSession({
        id: sessionId,
        ...announced,
        labels: {},
        capacity: 1,
        leaseMs: 1_000,
      })
      const lanes = await work.lanes(['work'], [])
      const { runs } = await work.claim({ sessionId, fence: '4711', limit: 1, lanes })
      return runs.length === 1
    })
    const held = await kit.punctual.runs.get(id)
    expect(held).toMatchObject({ state: 'running', possibleDuplicate: false })
    await eventually('the run is reclaimed again', async () => {
      const run = await kit.punctual.runs.get(id)
      return run?.state === 'queued'
    })
    expect(await kit.punctual.runs.get(id)).toMatchObject({
      attempts: [{ outcome: 'crashed' }],
      possibleDuplicate: false,
    })
  })
})

describe('at-most-once', () => {
  const once = { delivery: 'at-most-once' }

  it('an at-most-once run that started and lost its worker is unknown and never starts again', async () => {
    const first = await kit.worker()
    const id = await kit.submit([[['effect'], ['hang']], [['effect']]], once)
    await kit.happened(id)
    await first.kill()
    const second = await kit.worker()
    const run = await ended(id)
    expect(run).toMatchObject({
      state: 'unknown',
      delivery: 'at-most-once',
      maxAttempts: 1,
      reason: 'worker_lost',
      possibleDuplicate: false,
      attempts: [{ outcome: 'crashed' }],
    })
    const after = await kit.submit([[['effect']]], once)
    expect(await ended(after)).toMatchObject({ state: 'succeeded' })
    expect(second.lines).not.toContainEqual(expect.stringContaining(id))
    expect((await kit.effects()).get(id)).toEqual([1])
  })

  it('an at-most-once run that had not started when its worker was killed runs on another', async () => {
    const first = await kit.worker({ CONCURRENCY: '1' })
    const before = await kit.submit([[['hang']]], once)
    await first.started(before)
    const id = await kit.submit([[['effect']]], once)
    await first.kill()
    await kit.worker()
    expect(await ended(id)).toMatchObject({ state: 'succeeded', possibleDuplicate: false })
    expect((await kit.effects()).get(id)).toEqual([1])
  })

  it('an at-most-once run whose handler throws is dead at once, for any thrown value', async () => {
    const node = await kit.node()
    let starts = 0
    node.handler('throws', (kind: string) => {
      starts++
      if (kind === 'later') throw new RetryAfterError(0, 'come back')
      if (kind === 'never') throw new NonRetryableError('no')
      throw new Error('failed on purpose')
    })
    const runs = await node.submitMany('throws', ['plain', 'later', 'never'], {
      delivery: 'at-most-once',
    })
    for (const { id } of runs)
      expect(await ended(id)).toMatchObject({ state: 'dead', attempts: [{ outcome: 'failed' }] })
    expect(starts).toBe(3)
  })

  it('at worker shutdown an at-most-once run is dead if its handler stops, otherwise unknown', async () => {
    const node = await kit.node()
    const started = { heeds: gate(), ignores: gate() }
    node.handler('heeds', async (_: null, ctx) => {
      started.heeds.open()
      await new Promise((_, reject) =>
        ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason)),
      )
    })
    node.handler('ignores', () => {
      started.ignores.open()
      return new Promise(() => undefined)
    })
    const heeds = await node.submit('heeds', null, { delivery: 'at-most-once' })
    const ignores = await node.submit('ignores', null, { delivery: 'at-most-once' })
    await Promise.all([started.heeds.opened, started.ignores.opened])
    await node.stop({ drainMs: 0 })
    expect(await ended(heeds.id)).toMatchObject({
      state: 'dead',
      reason: 'interrupted',
      attempts: [{ outcome: 'cancelled' }],
    })
    expect(await ended(ignores.id)).toMatchObject({ state: 'unknown', reason: 'worker_lost' })
  })

  it('an at-most-once run with an unconfirmed mark is given back and runs later, once', async () => {
    const node = await kit.node()
    const { work } = node.store
    const mark = work.markStarted.bind(work)
    let marks = 0
    Object.assign(work, {
      markStarted: async (runs: Parameters<typeof mark>[0]) => {
        const ours = await mark(runs)
        if (++marks === 1) throw new Error('Connection terminated unexpectedly')
        return ours
      },
    })
    let starts = 0
    node.handler('marked', () => ++starts)
    const { id } = await node.submit('marked', null, { delivery: 'at-most-once' })
    expect(await ended(id)).toMatchObject({
      state: 'succeeded',
      output: 1,
      possibleDuplicate: false,
      attempts: [{ attempt: 1 }],
    })
    expect([marks, starts]).toEqual([2, 1])
  })

  it('an at-most-once run with a slow mark does not count as stray: it would start twice', async () => {
    const node = await kit.node()
    const { work } = node.store
    const [mark, claim, strays] = [
      work.markStarted.bind(work),
      work.claim.bind(work),
      work.strayLeases.bind(work),
    ]
    const [marked, proceed, looked] = [gate(), gate(), gate()]
    let failing = false
    Object.assign(work, {
      markStarted: async (runs: Parameters<typeof mark>[0]) => {
        const ours = await mark(runs)
        failing = true
        marked.open()
        await proceed.opened
        return ours
      },
      claim: async (request: Parameters<typeof claim>[0]) => {
        // After a failed claim a worker searches for stray leases.
        if (!failing) return claim(request)
        failing = false
        throw new Error('Connection terminated unexpectedly')
      },
      strayLeases: async (...args: Parameters<typeof strays>) => {
        const found = await strays(...args)
        looked.open()
        return found
      },
    })
    let starts = 0
    node.handler('marked', () => ++starts)
    const { id } = await node.submit('marked', null, { delivery: 'at-most-once' })
    await marked.opened
    // Another run wakes the worker, whose claim then fails.
    await node.submit('marked', null)
    await looked.opened
    proceed.open()
    expect(await ended(id)).toMatchObject({ state: 'succeeded', attempts: [{ attempt: 1 }] })
    await eventually('the other run has run too', () => starts === 2)
  })
})

describe('transactional', () => {
  it('a transactional handler gets its transaction, also as ctx.transaction', async () => {
    await kit.sql('create table effects (run_id uuid, transaction text)')
    const node = await kit.node()
    const write = `insert into effects values ($1, pg_current_xact_id()::text)`
    node.handler('writes', async (_: null, ctx) => {
      await ctx.tx.query(write, [ctx.runId])
      await ctx.transaction((tx) => tx.query(write, [ctx.runId]))
      return 'written'
    })
    const { id } = await node.submit('writes', null, { delivery: 'transactional' })
    expect(await ended(id)).toMatchObject({
      state: 'succeeded',
      delivery: 'transactional',
      output: 'written',
    })
    const rows = await kit.sql<{ transaction: string }>('select transaction from effects')
    expect(rows.length).toBe(2)
    expect(new Set(rows.map((row) => row.transaction)).size).toBe(1)
  })

  it("a failed attempt's writes are rolled back, and a successful attempt's are committed", async () => {
    await kit.sql('create table effects (run_id uuid, attempt integer)')
    const node = await kit.node()
    node.handler('writes', async (_: null, ctx) => {
      await ctx.tx.query('insert into effects values ($1, $2)', [ctx.runId, ctx.attempt])
      if (ctx.attempt === 1) throw new RetryAfterError(0, 'after it wrote')
    })
    const { id } = await node.submit('writes', null, { delivery: 'transactional' })
    expect(await ended(id)).toMatchObject({ state: 'succeeded', attempts: [{}, {}] })
    expect(await kit.sql('select attempt from effects')).toEqual([{ attempt: '2' }])
  })

  it('ctx.tx is refused in a run with another delivery mode', async () => {
    const node = await kit.node()
    node.handler('writes', (_: null, ctx) => ctx.tx.query('select 1'))
    const { id } = await node.submit('writes', null, { maxAttempts: 1 })
    expect(await ended(id)).toMatchObject({
      state: 'dead',
      error: { code: 'invalid_option', message: expect.stringContaining('transactional') },
    })
  })
})

describe('a job', () => {
  it('a job passes its delivery, heartbeat and retries to its runs, of slots and triggered', async () => {
    const node = await kit.node({ roles: ['worker', 'planner'] })
    const ran: string[] = []
    node.handler('work', (_: null, ctx) => void ran.push(ctx.runId))
    const job = { name: 'job', handler: 'work', every: '1s', overlap: 'allow' } as const
    const retry = { abortOn: ['EBAD'] }
    const once = { ...job, delivery: 'at-most-once', heartbeatMs: 5_000, retry } as const
    expect((await node.jobs.upsert(once)).change).toBe('created')
    expect((await node.jobs.upsert(once)).change).toBe('unchanged')
    const byHand = await node.jobs.trigger('job')
    await eventually('a slot has run as well', () => ran.some((id) => id !== byHand.id))
    for (const id of [byHand.id, ran.find((runId) => runId !== byHand.id) as string])
      expect(await ended(id)).toMatchObject({
        delivery: 'at-most-once',
        maxAttempts: 1,
        policy: { heartbeatMs: 5_000, abortOn: ['EBAD'] },
      })
    expect((await node.jobs.upsert({ ...job, delivery: 'transactional' })).change).toBe('updated')
    expect(await node.jobs.get('job')).toMatchObject({
      delivery: 'transactional',
      heartbeatMs: null,
      maxAttempts: 3,
    })
    const { id } = await node.jobs.trigger('job')
    expect(await ended(id)).toMatchObject({ delivery: 'transactional' })
  })

  it('a job with an unknown delivery or impossible attempts is refused', async () => {
    const job = { name: 'bad', handler: 'work', every: '1h' }
    for (const [options, field] of [
      [{ delivery: 'exactly-once' }, 'delivery'],
      [{ delivery: 'at-most-once', maxAttempts: 2 }, 'maxAttempts'],
      [{ heartbeatMs: 99 }, 'heartbeatMs'],
    ] as const)
      await expect(
        kit.punctual.jobs.upsert({ ...job, ...options } as Parameters<
          typeof kit.punctual.jobs.upsert
        >[0]),
      ).rejects.toMatchObject({ code: 'invalid_option', field })
  })
})
