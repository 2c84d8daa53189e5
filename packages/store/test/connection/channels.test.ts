import { TestStore } from '@punctual/testkit'
import { afterAll, beforeAll, expect, it } from 'vitest'

let t: TestStore
beforeAll(async () => {
  t = await TestStore.open()
})
afterAll(() => t.close())

it('the first connection is used until the second one is connected', async () => {
  const { claim, secondClaim } = t.store.database
  await claim.ready()
  expect(secondClaim.orUntilConnected(claim), 'the second one begins to connect').toBe(claim)
  await expect.poll(() => secondClaim.orUntilConnected(claim) === secondClaim).toBe(true)
  await secondClaim.close()
  expect(secondClaim.orUntilConnected(claim), 'a closed second one does not fail').toBe(claim)
})
