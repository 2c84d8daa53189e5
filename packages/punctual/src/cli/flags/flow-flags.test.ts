import { expect, it } from 'vitest'
import { concurrencyText, flowOptions, rateText } from './flow-flags.ts'

it('the flags say what the options of the library say', () => {
  expect(flowOptions({})).toEqual({})
  expect(flowOptions({ concurrencyKey: 'a:b', concurrencyLimit: '3' })).toEqual({
    concurrency: { key: 'a:b', limit: 3 },
  })
  expect(flowOptions({ rate: '5/minute', rateKey: 'k', rateBurst: '2' })).toEqual({
    rate: { limit: 5, per: 'minute', key: 'k', burst: 2 },
  })
})

it.for([
  [{ concurrencyLimit: '3' }, /--concurrency-limit says more about --concurrency-key/],
  [{ rateKey: 'k' }, /--rate-key says more about --rate/],
  [{ rateBurst: '1' }, /--rate-burst says more about --rate/],
  [{ rate: '5/week' }, /--rate must be such as 500\/second/],
  [{ rate: '5/second', rateBurst: 'some' }, /--rate-burst must be an integer/],
] as const)('%j is refused: %s', ([flags, message]) => {
  expect(() => flowOptions(flags)).toThrow(message)
})

it('what a run has is shown in a few words, and nothing where it has none', () => {
  const rate = { key: 'api', limit: 100, perMs: 60_000, burst: 10 }
  const flow = { concurrency: { key: 'c', limit: 2 }, rate }
  expect([concurrencyText(flow), rateText(flow)]).toEqual([
    '2 at once of c',
    '100 in 1 m of api, 10 at once',
  ])
  const none = { concurrency: null, rate: null }
  expect([concurrencyText(none), rateText(none)]).toEqual([null, null])
})
