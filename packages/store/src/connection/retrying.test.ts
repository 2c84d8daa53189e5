import type { Clock } from '@punctual/core/clock'
import { expect, it } from 'vitest'
import { messageOf } from './faults.ts'
import { retrying } from './retrying.ts'

const lost = () =>
  Object.assign(new Error('terminating connection due to administrator command'), { code: '57P01' })

/** A clock that only moves when a test passes time or sleeps on it. */
function aClock(): Clock & { pass(ms: number): void } {
  let nowMs = 5_000
  const pass = (ms: number) => {
    nowMs += ms
  }
  return {
    pass,
    wallMs: () => nowMs,
    monotonicMs: () => nowMs,
    after: () => () => undefined,
    sleep: async (ms) => pass(ms),
  }
}

it('the error for work that is cut off states how long the try took', async () => {
  const clock = aClock()
  const cut = retrying({ clock, deadlineMs: 30_000 }, async () => {
    clock.pass(45_000)
    throw lost()
  })
  await expect(cut).rejects.toMatchObject({
    code: 'database_unavailable',
    message:
      'PostgreSQL did not answer: terminating connection due to administrator command (try 1, after 45000 ms)',
  })
})

it('a lost connection is retried until the deadline, and the error states tries and time', async () => {
  const clock = aClock()
  let tries = 0
  const never = retrying({ clock, deadlineMs: 1_000 }, async () => {
    tries++
    throw lost()
  })
  const message = await never.catch(messageOf)
  const [, count, ms] = /\(try (\d+), after (\d+) ms\)$/.exec(message) ?? []
  expect([tries > 3, Number(count)]).toEqual([true, tries])
  expect(Number(ms)).toBeLessThanOrEqual(1_000)
})
