/** Single submissions at the same time. */
import { TestStore } from '@punctual/testkit'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'

let t: TestStore
beforeAll(async () => {
  t = await TestStore.open()
})
afterAll(() => t.close())

it('64 callers at the same time share a few statements and commits', async () => {
  await t.submit()
  const sent = t.store.database.submit.map((channel) => vi.spyOn(channel, 'run'))
  const ids = await Promise.all(Array.from({ length: 64 }, () => t.submit()))
  expect(new Set(ids).size).toBe(64)
  const statements = sent.reduce((sum, { mock }) => sum + mock.calls.length, 0)
  expect(statements).toBeLessThanOrEqual(4)
})
