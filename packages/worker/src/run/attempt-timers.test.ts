import { ManualClock } from '@punctual/testkit'
import { expect, it } from 'vitest'
import { AttemptTimers } from './attempt-timers.ts'

function make() {
  const clock = new ManualClock()
  const reports: string[] = []
  const timers = new AttemptTimers(
    clock,
    {
      onTimeout: (message) => reports.push(message),
      onGraceOver: () => reports.push('the grace period is over'),
    },
    clock.monotonicMs(),
  )
  return { clock, timers, reports }
}

const TIMEOUT = 'The attempt took longer than 1000 ms.'
const SILENT = 'The handler sent no heartbeat for 300 ms.'

it('an attempt times out when the rest of its time is over', async () => {
  const { clock, timers, reports } = make()
  timers.arm(1_000, 400, undefined)
  await clock.advance(399)
  expect(reports).toEqual([])
  await clock.advance(1)
  expect(reports).toEqual([TIMEOUT])
})

it('a handler whose heartbeat is overdue has 50 ms to send one', async () => {
  const { clock, timers, reports } = make()
  timers.arm(1_000, 1_000, 300)
  await clock.advance(349)
  expect(reports).toEqual([])
  timers.heartbeat()
  await clock.advance(349)
  expect(reports).toEqual([])
  await clock.advance(1)
  expect(reports).toEqual([SILENT])
})

it('a heartbeat that was sent before the timers are armed counts', async () => {
  const { clock, timers, reports } = make()
  await clock.advance(200)
  timers.heartbeat()
  await clock.advance(150)
  timers.arm(1_000, 650, 300)
  await clock.advance(199)
  expect(reports).toEqual([])
  await clock.advance(1)
  expect(reports).toEqual([SILENT])
})

it.each([
  ['timed_out', 1_000],
  ['cancelled', 30_000],
] as const)(
  'the grace period of an attempt that is %s replaces all other timers',
  async (kind, ms) => {
    const { clock, timers, reports } = make()
    timers.arm(1_000, 1_000, 300)
    timers.startGrace(kind)
    await clock.advance(ms - 1)
    expect(reports).toEqual([])
    await clock.advance(1)
    expect(reports).toEqual(['the grace period is over'])
  },
)

it('timers of an attempt that was cancelled before they were armed keep its grace period', async () => {
  const { clock, timers, reports } = make()
  timers.startGrace('cancelled')
  timers.arm(1_000, 1_000, undefined)
  await clock.advance(30_000)
  expect(reports).toEqual(['the grace period is over'])
})

it('stopped timers report nothing', async () => {
  const { clock, timers, reports } = make()
  timers.arm(1_000, 1_000, 300)
  timers.stop()
  await clock.advance(60_000)
  expect(reports).toEqual([])
})
