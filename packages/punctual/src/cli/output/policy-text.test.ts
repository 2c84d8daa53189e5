import { expect, it } from 'vitest'
import { concurrencyText, rateText } from './policy-text.ts'

it('shows the concurrency and rate of a run, and null when it has none', () => {
  const rate = { key: 'api', limit: 100, perMs: 60_000, burst: 10 }
  const flow = { concurrency: { key: 'c', limit: 2 }, rate }
  expect([concurrencyText(flow), rateText(flow)]).toEqual([
    'at most 2 at once for c',
    '100 per 1 m for api, burst 10',
  ])
  const none = { concurrency: null, rate: null }
  expect([concurrencyText(none), rateText(none)]).toEqual([null, null])
})
