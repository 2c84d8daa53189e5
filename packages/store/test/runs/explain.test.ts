/**
 * Why a run is not running: each reason is produced once, and every run that is not running has
 * one.
 */
import type { RunObstacle } from '@punctual/core/run'
import { dead, retry, succeeded, TestStore } from '@punctual/testkit'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'

let t: TestStore
beforeAll(async () => {
  t = await TestStore.open()
})
afterEach(clear)
afterAll(() => t.close())

const tables = [
  ...[
    'runs',
    'outcomes',
    'attempts',
    'queue',
    'later',
    'parked',
    'leases',
    'dead_letters',
    'sessions',
    'gated',
  ],
  ...['pauses', 'limits', 'rates', 'job_holds', 'triggers'],
]

async function clear(): Promise<void> {
  await t.sql.query(tables.map((table) => `delete from punctual.${table}`).join(';'))
  await t.store.tenants.resume('default')
}

const HOUR_MS = 3_600_000
const explain = async (id: string) => {
  const explained = await t.store.explainer.explain(id, 1)
  if (!explained) throw new Error(`no run ${id}`)
  return explained
}
const codes = async (id: string) => (await explain(id)).reasons.map(({ code }) => code)
async function reason<Code extends RunObstacle['code']>(id: string, code: Code) {
  const found = (await explain(id)).reasons.find((obstacle) => obstacle.code === code)
  if (!found) throw new Error(`run ${id} is kept by ${await codes(id)}`)
  return found as Extract<RunObstacle, { code: Code }>
}

