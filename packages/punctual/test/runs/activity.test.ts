/** Events of this process and of the fleet: real workers on a real database. */
import { eventually, gate, migratedDatabase, type TestDatabase } from '@punctual/testkit'
import { type ActivityEvent, type ActivityType, NonRetryableError, Punctual } from 'punctual'
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  expectTypeOf,
  it,
} from 'vitest'

let database: TestDatabase
let punctual: Punctual
let other: Punctual
const faults: unknown[] = []
beforeAll(async () => {
  database = await migratedDatabase()
})
afterAll(() => database.drop())
beforeEach(async () => {
  const nothing = () => undefined
  const error = ({ err }: { err?: unknown }) => void faults.push(err)
  const logger = { debug: nothing, info: nothing, warn: nothing, error }
  punctual = await Punctual.start({ databaseUrl: database.url, roles: ['worker'], logger })
  other = await Punctual.start({ databaseUrl: database.url, roles: ['worker'] })
  faults.length = 0
})
afterEach(() => Promise.all([punctual.stop({ drainMs: 0 }), other.stop({ drainMs: 0 })]))

/** Collects this process's events for the runs of a handler, in order of arrival. */
function record(handler: string): ActivityEvent[] {
  const seen: ActivityEvent[] = []
  const listener = (event: ActivityEvent) => {
    if ('handler' in event && event.handler === handler) seen.push(event)
  }
  for (const type of ['submitted', 'started', 'succeeded', 'failed', 'retrying', 'dead'] as const)
    punctual.on(`run.${type}`, listener)
  punctual.on('run.cancelled', listener)
  return seen
}

const ended = async (id: string) => (await punctual.runs.waitFor(id)).state
const types = (events: readonly ActivityEvent[]) => events.map(({ type }) => type.slice(4))

describe('events of this process', () => {
  it('events report each step of a run that fails, is retried and dies', async () => {
    const seen = record('dying')
    punctual.handler('dying', () => {
      throw new Error('no')
    })
    const retry = { backoff: { kind: 'fixed', delayMs: 1 } } as const
    const { id } = await punctual.submit('dying', null, { maxAttempts: 2, retry })
    expect(await ended(id)).toBe('dead')
    // A submission and its start, or two attempts, may arrive in either order: each event follows
    // its database answer.
    const ofAttempt = (attempt: number) =>
      seen.filter((event) => 'attempt' in event && event.attempt === attempt)
    // The end may be read from the database before its own answer arrives.
    await eventually('the last event', () => types(ofAttempt(2)).includes('dead'))
    expect(types(ofAttempt(1))).toEqual(['started', 'failed', 'retrying'])
    expect(types(ofAttempt(2))).toEqual(['started', 'failed', 'dead'])
    expect(seen.filter(({ type }) => type === 'run.submitted')).toMatchObject([{ created: true }])
    expect(new Set(seen.map((event) => 'runId' in event && event.runId))).toEqual(new Set([id]))
    expect(ofAttempt(1)[0]).toMatchObject({
      queue: 'default',
      jobId: null,
      dueAt: expect.any(Date),
    })
    expect(ofAttempt(1)[2]).toMatchObject({ delayMs: 1, error: { message: 'no' } })
    expect(ofAttempt(2)[2]).toMatchObject({ reason: 'attempts_exhausted' })
  })

  it('a success is reported, also when the handler settled it in its transaction', async () => {
    const seen = record('fine')
    punctual.handler('fine', (how: string, ctx) =>
      how === 'tx' ? ctx.transaction(async () => 1) : 1,
    )
    for (const how of ['plain', 'tx']) await ended((await punctual.submit('fine', how)).id)
    const once = ['started', 'succeeded', 'submitted']
    expect(types(seen).sort()).toEqual([...once, ...once].sort())
  })

  it('a run that was cancelled while it ran here is reported', async () => {
    const started = gate()
    punctual.handler('slow', async (_, { signal }) => {
      started.open()
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error())))
    })
    const cancelled = gate<ActivityEvent>()
    punctual.once('run.cancelled', cancelled.open)
    const { id } = await punctual.submit('slow')
    await started.opened
    await punctual.runs.cancel(id, 'enough')
    expect(await cancelled.opened).toMatchObject({ runId: id, reason: 'enough' })
  })

  it('runs of other processes and runs in an open transaction are not reported', async () => {
    const seen = record('elsewhere')
    other.handler('elsewhere', () => 1)
    const { id } = await other.submit('elsewhere')
    expect(await ended(id)).toBe('succeeded')
    const client = await punctual.store.database.connect()
    await client.query('begin')
    await punctual.submit('elsewhere', null, { tx: client })
    await client.query('rollback')
    await client.end()
    expect(seen).toEqual([])
  })

  it('a listener that throws or rejects affects no other, and is reported', async () => {
    const wanted = gate<ActivityEvent>()
    punctual.on('run.submitted', () => {
      throw new Error('thrown')
    })
    punctual.on('run.submitted', async () => {
      throw new Error('rejected')
    })
    punctual.on('run.submitted', wanted.open)
    const { id } = await punctual.submit('nobody')
    expect(await wanted.opened).toMatchObject({ runId: id })
    await eventually('both are reported', () => faults.length === 2)
    expect(faults.map(String)).toEqual(['Error: thrown', 'Error: rejected'])
  })

  it('once reports one event; off and the return value of on end a subscription', async () => {
    const reported: string[] = []
    const listener = () => reported.push('off')
    punctual.once('run.submitted', () => reported.push('once'))
    punctual.on('run.submitted', listener)
    const stop = punctual.on('run.submitted', () => reported.push('stop'))
    await punctual.submit('nobody')
    expect(reported).toEqual(['once', 'off', 'stop'])
    punctual.off('run.submitted', listener)
    stop()
    await punctual.submit('nobody')
    expect(reported.length).toBe(3)
  })

  it('a paused job is reported, whether a user or its failures paused it', async () => {
    const pauses: ActivityEvent<'job.paused'>[] = []
    punctual.on('job.paused', (event) => pauses.push(event))
    await punctual.jobs.upsert({ name: 'nightly', handler: 'none', cron: '0 3 * * *' })
    await punctual.jobs.pause('nightly', 'holidays')
    await punctual.jobs.pause('nightly')
    expect(pauses).toMatchObject([{ job: 'nightly', note: 'holidays', jobId: expect.any(String) }])
    punctual.handler('always dead', () => {
      throw new NonRetryableError('no')
    })
    const job = { name: 'failing', handler: 'always dead', cron: '0 3 * * *' }
    await punctual.jobs.upsert({ ...job, pauseAfterFailures: 1 })
    await punctual.jobs.trigger('failing')
    await eventually('both pauses are reported', () => pauses.length === 2)
    expect(pauses[1]).toMatchObject({ job: 'failing', note: '1 runs in a row are dead' })
  })
})

