import { expect, it } from 'vitest'
import { limits } from '../errors/limits.ts'
import type { ClaimedRun } from '../ports/work.ts'
import { readOutcome } from '../wire/outcome.ts'
import { decideAfterInterruption } from './interruption.ts'
import { traits } from './run-state.ts'

const run = { attempt: 0, crashes: 0, maxAttempts: 3, traits: 0 }

/** How many times in a row the run is retried when every attempt is interrupted. */
function retries(from: typeof run): number {
  let attempt = from.attempt
  while (decideAfterInterruption({ ...from, attempt }).kind === 'retry' && attempt < 40_000)
    attempt++
  return attempt - from.attempt
}

it('a run that is interrupted repeatedly ends as dead, with a reason that says so', () => {
  const last = { ...run, attempt: retries(run) }
  expect(last.attempt).toBeLessThan(limits.interruptionsMax + run.maxAttempts)
  expect(decideAfterInterruption(last)).toEqual({ kind: 'dead', reason: 'interrupted_too_often' })
})

it('a run is retried after as many interruptions as are allowed, however often it has failed', () => {
  expect(retries({ ...run, attempt: 2 })).toBeGreaterThanOrEqual(limits.interruptionsMax - 1)
  const most = { ...run, attempt: limits.attemptsMax - 1, maxAttempts: limits.attemptsMax }
  expect(retries(most)).toBeGreaterThanOrEqual(limits.interruptionsMax - 1)
  expect(most.attempt + retries(most)).toBeLessThan(limits.attemptsCounted)
})

it('crashes do not count as interruptions', () => {
  expect(retries({ ...run, attempt: 2, crashes: 2 })).toBe(retries(run))
})

it('an at-most-once run is dead after its first interruption', () => {
  const once = { ...run, traits: traits.atMostOnce }
  expect(decideAfterInterruption(once)).toEqual({ kind: 'dead', reason: 'interrupted' })
})

it('an interruption that a remote worker reports counts like any other', () => {
  const wire = { run_id: 'r', fence: '1', outcome: 'interrupted' } as const
  const held = (attempt: number) => ({ ...run, id: 'r', fence: 1n, attempt }) as ClaimedRun
  expect(readOutcome(wire, held(5), 0)).toMatchObject({ kind: 'retry', delayMs: 0 })
  expect(readOutcome(wire, held(32_766), 0)).toMatchObject({
    kind: 'dead',
    reason: 'interrupted_too_often',
  })
})
