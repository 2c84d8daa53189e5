import { expect, it } from 'vitest'
import { ControlledLanes } from './controlled-lanes.ts'

it('a lane counts as controlled for a minute after its last controlled run', () => {
  const lanes = new ControlledLanes()
  expect(lanes.some([{ id: 1 }], 0)).toBe(false)
  lanes.note([1], 0)
  lanes.note([1], 30_000)
  expect(lanes.some([{ id: 2 }, { id: 1 }], 89_999)).toBe(true)
  expect(lanes.some([{ id: 2 }], 89_999)).toBe(false)
  expect(lanes.some([{ id: 1 }], 90_000)).toBe(false)
})
