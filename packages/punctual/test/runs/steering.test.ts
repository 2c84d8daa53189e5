/** Steering runs, one or many, through the library. */
import { eventually, migratedDatabase, type TestDatabase } from '@punctual/testkit'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Punctual, type RunFilter } from '../../src/index.ts'

const HOUR = 3_600_000
let database: TestDatabase
let client: Punctual
let queue = ''
let queues = 0

beforeAll(async () => {
  database = await migratedDatabase()
  client = await Punctual.start({ databaseUrl: database.url, roles: [] })
})
afterAll(async () => {
  await client.stop()
  await database.drop()
})
beforeEach(() => {
  queue = `queue ${++queues}`
})

const submit = async (options: object = {}, handler = 'none') =>
  (await client.submit(handler, { n: 1 }, { queue, ...options })).id
const stateOf = async (id: string) => (await client.runs.get(id))?.state

/** A worker of this test's queue whose handler stops on request. */
async function worker(concurrency = 50) {
  const punctual = await Punctual.start({
    ...{ databaseUrl: database.url, roles: ['worker'] },
    worker: { concurrency, queues: [queue] },
  })
  punctual.handler(
    'heeding',
    (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason))
      }),
  )
  return punctual
}

describe('one run', () => {
  it('steering an ended run reports that it is finished, with its state', async () => {
    const punctual = await worker()
    punctual.handler('quick', () => 1)
    const id = await submit({}, 'quick')
    await client.runs.waitFor(id)
    expect(await client.runs.cancel(id)).toEqual({ result: 'already_finished', state: 'succeeded' })
    expect(await client.runs.promote(id)).toBe('already_finished')
    expect(await client.runs.reprioritise(id, 1)).toBe('already_finished')
    expect(await client.runs.edit(id, { payload: 2 })).toBe('already_finished')
    await punctual.stop()
  })

  it('a running run is left alone', async () => {
    const punctual = await worker()
    const id = await submit({}, 'heeding')
    await eventually('it runs', async () => (await stateOf(id)) === 'running')
    expect(await client.runs.promote(id)).toBe('running')
    expect(await client.runs.reprioritise(id, 1)).toBe('running')
    expect(await client.runs.edit(id, { payload: 2 })).toBe('running')
    await client.runs.cancel(id)
    await client.runs.waitFor(id)
    await punctual.stop()
  })

  it('a waiting run is promoted and given another priority and payload', async () => {
    const id = await submit({ delayMs: HOUR })
    expect(await client.runs.edit(id, { payload: [1, 2] })).toBe('edited')
    expect(await client.runs.reprioritise({ id }, 0)).toBe('reprioritised')
    expect(await client.runs.promote(id)).toBe('promoted')
    expect(await client.runs.promote(id)).toBe('already_due')
    expect(await client.runs.get(id)).toMatchObject({
      ...{ state: 'queued', payload: [1, 2], priority: 0, editedAt: expect.any(Date) },
    })
  })

  it('a run that was attempted keeps its payload', async () => {
    const punctual = await worker()
    punctual.handler('failing', () => {
      throw new Error('not yet')
    })
    const backoff = { kind: 'fixed', delayMs: HOUR } as const
    const id = await submit({ retry: { backoff } }, 'failing')
    await eventually('it waits again', async () => (await stateOf(id)) === 'scheduled')
    expect(await client.runs.edit(id, { payload: 2 })).toBe('attempted')
    await punctual.stop()
  })

  it.each<[string, (id: string) => Promise<unknown>, string]>([
    ['a priority of 11', (id) => client.runs.reprioritise(id, 11), 'priority'],
    ['no priority', (id) => client.runs.reprioritise(id, undefined as never), 'priority'],
    ['no change', (id) => client.runs.edit(id, {} as never), 'change'],
    ['other changes', (id) => client.runs.edit(id, { payload: 1, key: 'k' } as never), 'change'],
    ['no JSON', (id) => client.runs.edit(id, { payload: 1n }), 'payload'],
  ])('%s is refused', async (_, call, field) => {
    const id = await submit()
    await expect(call(id)).rejects.toMatchObject({ field })
  })

  it('a missing run is reported', async () => {
    const id = '019a0000-0000-7000-8000-000000000000'
    for (const call of [
      () => client.runs.promote(id),
      () => client.runs.reprioritise(id, 1),
      () => client.runs.edit(id, { payload: 1 }),
    ])
      await expect(call()).rejects.toMatchObject({ code: 'run_not_found', id })
  })
})

