import { expect, test } from 'vitest'
import { retryIn } from './run-policy.ts'

test('the retry policy of a run has nothing else of its policy', () => {
  const retry = { backoff: { kind: 'fixed', delayMs: 5, jitter: 0 }, retryOn: ['failed'] } as const
  expect(retryIn({ ...retry, heartbeatMs: 5, transactional: true })).toEqual(retry)
  expect(retryIn({ ...retry, abortOn: ['E'], expiresAtMs: 1 })).toEqual({
    ...retry,
    abortOn: ['E'],
  })
})
