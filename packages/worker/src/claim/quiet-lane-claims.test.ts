import type { ClaimResult } from '@punctual/core/ports'
import { ManualClock } from '@punctual/testkit'
import { expect, it } from 'vitest'
import { QuietLaneClaims } from './quiet-lane-claims.ts'

const CLAIM_MS = 10
const random = { fraction: () => 0, token: () => '1', fill: () => undefined }

it('small claims are sent at once after a pause, and a third of the time under constant demand', async () => {
  const clock = new ManualClock()
  const beganMs: number[] = []
  const answer: Pick<ClaimResult, 'runs' | 'more' | 'nextDueInMs'> = {
    ...{ runs: [], more: true, nextDueInMs: null },
  }
  const quiet = new QuietLaneClaims({
    ...{ clock, random },
    claim: async () => {
      beganMs.push(clock.monotonicMs())
      await clock.sleep(CLAIM_MS) // waits: on a manual clock
      return answer
    },
  })
  const startedMs = clock.monotonicMs()
  quiet.hinted()
  for (let ms = 0; ms < 1_000; ms += 5) await clock.advance(5)
  const began = beganMs.map((ms) => ms - startedMs)
  expect(began.slice(0, 4), 'saved rest').toEqual([0, 10, 20, 40])
  const later = began.filter((ms) => ms >= 400 && ms < 1_000)
  expect(later.length, 'ten ms of claims, twenty of rest').toBe(20)
})
