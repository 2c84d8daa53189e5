import { expect, test } from 'vitest'
import { RETRY_AFTER_MS_MAX, retryAfterIn } from './retry-after.ts'

const NOW = Date.parse('2026-01-01T00:00:00Z')

test.each([
  ['0', 0],
  [' 120 ', 120_000],
  ['Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
  ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
  ['315360000', RETRY_AFTER_MS_MAX],
  ['Fri, 01 Jan 2036 00:00:00 GMT', RETRY_AFTER_MS_MAX],
] as const)('Retry-After %j is %i ms (case 141)', (value, ms) => {
  expect(retryAfterIn(value, NOW)).toBe(ms)
})

test.each([
  '',
  '-1',
  '1.5',
  'soon',
  '1e9',
  '9'.repeat(400),
  '2030-01-01',
  'Thu, nonsense',
  undefined,
])('Retry-After %j is ignored (case 141)', (value) => {
  expect(retryAfterIn(value, NOW)).toBeUndefined()
})
