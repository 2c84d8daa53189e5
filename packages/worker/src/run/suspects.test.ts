import { defaults } from '@punctual/core/errors'
import type { ClaimedRun } from '@punctual/core/ports'
import { expect, it } from 'vitest'
import { Suspects } from './suspects.ts'

const LONE = defaults.crashesUntilQuarantine - 1
const run = (id: string, crashes: number) => ({ id, crashes }) as ClaimedRun

function make(...runs: readonly ClaimedRun[]) {
  const suspects = new Suspects()
  for (const [index, each] of runs.entries()) suspects.add(each, index)
  const next = () => {
    const taken = suspects.take()
    if (taken) suspects.started(taken)
    return taken?.id
  }
  return { suspects, next }
}

it('runs that one more crash would quarantine start one at a time, and others pass them', () => {
  const { next } = make(run('a', LONE), run('b', LONE), run('c', 1))
  expect([next(), next(), next()]).toEqual(['a', 'c', undefined])
})

it('the next lone run may start when the last one has returned and is settled, in either order', () => {
  const [a, b, c] = [run('a', LONE), run('b', LONE), run('c', LONE)]
  const { suspects, next } = make(a, b, c)
  next()
  suspects.returned(a)
  expect(next()).toBe(undefined)
  expect([suspects.settled(c), suspects.settled(a), next()]).toEqual([false, true, 'b'])
  expect([suspects.settled(b), next()]).toEqual([false, undefined])
  suspects.returned(b)
  expect(next()).toBe('c')
})

it('a run that was taken and did not start does not keep others waiting', () => {
  const { suspects, next } = make(run('expired', LONE), run('b', LONE))
  expect(suspects.take()?.id).toBe('expired')
  expect(next()).toBe('b')
})

it('waiting runs are removed by their age or by choice', () => {
  const { suspects } = make(run('a', 1), run('b', 1), run('c', 1))
  expect(suspects.takeAddedBefore(1).map(({ id }) => id)).toEqual(['a'])
  suspects.remove(({ id }) => id === 'c')
  expect(suspects.all().map(({ id }) => id)).toEqual(['b'])
  expect(suspects.size).toBe(1)
})