describe('a loop over events', () => {
  it('a loop gets matching events from its call on, and ends when it is left', async () => {
    punctual.handler('a', () => 1)
    punctual.handler('b', () => 1)
    const events = punctual.activity({ types: ['run.succeeded', 'run.submitted'], handler: 'b' })
    await ended((await punctual.submit('a')).id)
    const { id } = await punctual.submit('b')
    const seen: string[] = []
    for await (const event of events) {
      expect(event).toMatchObject({ runId: id, handler: 'b' })
      seen.push(event.type)
      if (event.type === 'run.succeeded') break
    }
    expect(seen).toEqual(['run.submitted', 'run.succeeded'])
    expect(await events.next()).toEqual({ value: undefined, done: true })
  })

  it('a loop ends by its signal and when Punctual stops, after the waiting events', async () => {
    const stop = new AbortController()
    const aborted = punctual.activity({ signal: stop.signal }).next()
    stop.abort()
    expect(await aborted).toEqual({ value: undefined, done: true })
    const events = punctual.activity({ types: ['run.submitted'], queue: 'mine' })
    const { id } = await punctual.submit('nobody', null, { queue: 'mine' })
    await punctual.stop()
    expect(await events.next()).toMatchObject({ value: { runId: id } })
    expect((await events.next()).done).toBe(true)
  })

  it('a loop that falls too far behind ends with an error after the waiting events', async () => {
    const events = punctual.activity({ types: ['run.submitted'] })
    const payloads = Array.from({ length: 10_000 }, () => null)
    await punctual.submitMany('nobody', payloads)
    await punctual.submit('nobody')
    let given = 0
    const loop = async () => {
      for await (const _ of events) given++
    }
    await expect(loop()).rejects.toMatchObject({ code: 'activity_behind' })
    expect(given).toBe(10_000)
  })
})

