import type { Lane } from '@punctual/core/flow'
import type { ClaimRequest, ClaimResult } from '@punctual/core/ports'
import { gate } from '@punctual/testkit'
import { expect, it } from 'vitest'
import { sharingClaims } from '../../src/http/shared-claims.ts'

const NOTHING: ClaimResult = {
  ...{ sessionAlive: true, runs: [], more: false, nextDueInMs: null, parked: [], gave: [] },
}
const by = (tenantId: number): ClaimRequest => ({
  ...{ sessionId: '1', fence: '1', limit: 1, lanes: [{ id: tenantId, tenantId } as Lane] },
})

/** Claims whose answers are given by hand, in the order in which they were sent. */
function make() {
  const sent: number[] = []
  const answers: (() => void)[] = []
  const claim = sharingClaims({
    claim: async ({ lanes }) => {
      sent.push(lanes[0]?.tenantId ?? 0)
      const answer = gate()
      answers.push(answer.open)
      await answer.opened
      return NOTHING
    },
  })
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  return { sent, answers, claim, turn }
}

it('a claim of one tenant waits for no more than the claims of another that are in progress', async () => {
  const { sent, answers, claim, turn } = make()
  const flood = Array.from({ length: 50 }, () => claim(by(1)))
  await turn()
  expect(sent).toEqual([1, 1, 1])
  const other = claim(by(2))
  await turn()
  // One permit is left for the other tenant.
  expect(sent).toEqual([1, 1, 1, 2])
  const again = claim(by(2))
  for (const open of answers.slice(0, 3)) open()
  await turn()
  expect(sent.slice(4)).toContain(2)
  answers[3]?.()
  await other
  for (let i = 0; i < 100; i++) {
    for (const open of answers) open()
    await turn()
  }
  await Promise.all([...flood, again])
  expect(sent.filter((tenant) => tenant === 1)).toHaveLength(50)
})

it('a claim that fails gives its turn to the next one', async () => {
  let failures = 0
  const claim = sharingClaims({
    claim: async () => {
      failures++
      throw new Error('the connection broke')
    },
  })
  const claims = Array.from({ length: 10 }, () => claim(by(1)).catch(() => 'failed'))
  expect(new Set(await Promise.all(claims))).toEqual(new Set(['failed']))
  expect(failures).toBe(10)
})
