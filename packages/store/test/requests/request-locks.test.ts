import { PostgresStore, systemClock, systemRandom } from '@punctual/store'
import { TestStore } from '@punctual/testkit'
import { afterAll, beforeAll, expect, it } from 'vitest'

let t: TestStore
let elsewhere: PostgresStore
beforeAll(async () => {
  t = await TestStore.open()
  const ports = { clock: systemClock, random: systemRandom, node: 'n' }
  elsewhere = new PostgresStore({ url: t.url, schema: 'elsewhere', ...ports })
  await elsewhere.migrate()
})
afterAll(async () => {
  await elsewhere.close()
  await t.close()
})

it('an idempotency key is busy in its own schema and free in another one', async () => {
  const taken = await t.store.transaction(async () => {
    const first = await t.store.requests.take(1, ['key'])
    const other = t.another()
    const same = await other.transaction(() => other.requests.take(1, ['key']))
    return {
      first,
      same,
      elsewhere: await elsewhere.transaction(() => elsewhere.requests.take(1, ['key'])),
    }
  })
  expect(taken).toEqual({ first: [null], same: ['busy'], elsewhere: [null] })
})
