import type { Clock } from '@punctual/core/clock'
import { expect, it } from 'vitest'
import { retrying } from './retrying.ts'

const lost = () =>
  Object.assign(new Error('terminating connection due to administrator command'), { code: '57P01' })

/** A clock that only moves when it is told to, or slept on. */
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

it('work that was under way for long and is cut off does not say that nothing was answered all the while', async () => {
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

it('what is lost is tried again until the deadline, and then says how often and for how long', async () => {
  const clock = aClock()
  let tries = 0
  const never = retrying({ clock, deadlineMs: 1_000 }, async () => {
    tries++
    throw lost()
  })
  const error = await never.catch((it: Error) => it)
  const [, told, ms] = /\(try (\d+), after (\d+) ms\)$/.exec((error as Error).message) ?? []
  expect([tries > 3, Number(told)]).toEqual([true, tries])
  expect(Number(ms)).toBeLessThanOrEqual(1_000)
})
