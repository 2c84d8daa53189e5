import type { Lane } from '@punctual/core/flow'
import { gate, ManualClock } from '@punctual/testkit'
import { expect, it } from 'vitest'
import { LaneList } from './lane-list.ts'

it('until the lanes are read, a hint of any lane counts: it follows that of a new lane', async () => {
  let answer = gate<readonly Lane[]>()
  const list = new LaneList({ lanes: () => answer.opened }, new ManualClock(), () => ['h'], [])
  expect(list.mayHave(1)).toBe(true)
  const first = list.current(true)
  expect(list.mayHave(1)).toBe(true)
  answer.open([{ id: 1 } as Lane])
  await first
  expect([1, 2].map((lane) => list.mayHave(lane))).toEqual([true, false])
  list.invalidate()
  answer = gate()
  const second = list.current(true)
  expect(list.mayHave(2)).toBe(true)
  answer.open([{ id: 1 } as Lane, { id: 2 } as Lane])
  await second
  expect([2, 3].map((lane) => list.mayHave(lane))).toEqual([true, false])
})
