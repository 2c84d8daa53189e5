import { TestStore } from '@punctual/testkit'
import { afterAll, beforeAll, expect, it } from 'vitest'

let t: TestStore
beforeAll(async () => {
  t = await TestStore.open()
})
afterAll(() => t.close())

it('a second connection is used once it is made, and until then the first one', async () => {
  const { claim, claimBeside } = t.store.database
  await claim.ready()
  expect(claimBeside.orUntilConnected(claim), 'begins to connect').toBe(claim)
  await expect.poll(() => claimBeside.orUntilConnected(claim) === claimBeside).toBe(true)
  await claimBeside.close()
  expect(claimBeside.orUntilConnected(claim), 'and does not fail').toBe(claim)
})
