import { TestStore } from '@punctual/testkit'
import { afterAll, beforeAll, expect, it } from 'vitest'

let t: TestStore
beforeAll(async () => {
  t = await TestStore.open()
})
afterAll(() => t.close())

it('a claim returns when the next run of any lane is due, also when it took runs', async () => {
  const session = await t.session()
  expect((await t.claim(session)).nextDueInMs, 'nothing waits').toBeNull()
  await t.submit({ delayMs: 20_000 })
  const later = await t.claim(session)
  expect(later.runs).toEqual([])
  expect(later.nextDueInMs).toBeGreaterThan(10_000)
  expect(later.nextDueInMs).toBeLessThanOrEqual(20_000)
  await t.submit()
  await t.submit({ handler: 'other', delayMs: 15_000 })
  const now = await t.claim(session, 10)
  expect(now.runs.length).toBe(1)
  expect(now.nextDueInMs).toBeGreaterThan(5_000)
  expect(now.nextDueInMs).toBeLessThanOrEqual(15_000)
})
