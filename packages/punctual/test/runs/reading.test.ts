/** Reading through the library: the records of real workers, and refused queries. */
import { migratedDatabase, type TestDatabase } from '@punctual/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Punctual } from '../../src/index.ts'

let database: TestDatabase
let punctual: Punctual
beforeAll(async () => {
  database = await migratedDatabase()
  punctual = await Punctual.start({ databaseUrl: database.url, roles: ['worker'] })
  punctual.handler('work', ({ fails }: { fails: boolean }) => {
    if (fails) throw new Error('The card has expired.')
    return 'done'
  })
  await punctual.jobs.upsert({
    name: 'nightly',
    handler: 'work',
    payload: { fails: false },
    cron: '0 0 1 1 *',
  })
})
afterAll(async () => {
  await punctual.stop()
  await database.drop()
})

const submit = async (fails: boolean) => {
  const labels = { user: fails ? 'user_001' : 'user_002' }
  const { id } = await punctual.submit('work', { fails }, { maxAttempts: 1, labels })
  return punctual.runs.waitFor(id)
}

describe('the records of a worker', () => {
  it('runs are found by what happened to them', async () => {
    const [died, done] = [await submit(true), await submit(false)]
    const { runs, nextCursor, complete } = await punctual.runs.page({ notRetried: true })
    expect({ nextCursor, complete }).toEqual({ nextCursor: null, complete: true })
    expect(runs).toMatchObject([
      { id: died.id, state: 'dead', error: 'The card has expired.', attempt: 1 },
    ])
    const today = { from: new Date(Date.now() - 60_000), to: new Date(Date.now() + 60_000) }
    const ended = await punctual.runs.page({ finished: today, states: ['dead', 'succeeded'] })
    expect(ended.runs.map(({ id }) => id)).toEqual([done.id, died.id])
    const byUser = await punctual.runs.count({ labels: { user: 'user_001' } }, { by: 'state' })
    expect(byUser).toEqual({ count: 1, exact: true, groups: [{ name: 'dead', count: 1 }] })
    await punctual.deadLetters.discard(died.id, { reason: 'known' })
    expect((await punctual.runs.page({ notRetried: true })).runs).toEqual([])
  })

  it('runs show in the status of their job, and in counts by job', async () => {
    const { id } = await punctual.jobs.trigger('nightly')
    await punctual.runs.waitFor(id)
    const job = await punctual.jobs.inspect('nightly')
    expect(job).toMatchObject({
      status: 'scheduled',
      latestRun: { id, state: 'succeeded', attempt: 1 },
    })
    const { groups } = await punctual.runs.count({ states: ['succeeded'] }, { by: 'job' })
    expect(groups).toContainEqual({ name: 'nightly', count: 1, id: job?.id })
    const page = await punctual.jobs.page({ statuses: ['scheduled'], namePrefix: 'night' })
    expect(page).toMatchObject({ total: 1, totalExact: true, jobs: [{ name: 'nightly' }] })
    expect(await punctual.runs.explain(id)).toMatchObject({
      running: false,
      reasons: [{ code: 'ended' }],
    })
  })

  it("runs are in today's report", async () => {
    const { rows, countedTo } = await punctual.stats.report()
    expect(countedTo).toBeNull()
    const today = rows.at(-1)
    expect(today?.ended.succeeded).toBeGreaterThanOrEqual(1)
    expect(today?.successRate).toBeGreaterThan(0)
    const byJob = await punctual.stats.report({ by: 'job' })
    expect(byJob.countedTo).toBeInstanceOf(Date)
    expect((await punctual.stats.recent())[0]).toMatchObject({ queue: 'default', handler: 'work' })
  })
})

describe('an invalid query', () => {
  const refused = (field: string) => ({ code: 'invalid_option', field })
  it.each([
    ['limit', () => punctual.runs.page({}, { limit: 1_001 })],
    ['order', () => punctual.runs.page({}, { order: 'ended' })],
    ['options', () => punctual.runs.page({}, { size: 1 } as object)],
    ['filter', () => punctual.runs.page({ colour: 'red' } as object)],
    ['notRetried', () => punctual.runs.page({ notRetried: false } as object)],
    ['states', () => punctual.runs.page({ states: ['queued'], fingerprint: 'x' })],
    ['states', () => punctual.runs.count({ states: ['succeeded'], runningOverMs: 1 })],
    ['runningOverMs', () => punctual.runs.count({ runningOverMs: -1 })],
    ['finished', () => punctual.runs.count({ finished: { until: 1 } } as object)],
    ['by', () => punctual.runs.count({}, { by: 'colour' as 'state' })],
    ['by', () => punctual.runs.count({}, { by: 'label:' })],
    ['statuses', () => punctual.jobs.page({ statuses: ['dead' as 'failed'] })],
    ['page', () => punctual.jobs.page({}, { page: 201 })],
    ['page', () => punctual.jobs.page({}, { page: 1, cursor: 'x' })],
    ['next', () => punctual.jobs.page({ next: 'soon' as unknown as object })],
    ['from', () => punctual.stats.report({ from: 0 })],
    ['by', () => punctual.stats.report({ by: 'hour' as 'day' })],
    ['minutes', () => punctual.stats.recent({ minutes: 0 })],
  ])('a query with an invalid field is refused: %s', async (field, ask) => {
    await expect(ask()).rejects.toMatchObject(refused(field))
  })

  it('a query with an unknown cursor or job is refused', async () => {
    await expect(punctual.runs.page({}, { cursor: 'x' })).rejects.toMatchObject({
      code: 'invalid_cursor',
    })
    await expect(punctual.jobs.page({}, { cursor: 'x' })).rejects.toMatchObject({
      code: 'invalid_cursor',
    })
    await expect(punctual.runs.page({ job: 'none' })).rejects.toMatchObject({
      code: 'job_not_found',
    })
    const id = '01a1dc80-f000-7000-8000-000000000000'
    await expect(punctual.runs.explain(id)).rejects.toMatchObject({ code: 'run_not_found' })
    expect(await punctual.jobs.inspect('none')).toBeNull()
  })
})
