/** Events of this process and of the fleet: real workers, on a real database. */
import { eventually, gate, migratedDatabase, type TestDatabase } from '@punctual/testkit'
import { type EventName, NonRetryableError, Punctual, type PunctualEvent } from 'punctual'
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

/** Everything that this process tells of the runs of a handler, as it comes. */
function record(handler: string): PunctualEvent[] {
  const seen: PunctualEvent[] = []
  const listener = (event: PunctualEvent) => {
    if ('handler' in event && event.handler === handler) seen.push(event)
  }
  for (const type of ['submitted', 'started', 'succeeded', 'failed', 'retrying', 'dead'] as const)
    punctual.on(`run.${type}`, listener)
  punctual.on('run.cancelled', listener)
  return seen
}

const ended = async (id: string) => (await punctual.runs.waitFor(id)).state
const types = (events: readonly PunctualEvent[]) => events.map(({ type }) => type.slice(4))

describe('events of this process', () => {
  it('tell the way of a run that fails, is tried again and dies', async () => {
    const seen = record('dying')
    punctual.handler('dying', () => {
      throw new Error('no')
    })
    const retry = { backoff: { kind: 'fixed', delayMs: 1 } } as const
    const { id } = await punctual.submit('dying', null, { maxAttempts: 2, retry })
    expect(await ended(id)).toBe('dead')
    // A submission and its start, or two attempts, may be told in either order: each is told when its answer is here.
    const of = (attempt: number) => seen.filter((it) => 'attempt' in it && it.attempt === attempt)
    expect(types(of(1))).toEqual(['started', 'failed', 'retrying'])
    expect(types(of(2))).toEqual(['started', 'failed', 'dead'])
    expect(seen.filter(({ type }) => type === 'run.submitted')).toMatchObject([{ created: true }])
    expect(new Set(seen.map((event) => 'runId' in event && event.runId))).toEqual(new Set([id]))
    expect(of(1)[0]).toMatchObject({ queue: 'default', jobId: null, dueAt: expect.any(Date) })
    expect(of(1)[2]).toMatchObject({ delayMs: 1, error: { message: 'no' } })
    expect(of(2)[2]).toMatchObject({ reason: 'attempts_exhausted' })
  })

  it('tell a success, also one that was settled in the transaction of its handler', async () => {
    const seen = record('fine')
    punctual.handler('fine', (how: string, ctx) =>
      how === 'tx' ? ctx.transaction(async () => 1) : 1,
    )
    for (const how of ['plain', 'tx']) await ended((await punctual.submit('fine', how)).id)
    const once = ['started', 'succeeded', 'submitted']
    expect(types(seen).sort()).toEqual([...once, ...once].sort())
  })

  it('tell a run that was cancelled while it ran here', async () => {
    const started = gate()
    punctual.handler('slow', async (_, { signal }) => {
      started.open()
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error())))
    })
    const told = gate<PunctualEvent>()
    punctual.once('run.cancelled', told.open)
    const { id } = await punctual.submit('slow')
    await started.opened
    await punctual.runs.cancel(id, 'enough')
    expect(await told.opened).toMatchObject({ runId: id, reason: 'enough' })
  })

  it('are not told of others, nor of runs in an open transaction', async () => {
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

  it('a listener that throws or rejects harms nobody, and is reported', async () => {
    const wanted = gate<PunctualEvent>()
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

  it('once tells one; off and what on returns end it', async () => {
    const told: string[] = []
    const listener = () => told.push('off')
    punctual.once('run.submitted', () => told.push('once'))
    punctual.on('run.submitted', listener)
    const stop = punctual.on('run.submitted', () => told.push('stop'))
    await punctual.submit('nobody')
    expect(told).toEqual(['once', 'off', 'stop'])
    punctual.off('run.submitted', listener)
    stop()
    await punctual.submit('nobody')
    expect(told.length).toBe(3)
  })

  it('tell that a job was paused, by somebody or for its failures', async () => {
    const told: PunctualEvent<'job.paused'>[] = []
    punctual.on('job.paused', (event) => told.push(event))
    await punctual.jobs.upsert({ name: 'nightly', handler: 'none', cron: '0 3 * * *' })
    await punctual.jobs.pause('nightly', 'holidays')
    await punctual.jobs.pause('nightly')
    expect(told).toMatchObject([{ job: 'nightly', note: 'holidays', jobId: expect.any(String) }])
    punctual.handler('always dead', () => {
      throw new NonRetryableError('no')
    })
    const job = { name: 'failing', handler: 'always dead', cron: '0 3 * * *' }
    await punctual.jobs.upsert({ ...job, pauseAfterFailures: 1 })
    await punctual.jobs.trigger('failing')
    await eventually('it is paused', () => told.length === 2)
    expect(told[1]).toMatchObject({ job: 'failing', note: '1 runs in a row are dead' })
  })
})

describe('a loop over events', () => {
  it('gives those that match, from its call on, and ends when it is left', async () => {
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

  it('ends by its signal, and when Punctual stops; what waited is given first', async () => {
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

  it('that falls behind too far ends with an error, after what it had', async () => {
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
  it('tell deaths, cancellations and losses of all processes, each once, in their order', async () => {
    const seen: PunctualEvent[] = []
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
    await eventually('all are told', () => seen.length >= 4)
    expect(seen).toMatchObject([
      { type: 'run.dead', runId: first.id, handler: 'fatal', reason: 'non_retryable' },
      { type: 'run.cancelled', runId: cancelled.id, handler: 'nobody', reason: 'enough' },
      { type: 'run.dead', runId: last.id, attempt: 1, error: { message: 'no' } },
      { type: 'worker.lost', workerId: '4711', host: 'h', pid: 1 },
    ])
    const more = await other.submit('fatal')
    await eventually('one more is told', () => seen.length >= 5)
    expect(seen.slice(4)).toMatchObject([{ runId: more.id }])
  })

  it('come in a loop, and from one queue only', async () => {
    const events = punctual.activity({ fleet: true, types: ['run.cancelled'], queue: 'second' })
    for (const queue of ['first', 'second']) {
      const { id } = await other.submit('nobody', null, { queue, delayMs: 60_000 })
      await other.runs.cancel(id)
    }
    expect((await events.next()).value).toMatchObject({ type: 'run.cancelled', queue: 'second' })
    await events.return?.()
  })

  it('are not lost when connections break', async () => {
    const told: string[] = []
    const seen = ({ runId }: { readonly runId: string }) => told.push(runId)
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
      await eventually('it is told', () => told.includes(id))
    }
    await sql.end()
    stop()
    expect(told).toEqual(cancelled)
  })

  it('cost no statement when nobody listens', async () => {
    const { control: read } = punctual.store.database
    const asked: string[] = []
    const query = read.query.bind(read)
    read.query = (statement, values) => {
      asked.push(statement.name)
      return query(statement, values)
    }
    const looks = () => asked.filter((name) => name.includes('activity/')).length
    const stop = punctual.on('run.dead', () => undefined, { fleet: true })
    await eventually('it looks twice', () => looks() >= 2)
    expect(asked.every((name) => !name.includes('list-ends'))).toBe(true)
    stop()
    const before = looks()
    // waits: for a look that must not come
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    expect(looks() - before).toBeLessThanOrEqual(1)
  })

  it.each(['run.succeeded', 'run.started', 'job.paused'] as const)('%s is refused', (type) => {
    const listen = () => punctual.on(type as never, () => undefined, { fleet: true } as never)
    expect(listen).toThrow(expect.objectContaining({ code: 'invalid_option', field: 'fleet' }))
  })
})

it.each(['run.skipped', 'run.unknown'] as const)('%s is told of the fleet only', (type) => {
  expect(() => punctual.on(type as never, () => undefined)).toThrow(/fleet: true/)
})

it('what is none is refused', () => {
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
    AsyncIterableIterator<PunctualEvent<'run.retrying' | 'job.paused'>>
  >()
  expectTypeOf<EventName>().toExtend<string>()
})

/** A worker that was not heard of for a whole lease. */
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
