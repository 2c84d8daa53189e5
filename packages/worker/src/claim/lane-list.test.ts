import type { Lane } from '@punctual/core/flow'
import { gate, ManualClock } from '@punctual/testkit'
import { expect, it } from 'vitest'
import { LaneList } from './lane-list.ts'

it('until the lanes are read, a hint of any lane counts: it follows that of a new lane', async () => {
  let answer = gate<readonly Lane[]>()
  const list = new LaneList(
    { lanes: () => answer.opened, lanesWithRuns: async () => [] },
    new ManualClock(),
    () => ['h'],
    [],
  )
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

it('lanes that are created one after the other are read in a tenth of the time', async () => {
  const clock = new ManualClock()
  let reads = 0
  const lanes = async () => {
    reads++
    await clock.sleep(10) // waits: the clock of the test moves by hand
    return []
  }
  const list = new LaneList({ lanes, lanesWithRuns: async () => [] }, clock, () => ['h'], [])
  const read = async () => {
    const reading = list.current(true)
    await clock.advance(10)
    await reading
  }
  await read()
  list.invalidate()
  expect(list.nextInMs).toBe(90)
  await clock.advance(80)
  await read()
  expect(reads).toBe(1)
  await read()
  expect([reads, list.nextInMs]).toEqual([2, null])
})
