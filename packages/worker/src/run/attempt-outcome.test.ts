import type { ClaimedRun } from '@punctual/core/ports'
import { expect, it } from 'vitest'
import { settlementOf } from './attempt-outcome.ts'

const rules = { random: () => 0, outputBytes: 1_000 }
const interrupted = (attempt: number) => {
  const run = { id: 'r', attempt, crashes: 0, maxAttempts: 3, traits: 0 } as ClaimedRun
  const ending = { kind: 'abandoned', reason: new Error('the worker stops') } as const
  return settlementOf(ending, run, 1, undefined, rules)
}

it('an attempt that the stopping worker interrupts is retried at once', () => {
  expect(interrupted(4)).toMatchObject({ kind: 'retry', outcome: 'cancelled', delayMs: 0 })
})

it('a run whose attempts are interrupted repeatedly ends as dead', () => {
  expect(interrupted(5_000)).toMatchObject({ kind: 'dead', reason: 'interrupted_too_often' })
})
