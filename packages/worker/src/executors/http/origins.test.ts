import { ManualClock } from '@punctual/testkit'
import { expect, test } from 'vitest'
import { Origins } from './origins.ts'

const never = new AbortController().signal
const open = (limits = { concurrency: 2, waiting: 1 }) => {
  const clock = new ManualClock()
  const origins = new Origins(clock, limits)
  const enter = (key: string, signal = never) => origins.enter(key, key, signal)
  return { clock, origins, enter }
}

test('an origin that fails ten times in a row is left alone, and others are not (case 145)', async () => {
  const { clock, origins, enter } = open()
  for (let i = 0; i < 10; i++) {
    expect(await enter('bad')).toBeNull()
    origins.leave('bad', false)
  }
  expect(await enter('bad')).toMatchObject({
    ...{ failure: { code: 'circuit_open' }, reached: 'no', retryAfterMs: 5_000 },
  })
  expect(await enter('good')).toBeNull()
  await clock.advance(5_000)
  expect(await enter('bad')).toBeNull()
  // While one request tries the origin, others still leave it alone.
  expect(await enter('bad')).toMatchObject({ failure: { code: 'circuit_open' } })
  origins.leave('bad', false)
  expect(await enter('bad')).toMatchObject({ retryAfterMs: 10_000 })
  await clock.advance(10_000)
  expect(await enter('bad')).toBeNull()
  origins.leave('bad', true)
  expect(await enter('bad')).toBeNull()
})

test('10,000 failing origins cost others nothing (case 145)', async () => {
  const { origins, enter } = open()
  for (let i = 0; i < 10_000; i++)
    for (let n = 0; n < 10; n++) {
      await enter(`bad ${i}`)
      origins.leave(`bad ${i}`, false)
    }
  expect(await enter('bad 9999')).toMatchObject({ failure: { code: 'circuit_open' } })
  expect(await enter('good')).toBeNull()
})

test('an answer between failures starts the count anew', async () => {
  const { origins, enter } = open()
  for (let i = 0; i < 30; i++) {
    expect(await enter('a')).toBeNull()
    origins.leave('a', i % 9 === 0)
  }
})

test('requests beyond the limit of an origin wait, and beyond that are refused', async () => {
  const { origins, enter } = open()
  await enter('a')
  await enter('a')
  let entered = false
  const third = enter('a').then(() => {
    entered = true
  })
  expect(await enter('a')).toMatchObject({ failure: { code: 'origin_busy' }, reached: 'no' })
  expect(entered).toBe(false)
  origins.leave('a', true)
  await third
  expect(await enter('b')).toBeNull()
})

test('a request that waits leaves the line when its run must stop', async () => {
  const { origins, enter } = open({ concurrency: 1, waiting: 1 })
  await enter('a')
  const stop = new AbortController()
  const waiting = enter('a', stop.signal)
  stop.abort(new Error('cancelled'))
  await expect(waiting).rejects.toThrow('cancelled')
  await expect(enter('a', stop.signal)).rejects.toThrow('cancelled')
  origins.leave('a', true)
  expect(await enter('a')).toBeNull()
})
