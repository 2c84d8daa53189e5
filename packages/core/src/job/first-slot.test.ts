import { describe, expect, test } from 'vitest'
import { TimingCache } from '../schedule/timing-cache.ts'
import { compileJob } from './compile-job.ts'
import { firstSlot } from './first-slot.ts'
import type { JobOptions } from './job-options.ts'

const ID = '019a8c00-1234-7000-8000-00000000000a'
const now = Date.UTC(2026, 0, 10, 12, 0, 30)
const at = (text: string) => Date.parse(`${text}Z`)

function first(options: Partial<JobOptions>, nowMs = now, keptMs: number | null = null) {
  const job = compileJob(
    { name: 'a', handler: 'h', ...options },
    { timezone: 'UTC', jitterMs: 0, payloadBytes: 1_048_576 },
  )
  return firstSlot(job, ID, new TimingCache(), nowMs, keptMs)
}

describe('a job begins', () => {
  test('with the first slot from now on, including now', () => {
    expect(first({ cron: '0 * * * *' }).nextMs).toBe(at('2026-01-10T13:00'))
    expect(first({ cron: '0 * * * *' }, at('2026-01-10T13:00')).nextMs).toBe(at('2026-01-10T13:00'))
  })

  test('without missed slots when its start is in the past, whose phase it keeps', () => {
    expect(first({ cron: '0 9 * * *', startAt: '2020-01-01' }).nextMs).toBe(at('2026-01-11T09:00'))
    expect(first({ every: '7m', startAt: '2026-01-10T11:58:00Z' })).toEqual({
      nextMs: at('2026-01-10T12:05'),
      anchorMs: at('2026-01-10T11:58'),
    })
  })

  test('not before its start, but with the start itself', () => {
    const startAt = '2026-02-01T00:00:00Z'
    expect(first({ cron: '0 0 * * *', startAt }).nextMs).toBe(at('2026-02-01T00:00'))
    expect(first({ every: '1h', startAt })).toEqual({
      nextMs: at('2026-02-01T00:00'),
      anchorMs: at('2026-02-01T00:00'),
    })
    expect(first({ everyAfterEnd: '1h', startAt }).nextMs).toBe(at('2026-02-01T00:00'))
  })

  test('at once when it has a fixed rate without a start', () => {
    expect(first({ every: '1h' })).toEqual({ nextMs: now, anchorMs: now })
    expect(first({ everyAfterEnd: '1h' })).toEqual({ nextMs: now, anchorMs: null })
  })

  test('never when its end has passed or is not after the first slot', () => {
    expect(first({ cron: '0 * * * *', endAt: '2026-01-10T13:00:00Z' }).nextMs).toBeNull()
    expect(first({ cron: '0 * * * *', endAt: '2026-01-10T13:00:00.001Z' }).nextMs).not.toBeNull()
    expect(first({ at: '2026-03-01', endAt: '2026-02-01' }).nextMs).toBeNull()
  })

  test('after a repeating interval is over: never', () => {
    expect(first({ every: 'R3/2026-01-10T00:00:00Z/PT1H' }).nextMs).toBeNull()
    expect(first({ every: 'R30/2026-01-10T00:00:00Z/PT1H' }).nextMs).toBe(at('2026-01-10T13:00'))
  })

  test('once at its time, or now when that has passed; the requested time is kept', () => {
    expect(first({ at: '2026-05-01T00:00:00Z' })).toEqual({
      nextMs: at('2026-05-01T00:00'),
      anchorMs: at('2026-05-01T00:00'),
    })
    expect(first({ at: '2025-05-01T00:00:00Z' })).toEqual({
      nextMs: now,
      anchorMs: at('2025-05-01T00:00'),
    })
    expect(first({ delayMs: 1_500 })).toEqual({ nextMs: now + 1_500, anchorMs: now + 1_500 })
  })
})

describe('a job that is edited', () => {
  test('keeps the phase of its rate', () => {
    const kept = at('2026-01-10T00:10')
    expect(first({ every: '1h' }, now, kept)).toEqual({
      nextMs: at('2026-01-10T12:10'),
      anchorMs: kept,
    })
  })

  test('takes its phase from a new start', () => {
    const kept = at('2026-01-10T00:10')
    expect(first({ every: '1h', startAt: '2026-01-10T00:20:00Z' }, now, kept).nextMs).toBe(
      at('2026-01-10T12:20'),
    )
  })
})
