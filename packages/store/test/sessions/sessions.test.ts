import { systemRandom } from '@punctual/store'
import { TestStore } from '@punctual/testkit'
import { afterAll, beforeAll, expect, it } from 'vitest'

let t: TestStore
beforeAll(async () => {
  t = await TestStore.open()
})
afterAll(() => t.close())

const odd = ['plain', 'with, comma', 'with "quotes" and \\', 'null', '{}', ' spaced ', 'ünï']

it.each([
  ['many names with special characters', odd, odd],
  ['one name of each', ['one'], ['two']],
  ['no names', [], []],
])(
  'a worker session is listed with its handlers and queues unchanged: %s',
  async (_, handlers, queues) => {
    const id = systemRandom.token()
    await t.store.work.openSession({
      ...{ id, host: 'here', pid: 7, version: '1', capacity: 5, leaseMs: 30_000 },
      ...{ handlers, queues, labels: { zone: 'a' } },
    })
    const listed = (await t.store.workers.sessions()).find((session) => session.id === id)
    expect(listed).toMatchObject({
      ...{ host: 'here', pid: 7, state: 'active', capacity: 5, alive: true },
      ...{ handlers, queues, labels: { zone: 'a' } },
    })
    const stuck = [{ runId: 'r', handler: 'h', attempt: 1, ranMs: 5 }]
    const now = { state: 'draining' as const, handlers: [...handlers, 'more'], stuck }
    await t.store.work.describeSession(id, now)
    const described = (await t.store.workers.sessions()).find((session) => session.id === id)
    expect(described).toMatchObject(now)
  },
)