describe('explaining why a run is not running', () => {
  it('a delayed run is explained by its due time', async () => {
    const runAt = new Date(Date.now() + HOUR_MS)
    await t.session()
    const id = await t.submit({ runAt })
    expect(await explain(id)).toMatchObject({
      running: false,
      reasons: [
        { code: 'not_due', until: runAt, detail: `The run is due at ${runAt.toISOString()}.` },
      ],
    })
  })

  it('a retrying run is explained by the time of its next attempt', async () => {
    const session = await t.session()
    const run = await t.running(session)
    await t.store.work.settle(session, [retry(run, HOUR_MS)])
    const { until, attempts } = await reason(run.id, 'retry_at')
    expect(attempts).toBe(1)
    expect(until.getTime()).toBeGreaterThan(Date.now() + HOUR_MS / 2)
  })

  it('a run is explained by the lack of a live worker with its handler and queue', async () => {
    const id = await t.submit({ queue: 'mail' })
    expect(await reason(id, 'no_worker')).toMatchObject({ handler: 'test', queue: 'mail' })
    await t.expire(await t.session())
    expect(await codes(id)).toEqual(['no_worker'])
  })

  it('a run is explained by the pauses of its queue and of all queues, with who paused', async () => {
    await t.session()
    const id = await t.submit({ queue: 'mail' })
    await t.store.queues.pause('mail', { note: 'provider is down', by: 'ada' }, 1)
    await t.store.queues.pause(null, { note: null, by: 'bob' }, 1)
    const { reasons } = await explain(id)
    expect(reasons).toMatchObject([
      {
        code: 'paused',
        queue: 'mail',
        by: 'ada',
        note: 'provider is down',
        since: expect.any(Date),
      },
      { code: 'paused', queue: null, by: 'bob', note: null },
    ])
  })

  it('a run is explained by the suspension of its tenant', async () => {
    await t.session()
    const id = await t.submit()
    await t.store.tenants.suspend('default', { note: 'unpaid', by: 'ops' })
    expect(await reason(id, 'tenant_suspended')).toMatchObject({ note: 'unpaid', by: 'ops' })
  })

  it('a run is explained by the draining of every worker with its handler', async () => {
    const session = await t.session()
    const id = await t.submit()
    await t.store.workers.drain(session, true)
    const { workers } = await reason(id, 'workers_draining')
    expect(workers).toMatchObject([{ id: session, host: 'test', capacity: 10 }])
  })

  it('a run is explained by the full capacity of every worker with its handler', async () => {
    const session = await t.session()
    for (let n = 0; n < 10; n++) await t.submit()
    expect((await t.claim(session, 10)).runs).toHaveLength(10)
    const { workers } = await reason(await t.submit(), 'workers_full')
    expect(workers).toEqual([{ id: session, host: 'test', held: 10, capacity: 10 }])
  })

  it('a run is explained by the used-up concurrency or rate limit of its queue', async () => {
    const session = await t.session()
    const limit = { rate: null, ageingMs: null, weight: null }
    await t.store.limits.set('mail', { ...limit, concurrency: 1 }, null, 1)
    await t.running(session, { queue: 'mail' })
    const waiting = await t.submit({ queue: 'mail' })
    expect(await reason(waiting, 'limit_concurrency')).toMatchObject({
      queue: 'mail',
      limit: 1,
      running: 1,
    })
    const rate = { limit: 1, perMs: HOUR_MS, burst: 1 }
    await t.store.limits.set('slow', { ...limit, concurrency: null, rate }, null, 1)
    await t.running(session, { queue: 'slow' })
    const { until } = await reason(await t.submit({ queue: 'slow' }), 'limit_rate')
    expect(until.getTime()).toBeGreaterThan(Date.now())
  })

  it('a run is explained by the running runs of its concurrency key', async () => {
    const session = await t.session()
    const concurrency = { key: 'shop', limit: 1 }
    const first = await t.running(session, { concurrency })
    const second = await t.submit({ concurrency })
    await t.claim(session, 10)
    expect(await reason(second, 'concurrency')).toMatchObject({
      ...concurrency,
      heldBy: [first.id],
    })
  })

  it.each(['paused', 'no_worker', null] as const)(
    'a run is explained by an admitted run of its key that has not started (%s)',
    async (why) => {
      await t.session()
      const concurrency = { key: 'shop', limit: 1 }
      const stuck = { queue: 'mail', handler: why === 'no_worker' ? 'nobody' : 'test' }
      const first = await t.submit({ ...stuck, concurrency })
      const second = await t.submit({ concurrency })
      if (why === 'paused') await t.store.queues.pause('mail', { note: null, by: null }, 1)
      const { detail, ...obstacle } = await reason(second, 'concurrency')
      expect(obstacle).toMatchObject({ heldBy: [], admitted: [{ run: first, ...stuck, why }] })
      expect(detail).toContain(`admitted but not started: ${first}`)
      if (why === 'paused') expect(detail).toContain('its queue mail is paused')
      if (why === 'no_worker') expect(detail).toContain('no live worker has the handler nobody')
    },
  )

  it('a run is explained by the used-up rate of its key, with its end', async () => {
    const session = await t.session()
    const rate = { key: 'api', limit: 1, per: 'hour' } as const
    await t.running(session, { rate })
    const second = await t.submit({ rate })
    await t.claim(session, 10)
    const { key, until } = await reason(second, 'rate_limited')
    expect(key).toBe('api')
    expect(until.getTime()).toBeGreaterThan(Date.now())
  })

  it('a run is explained by the running run of the same job', async () => {
    const session = await t.session()
    await t.job({ name: 'nightly', cron: '0 0 1 1 *', overlap: 'queue-all' })
    const first = await t.store.schedules.steering.trigger('nightly', null, 1)
    expect((await t.claim(session, 10)).runs.map(({ id }) => id)).toEqual([first])
    const second = await t.store.schedules.steering.trigger('nightly', null, 1)
    await t.claim(session, 10)
    expect(await reason(second, 'overlap')).toMatchObject({ job: 'nightly', heldBy: first })
  })

  it('a run is explained by the number of runs ahead of it', async () => {
    await t.session()
    await t.submit()
    await t.submit()
    expect(await reason(await t.submit(), 'behind_others')).toMatchObject({ ahead: 2 })
  })

  it('a run is explained by the loss of its worker', async () => {
    const session = await t.session()
    const { id } = await t.running(session)
    expect(await explain(id)).toEqual({ running: true, reasons: [] })
    await t.expire(session)
    expect(await explain(id)).toMatchObject({
      running: false,
      reasons: [{ code: 'worker_lost', worker: session, since: expect.any(Date) }],
    })
  })

  it('an ended run is explained by its final state', async () => {
    const session = await t.session()
    const run = await t.running(session)
    await t.store.work.settle(session, [dead(run)])
    expect(await explain(run.id)).toMatchObject({
      running: false,
      reasons: [{ code: 'ended', state: 'dead', at: expect.any(Date) }],
    })
  })

  it('the explanation of a run lists every reason that applies', async () => {
    const id = await t.submit({ queue: 'mail', runAt: new Date(Date.now() + HOUR_MS) })
    await t.store.queues.pause('mail', { note: null, by: null }, 1)
    expect(await codes(id)).toEqual(['not_due', 'paused', 'no_worker'])
  })

  it('a run is not explained to another tenant', async () => {
    expect(await t.store.explainer.explain(await t.submit(), 2)).toBeNull()
  })
})

