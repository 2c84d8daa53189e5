import type { ClaimedRun } from '@punctual/core/ports'
import { expect, it } from 'vitest'
import { WaitingLines } from './waiting-lines.ts'

const run = (lane: number, id: string, priority = 5) =>
  ({ lane, id, priority, weight: 1 }) as ClaimedRun
const taken = (lines: WaitingLines) => {
  const ids: string[] = []
  while (lines.size > 0) ids.push(lines.take().id)
  return ids.join(' ')
}

it('serves one lane in order', () => {
  const lines = new WaitingLines()
  for (const id of ['a', 'b', 'c']) lines.add(run(1, id))
  expect(taken(lines)).toBe('a b c')
  lines.add(run(1, 'd'))
  expect(taken(lines)).toBe('d')
})

it('a short lane waits for one run of each other lane, not for all of them', () => {
  const lines = new WaitingLines()
  for (const id of ['a', 'b', 'c', 'd']) lines.add(run(1, id))
  expect(lines.take().id).toBe('a')
  lines.add(run(2, 'x'))
  lines.add(run(3, 'y'))
  expect(taken(lines)).toBe('x y b c d')
})

it('does not serve removed runs, and keeps the order of the others', () => {
  const lines = new WaitingLines()
  for (const id of ['a', 'b', 'c']) lines.add(run(1, id))
  lines.add(run(2, 'x'))
  lines.remove(({ id }) => id === 'b' || id === 'x')
  expect(lines.size).toBe(2)
  expect(lines.all().map(({ id }) => id)).toEqual(['a', 'c'])
  expect(taken(lines)).toBe('a c')
})

it('serves runs with a higher priority first, even if they arrived later', () => {
  const lines = new WaitingLines()
  lines.add(run(1, 'a'))
  lines.add(run(2, 'x', 9))
  lines.add(run(1, 'b'))
  lines.add(run(3, 'l', 1))
  lines.add(run(2, 'y', 9))
  lines.add(run(4, 'm'))
  expect(taken(lines)).toBe('x y a m b l')
})

it('serves several runs per turn for a tenant with a weight', () => {
  const lines = new WaitingLines()
  for (const id of ['a', 'b', 'c', 'd']) lines.add({ ...run(1, id), weight: 3 } as ClaimedRun)
  for (const id of ['x', 'y']) lines.add(run(2, id))
  expect(taken(lines)).toBe('a b c x d y')
})