describe('events of the fleet', () => {
  it('deaths, cancellations and losses in all processes are reported once each, in order', async () => {
    const seen: ActivityEvent[] = []
    for (const type of ['run.dead', 'run.cancelled', 'worker.lost'] as const)
      punctual.on(type, (event) => seen.push(event), { fleet: true })
    other.handler('fatal', () => {
      throw new NonRetryableError('no')
    })
    punctual.handler('fatal here', () => {
      throw new NonRetryableError('no')
    })
    const first = await other.submit('fatal')
    await ended(first.id)
    const cancelled = await other.submit('nobody', null, { delayMs: 60_000 })
    await other.runs.cancel(cancelled.id, 'enough')
    const last = await other.submit('fatal here')
    await ended(last.id)
    await lose('4711')
    await eventually('all are reported', () => seen.length >= 4)
    expect(seen).toMatchObject([
      { type: 'run.dead', runId: first.id, handler: 'fatal', reason: 'non_retryable' },
      { type: 'run.cancelled', runId: cancelled.id, handler: 'nobody', reason: 'enough' },
      { type: 'run.dead', runId: last.id, attempt: 1, error: { message: 'no' } },
      { type: 'worker.lost', workerId: '4711', host: 'h', pid: 1 },
    ])
    const more = await other.submit('fatal')
    await eventually('one more is reported', () => seen.length >= 5)
    expect(seen.slice(4)).toMatchObject([{ runId: more.id }])
  })

  it('fleet events come in a loop, also from one queue only', async () => {
    const events = punctual.activity({ fleet: true, types: ['run.cancelled'], queue: 'second' })
    for (const queue of ['first', 'second']) {
      const { id } = await other.submit('nobody', null, { queue, delayMs: 60_000 })
      await other.runs.cancel(id)
    }
    expect((await events.next()).value).toMatchObject({ type: 'run.cancelled', queue: 'second' })
    await events.return?.()
  })

  it('fleet events are not lost when connections break', async () => {
    const reported: string[] = []
    const seen = ({ runId }: { readonly runId: string }) => reported.push(runId)
    const stop = punctual.on('run.cancelled', seen, { fleet: true })
    const cancelled: string[] = []
    const sql = await other.store.database.connect()
    for (let i = 0; i < 3; i++) {
      const { id } = await other.submit('nobody', null, { delayMs: 60_000 })
      await other.runs.cancel(id)
      cancelled.push(id)
      await sql.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid()`,
      )
      await eventually('it is reported', () => reported.includes(id))
    }
    await sql.end()
    stop()
    expect(reported).toEqual(cancelled)
  })

  it('fleet events cost no statement without a listener', async () => {
    const { control: read } = punctual.store.database
    const statements: string[] = []
    const query = read.query.bind(read)
    read.query = (statement, values) => {
      statements.push(statement.name)
      return query(statement, values)
    }
    const looks = () => statements.filter((name) => name.includes('activity/')).length
    const stop = punctual.on('run.dead', () => undefined, { fleet: true })
    await eventually('it polls twice', () => looks() >= 2)
    expect(statements.every((name) => !name.includes('list-ends'))).toBe(true)
    stop()
    const before = looks()
    // waits: for a poll that must not come
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    expect(looks() - before).toBeLessThanOrEqual(1)
  })

  it.each(['run.succeeded', 'run.started', 'job.paused'] as const)('%s is refused', (type) => {
    const listen = () => punctual.on(type as never, () => undefined, { fleet: true } as never)
    expect(listen).toThrow(expect.objectContaining({ code: 'invalid_option', field: 'fleet' }))
  })
})

it.each(['run.skipped', 'run.unknown'] as const)('%s is reported for the fleet only', (type) => {
  expect(() => punctual.on(type as never, () => undefined)).toThrow(/fleet: true/)
})

it('an invalid event name or listener is refused', () => {
  const refused = (field: string) => expect.objectContaining({ code: 'invalid_option', field })
  expect(() => punctual.on('run.gone' as never, () => undefined)).toThrow(refused('type'))
  expect(() => punctual.on('run.dead', null as never)).toThrow(refused('listener'))
  expect(() => punctual.on('run.dead', () => 1, { fleet: 1 } as never)).toThrow(refused('fleet'))
  for (const options of [{ flet: true }, { fleet: true, queue: 'q' }] as never[])
    for (const method of ['on', 'once'] as const)
      expect(() => punctual[method]('run.dead', () => 1, options)).toThrow(
        refused(Object.keys(options).at(-1) as string),
      )
  expect(() => punctual.on('run.dead', () => 1, null as never)).toThrow(refused('options'))
  expect(() => punctual.activity({ types: [] })).toThrow(refused('types'))
  expect(() => punctual.activity({ kinds: [] } as never)).toThrow(refused('options'))
  expect(() => punctual.activity({ types: 'run.dead' } as never)).toThrow(refused('types'))
})

it('events are typed by their names', () => {
  punctual.on('run.dead', (event) => {
    expectTypeOf(event.type).toEqualTypeOf<'run.dead'>()
    expectTypeOf(event.reason).toEqualTypeOf<string>()
  })
  const events = punctual.activity({ types: ['run.retrying', 'job.paused'] })
  expectTypeOf(events).toEqualTypeOf<
    AsyncIterableIterator<ActivityEvent<'run.retrying' | 'job.paused'>>
  >()
  expectTypeOf<ActivityType>().toExtend<string>()
})

/** Adds a worker whose last heartbeat is a whole lease ago. */
async function lose(id: string): Promise<void> {
  const { work, upkeep, database: db } = other.store
  const session = { id, host: 'h', pid: 1, version: '0', handlers: [], queues: [], labels: {} }
  await work.openSession({ ...session, capacity: 1, leaseMs: 1_000 })
  const sql = await db.connect()
  await sql.query(
    "update punctual.sessions set expires_at = clock_timestamp() - interval '1 second' where id = $1",
    [id],
  )
  await sql.end()
  await upkeep.reap([id], 3)
}