describe('many runs', () => {
  it.each<[string, (ids: string[]) => RunFilter]>([
    ['a queue', () => ({ queue })],
    ['a queue and a handler', () => ({ queue, handler: 'wanted' })],
    ['labels', () => ({ queue, labels: { tier: 'gold' } })],
    ['a key prefix', () => ({ keyPrefix: `${queue}/` })],
    ['ids', (ids) => ({ ids })],
    ['states', () => ({ queue, states: ['queued', 'scheduled'] })],
  ])('many runs are selected by %s', async (name, filterOf) => {
    const all = name === 'a queue' || name === 'states'
    const wanted = await Promise.all(
      [0, 30_000, HOUR].map((delayMs, i) =>
        submit({ delayMs, labels: { tier: 'gold' }, key: `${queue}/${i}` }, 'wanted'),
      ),
    )
    const other = all ? [] : [await submit({ labels: { tier: 'tin' } })]
    const filter = filterOf(wanted)
    const listed = await client.runs.list(filter)
    expect(listed.map(({ id }) => id).sort()).toEqual(wanted.toSorted())
    const dry = await client.runs.cancelMany(filter, { dryRun: true })
    expect(dry).toMatchObject({
      ...{ dryRun: true, matched: 3, complete: true, answers: { cancelled: 0 } },
      ...{ states: { queued: 1, scheduled: 2 }, sample: expect.arrayContaining(wanted) },
    })
    expect(await stateOf(wanted[0] as string)).toBe('queued')
    const done = await client.runs.cancelMany(filter, { reason: 'not wanted' })
    expect(done).toMatchObject({ matched: 3, answers: { cancelled: 3, cancelling: 0 } })
    for (const id of wanted)
      expect(await client.runs.get(id)).toMatchObject({ state: 'cancelled', reason: 'not wanted' })
    for (const id of other) expect(await stateOf(id)).toBe('queued')
    expect(await client.runs.cancelMany(filter)).toMatchObject({ matched: 0, complete: true })
  })

  it('many runs are selected by when they are due and when they were accepted', async () => {
    const [soon, late] = [await submit({ delayMs: HOUR }), await submit({ delayMs: 3 * HOUR })]
    const middle = new Date(Date.now() + 2 * HOUR)
    const ids = async (filter: RunFilter) =>
      (await client.runs.list({ queue, ...filter })).map(({ id }) => id)
    expect(await ids({ due: { from: middle } })).toEqual([late])
    expect(await ids({ due: { to: middle } })).toEqual([soon])
    const run = await client.runs.get(late)
    const accepted = run?.createdAt as Date
    expect(await ids({ created: { from: new Date(accepted.getTime() + 1) } })).toEqual([])
    expect((await ids({ created: { to: new Date(accepted.getTime() + 1) } })).length).toBe(2)
    const moved = await client.runs.cancelMany({ queue, due: { from: middle } })
    expect([moved.matched, await stateOf(soon)]).toEqual([1, 'scheduled'])
  })

  it('many runs are selected by their job, also by its id, and finished ones are listed', async () => {
    const name = `job of ${queue}`
    const { id: jobId } = await client.jobs.upsert({
      ...{ name, handler: 'none', cron: '0 0 1 1 *', overlap: 'allow', queue },
    })
    const runs = [(await client.jobs.trigger(name)).id, (await client.jobs.trigger(name)).id]
    await submit()
    const done = await client.runs.cancelMany({ job: name }, { limit: 1 })
    expect(done).toMatchObject({ matched: 1, complete: false })
    expect((await client.runs.list({ job: jobId })).map(({ id }) => id).sort()).toEqual(runs.sort())
    expect(await client.runs.list({ job: name, states: ['cancelled'] })).toHaveLength(1)
    await expect(client.runs.cancelMany({ job: 'nobody' })).rejects.toMatchObject({
      code: 'job_not_found',
    })
  })

  it('many runs are processed in batches, with progress, up to a limit', async () => {
    const payloads = Array.from({ length: 1_300 }, (_, i) => i)
    await client.submitMany('none', payloads, { queue })
    const progress: number[] = []
    const onProgress = ({ done }: { done: number }) => progress.push(done)
    const some = await client.runs.cancelMany({ queue }, { limit: 700, onProgress })
    expect(some).toMatchObject({ matched: 700, answers: { cancelled: 700 }, complete: false })
    expect(progress).toEqual([500, 700])
    const rest = await client.runs.cancelMany({ queue }, { onProgress })
    expect(rest).toMatchObject({ matched: 600, answers: { cancelled: 600 }, complete: true })
    expect(some.sample).toHaveLength(10)
  })

  it('runs after the batch in which the caller stops are left alone', async () => {
    await client.submitMany('none', Array(1_200).fill(0), { queue })
    const stop = new AbortController()
    const onProgress = () => stop.abort()
    const options = { signal: stop.signal, onProgress }
    const stopped = await client.runs.reprioritiseMany({ queue }, 9, options)
    expect(stopped).toMatchObject({ answers: { reprioritised: 500, missed: 0 }, complete: false })
    const never = await client.runs.cancelMany({ queue }, { signal: stop.signal })
    expect(never).toMatchObject({ matched: 0, complete: false })
  })

  it('many runs are promoted, rescheduled and given another priority', async () => {
    const later = [await submit({ delayMs: HOUR }), await submit({ delayMs: 30_000 })]
    const due = await submit()
    expect(await client.runs.promoteMany({ queue })).toMatchObject({
      ...{ matched: 2, answers: { promoted: 2, missed: 0 } },
    })
    const at = new Date(Date.now() + 5 * HOUR)
    expect(await client.runs.rescheduleMany({ queue }, at)).toMatchObject({
      ...{ matched: 3, states: { queued: 3 }, answers: { rescheduled: 3 } },
    })
    expect(await client.runs.reprioritiseMany({ queue }, 1)).toMatchObject({
      ...{ matched: 3, answers: { reprioritised: 3 } },
    })
    for (const id of [...later, due])
      expect(await client.runs.get(id)).toMatchObject({ dueAt: at, priority: 1 })
  })

  it('of many cancelled runs, running ones are asked to stop, and none is left', async () => {
    const punctual = await worker(5)
    const ids = (await client.submitMany('heeding', Array(200).fill(0), { queue })).map(
      ({ id }) => id,
    )
    await eventually('some run', async () => punctual.running > 0)
    const { answers, matched } = await client.runs.cancelMany({ queue }, { reason: 'enough' })
    expect([matched, answers.cancelled + answers.cancelling]).toEqual([200, 200])
    expect(answers.cancelling).toBeGreaterThan(0)
    for (const id of ids)
      expect(await client.runs.waitFor(id)).toMatchObject({ state: 'cancelled', reason: 'enough' })
    await punctual.stop()
  })

  it('runs submitted while many are cancelled are not affected', async () => {
    // More than one batch.
    await client.submitMany('none', Array(5_600).fill(0), { queue })
    let late: Promise<string> | null = null
    const onProgress = () => {
      late ??= submit()
    }
    const { matched } = await client.runs.cancelMany({ queue }, { onProgress })
    const id = await (late as unknown as Promise<string>)
    expect([matched, await stateOf(id)]).toEqual([5_600, 'queued'])
  })

  it.each<[string, () => Promise<unknown>, string]>([
    ['an empty filter', () => client.runs.cancelMany({}), 'filter'],
    ['unknown options', () => client.runs.cancelMany({ queue }, { dry: true } as never), 'options'],
    ['a limit of 0', () => client.runs.cancelMany({ queue }, { limit: 0 }), 'limit'],
    ['no boolean', () => client.runs.cancelMany({ queue }, { dryRun: 1 } as never), 'dryRun'],
    ['all as a string', () => client.runs.promoteMany({}, { all: 'yes' } as never), 'all'],
    ['no time', () => client.runs.rescheduleMany({ queue }, 'soon' as never), 'runAt'],
    ['a priority of -1', () => client.runs.reprioritiseMany({ queue }, -1), 'priority'],
    ['a finished state', () => client.runs.cancelMany({ states: ['dead'] }), 'states'],
  ])('%s is refused', async (_, call, field) => {
    await expect(call()).rejects.toMatchObject({ code: 'invalid_option', field })
  })

  it('all runs are affected only with an explicit option', async () => {
    await submit({ delayMs: HOUR })
    const all = await client.runs.promoteMany({}, { all: true, dryRun: true })
    expect(all.matched).toBeGreaterThan(0)
  })
})