const action = fc.oneof(
  fc.record({
    kind: fc.constant('submit' as const),
    queue: fc.constantFrom('default', 'mail'),
    handler: fc.constantFrom('test', 'other', 'nobody'),
    priority: fc.constantFrom(2, 5),
    key: fc.constantFrom(null, 'a', 'b'),
    rated: fc.boolean(),
  }),
  fc.record({ kind: fc.constantFrom('session', 'expire', 'drain', 'reap'), which: fc.nat(5) }),
  fc.record({
    kind: fc.constant('claim' as const),
    which: fc.nat(5),
    limit: fc.integer({ min: 1, max: 4 }),
  }),
  fc.record({ kind: fc.constant('succeed' as const), which: fc.nat(20) }),
  fc.record({ kind: fc.constantFrom('pause', 'resume', 'limit', 'job'), which: fc.nat(3) }),
)

it('after random actions, every run that is not running has a reason', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 5, maxLength: 40 }), async (actions) => {
      const world = new World()
      for (const step of actions) await world.do(step)
      const { rows } = await t.sql.query('select id from punctual.runs')
      for (const { id } of rows) {
        const { running, reasons } = await explain(id)
        expect({ id, unexplained: !running && reasons.length === 0 }).toEqual({
          id,
          unexplained: false,
        })
        expect(running && reasons.length > 0).toBe(false)
      }
      await clear()
    }),
    { numRuns: 10 },
  )
})

type Action = typeof action extends fc.Arbitrary<infer T> ? T : never

/** Performs random actions on workers, runs, pauses and limits. */
class World {
  readonly #sessions: string[] = []
  readonly #held: { session: string; run: Parameters<typeof succeeded>[0] }[] = []

  async do(step: Action): Promise<void> {
    if (step.kind === 'submit') {
      const { kind, key, rated, ...options } = step
      const concurrency = key === null ? {} : { concurrency: { key, limit: 1 } }
      const rate = rated ? { rate: { key: 'r', limit: 1, per: 'minute' as const } } : {}
      await t.submit({ ...options, ...concurrency, ...rate })
    } else if (step.kind === 'claim') await this.#claim(step.which, step.limit)
    else await this.#steer(step.kind, step.which)
  }

  async #claim(which: number, limit: number) {
    const session = this.#sessions[which % Math.max(1, this.#sessions.length)]
    if (!session) return
    const { runs } = await t.claim(session, limit)
    this.#held.push(...runs.map((run) => ({ session, run })))
  }

  async #steer(kind: string, which: number) {
    const session = this.#sessions[which % Math.max(1, this.#sessions.length)]
    const [held] = this.#held.splice(
      which % Math.max(1, this.#held.length),
      kind === 'succeed' ? 1 : 0,
    )
    if (kind === 'session') this.#sessions.push(await t.session())
    else if (kind === 'succeed' && held)
      await t.store.work.settle(held.session, [succeeded(held.run)])
    else if (kind === 'pause') await t.store.queues.pause('mail', { note: null, by: null }, 1)
    else if (kind === 'resume') await t.store.queues.resume('mail', 1)
    else if (kind === 'limit') await limitQueue(which)
    else if (kind === 'job') await triggerJob()
    else if (session && kind === 'expire') await t.expire(session)
    else if (session && kind === 'drain') await t.store.workers.drain(session, true)
    else if (session && kind === 'reap') await t.reap([session])
  }
}

async function limitQueue(concurrency: number) {
  await t.store.limits.set(
    'default',
    { concurrency, rate: null, ageingMs: null, weight: null },
    null,
    1,
  )
}

async function triggerJob() {
  await t.job({ name: 'nightly', cron: '0 0 1 1 *', overlap: 'queue-all' })
  await t.store.schedules.steering.trigger('nightly', null, 1)
}
