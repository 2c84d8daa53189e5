import { describe, expect, test } from 'vitest'
import {
  cancelled,
  claimed,
  givenBack,
  isHeldBy,
  type ModelRun,
  made,
  marked,
  reaped,
  settled,
} from './run-model.ts'

const run = (given: Partial<ModelRun> = {}): ModelRun => ({
  ...made(
    { id: 'r', key: null, maxAttempts: 3, atMostOnce: false, jobId: null, overlap: 'allow' },
    'now',
  ),
  ...given,
})
const held = (given: Partial<ModelRun> = {}) => claimed(run(given), '7', 's')

describe('the model of a run', () => {
  test('a run accepts only the fence of the current lease', () => {
    expect([isHeldBy(held(), '7'), isHeldBy(held(), '8'), isHeldBy(run(), '7')]).toEqual([
      ...[true, false, false],
    ])
  })

  test('every end and every retry counts an attempt; giving a run back counts none', () => {
    expect(settled(held(), { kind: 'succeeded' })).toMatchObject({ final: 'succeeded', attempt: 1 })
    expect(settled(held(), { kind: 'retry', distance: 'far' })).toMatchObject({
      ...{ place: 'later', attempt: 1, final: null },
    })
    expect(givenBack(held())).toEqual(run())
    expect(givenBack(held({ overlap: 'queue-all' })).holds).toBe(true)
  })

  test('a run with a cancel request is not retried', () => {
    const cancelling = cancelled(held())
    expect(settled(cancelling, { kind: 'retry', distance: 'now' }).final).toBe('cancelled')
    expect(settled(cancelling, { kind: 'succeeded' }).final).toBe('succeeded')
    expect(givenBack(cancelling).final).toBe('cancelled')
    expect(reaped(cancelling, 3).final).toBe('cancelled')
  })

  test('a crash is charged to runs that may have started, not to a suspect that had not', () => {
    expect(reaped(held(), 3)).toMatchObject({ place: 'queue', attempt: 1, crashes: 1 })
    expect(reaped(held({ attempt: 1, crashes: 1 }), 3)).toMatchObject({ attempt: 1, crashes: 1 })
    expect(reaped(marked(held({ attempt: 2, crashes: 2 })), 3)).toMatchObject({ final: 'dead' })
  })

  test('an at-most-once run never starts twice', () => {
    expect(reaped(marked(held({ atMostOnce: true })), 3).final).toBe('unknown')
    expect(reaped(held({ atMostOnce: true }), 3)).toMatchObject({ place: 'queue', attempt: 0 })
  })
})
