import { expect, test } from 'vitest'
import { RestartPolicy } from './restart-policy.ts'

test('restarts are delayed more and more, and then stop', () => {
  const policy = new RestartPolicy()
  const delays = Array.from({ length: 31 }, () => policy.nextDelayMs(0))
  expect(delays.slice(0, 9)).toEqual([100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000])
  expect(delays.slice(-2)).toEqual([10_000, undefined])
})

test('a healthy run of the server resets the count of failures', () => {
  const policy = new RestartPolicy()
  for (let failure = 0; failure < 30; failure++) policy.nextDelayMs(0)
  expect(policy.nextDelayMs(60_000)).toBe(100)
})
