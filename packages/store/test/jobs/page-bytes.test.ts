/** Pages of jobs with large payloads are shorter, and the next page continues after them. */
import { limits } from '@punctual/core/errors'
import { exportTenant } from '@punctual/store'
import { TestStore } from '@punctual/testkit'
import { afterAll, beforeAll, expect, it } from 'vitest'

const LARGE = 'x'.repeat(1_048_000)
const JOBS = 20

let t: TestStore
beforeAll(async () => {
  t = await TestStore.open()
  for (let i = 0; i < JOBS; i++) {
    await t.job({ name: `job-${i + 10}`, every: '1d', payload: LARGE })
    await t.submit({ payload: LARGE })
  }
})
afterAll(() => t.close())

const bytesOf = (items: readonly { payload: unknown }[]) =>
  items.reduce((sum, { payload }) => sum + JSON.stringify(payload).length, 0)

it('a page of 1,000 jobs holds a bounded number of bytes, and its cursor reaches the others', async () => {
  const names: string[] = []
  let cursor: string | undefined
  do {
    const options = { limit: 1_000, cursor, skip: 0 }
    const page = await t.store.schedules.jobPages.page({}, options, 1)
    expect(bytesOf(page.jobs)).toBeLessThanOrEqual(limits.pageBytes)
    expect(page.jobs.length).toBeGreaterThan(0)
    names.push(...page.jobs.map(({ name }) => name))
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
  expect(names).toEqual(Array.from({ length: JOBS }, (_, i) => `job-${i + 10}`))
})

it('a small page is complete when its jobs fit', async () => {
  const page = await t.store.schedules.jobPages.page(
    {},
    { limit: 5, cursor: undefined, skip: 0 },
    1,
  )
  expect(page.jobs).toHaveLength(5)
  expect(page.nextCursor).not.toBeNull()
})

it('an export reads all jobs and runs in pages of a bounded size', async () => {
  const pages: number[] = []
  const { replica } = t.store
  const counting = {
    read: (work: Parameters<typeof replica.read>[0]) =>
      replica.read(work).then((rows) => {
        if (Array.isArray(rows)) pages.push(rows.length)
        return rows
      }),
  } as typeof replica
  const sources = {
    replica: counting,
    calendars: t.store.schedules.calendars,
    limits: t.store.limits,
  }
  const [tenant] = await t.store.tenants.list({ after: '', limit: 1 })
  if (!tenant) throw new Error('There is no tenant.')
  const range = { fromMs: Date.now() - 86_400_000, toMs: Date.now() + 86_400_000 }
  const types: string[] = []
  for await (const line of exportTenant(sources, tenant, range)) types.push(JSON.parse(line).type)
  expect(types.filter((type) => type === 'job')).toHaveLength(JOBS)
  expect(types.filter((type) => type === 'run')).toHaveLength(JOBS)
  expect(Math.max(...pages)).toBeLessThanOrEqual(8)
})
