/** Declaring an existing job: what counts as a change, and how a broken job is handled. */
import { compileJob, type JobOptions } from '@punctual/core/job'
import { TestStore } from '@punctual/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { planAll, plannerOf } from '../kit/planning-kit.ts'

let t: TestStore
beforeAll(async () => {
  t = await TestStore.open()
})
afterAll(() => t.close())

const compiled = (options: Partial<JobOptions>) =>
  compileJob({ name: 'job', handler: 'test', cron: '* * * * * *', ...options } as JobOptions, {
    timezone: 'UTC',
    jitterMs: 0,
  })
const upsert = async (options: Partial<JobOptions>) => {
  const [result] = await t.store.schedules.jobs.upsert([compiled(options)], 1)
  return result?.change
}
const compare = async (options: Partial<JobOptions>) =>
  (await t.store.schedules.jobs.compare([compiled(options)], 1))[0]?.change

it('changing only the delivery of a job counts as an update', async () => {
  const job = { name: 'delivered', maxAttempts: 1 }
  expect(await upsert(job)).toBe('created')
  const once = { ...job, delivery: 'at-most-once' } as const
  expect(await compare(once)).toBe('updated')
  expect(await upsert(once)).toBe('updated')
  expect(await t.store.schedules.jobs.find('delivered', 1)).toMatchObject({
    delivery: 'at-most-once',
  })
  expect(await upsert(once)).toBe('unchanged')
  expect(await upsert(job)).toBe('updated')
})

describe('a job that has lost its cursor', () => {
  const broken = async (name: string, options: Partial<JobOptions> = {}) => {
    const id = await t.job({ name, ...options })
    await planAll(plannerOf({ store: t.store, alone: true }))
    await t.sql.query('delete from punctual.cursors where job_id = $1', [id])
    return id
  }

  it('a job without a cursor is found, and declaring it again is refused', async () => {
    const id = await broken('found')
    expect(await t.store.schedules.jobs.find('found', 1)).toMatchObject({ id, nextAt: null })
    for (const options of [{}, { priority: 7 }])
      await expect(upsert({ name: 'found', ...options })).rejects.toMatchObject({
        code: 'cursor_missing',
        message: expect.stringContaining('Delete the job and declare it again.'),
        id,
      })
  })

  it('a job without a cursor can be deleted and created again with a correct ledger', async () => {
    const { steering, proof } = t.store.schedules
    const id = await broken('recreated', { every: '7s' })
    expect(await steering.delete('recreated', 1)).toBe(true)
    expect(await steering.delete('recreated', 1)).toBe(false)
    expect(await upsert({ name: 'recreated' })).toBe('created')
    const range = { fromMs: 0, untilMs: Date.now() + 60_000, jobId: id }
    expect(await proof.strays(range, 100)).toEqual([])
    await planAll(plannerOf({ store: t.store, alone: true }))
    expect((await t.store.schedules.jobs.find('recreated', 1))?.nextAt).toBeInstanceOf(Date)
  })
})
