import { expect, test } from 'vitest'
import {
  attemptOutcomeOf,
  attemptOutcomes,
  finalStateOf,
  finalStates,
  isFinal,
  type RunState,
  runStates,
  traits,
} from './run-state.ts'

test('the numbers that the database stores never change', () => {
  expect(finalStates).toEqual({ succeeded: 1, dead: 2, cancelled: 3, skipped: 4, unknown: 5 })
  expect(attemptOutcomes).toEqual({
    succeeded: 1,
    failed: 2,
    timed_out: 3,
    crashed: 4,
    cancelled: 5,
    terminated: 6,
  })
  expect(traits).toEqual({
    keyed: 1,
    atMostOnce: 2,
    rearms: 4,
    failuresCounted: 8,
    overlapShift: 4,
    overlap: 112,
    checkpointed: 128,
    gated: 256,
    expires: 512,
  })
})

test('every number maps back to its name', () => {
  for (const [name, code] of Object.entries(finalStates)) expect(finalStateOf.get(code)).toBe(name)
  for (const [name, code] of Object.entries(attemptOutcomes))
    expect(attemptOutcomeOf.get(code)).toBe(name)
})

test('exactly the states with a number are final', () => {
  expect(runStates.filter(isFinal)).toEqual(Object.keys(finalStates))
})

test('a property that every object inherits is not a state', () => {
  expect(isFinal('toString' as RunState)).toBe(false)
  expect(isFinal('constructor' as RunState)).toBe(false)
})
