import { expect, it } from 'vitest'
import { concurrencyText, flowOptions, rateText } from './flow-flags.ts'

it('turns the flags into options of the library', () => {
  expect(flowOptions({})).toEqual({})
  expect(flowOptions({ concurrencyKey: 'a:b', concurrencyLimit: '3' })).toEqual({
    concurrency: { key: 'a:b', limit: 3 },
  })
  expect(flowOptions({ rate: '5/minute', rateKey: 'k', rateBurst: '2' })).toEqual({
    rate: { limit: 5, per: 'minute', key: 'k', burst: 2 },
  })
})

it.for([
  [{ concurrencyLimit: '3' }, /--concurrency-limit needs --concurrency-key/],
  [{ rateKey: 'k' }, /--rate-key needs --rate/],
  [{ rateBurst: '1' }, /--rate-burst needs --rate/],
  [{ rate: '5/week' }, /--rate must look like 500\/second/],
  [{ rate: '5/second', rateBurst: 'some' }, /--rate-burst must be an integer/],
] as const)('refuses %j: %s', ([flags, message]) => {
  expect(() => flowOptions(flags)).toThrow(message)
})

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
