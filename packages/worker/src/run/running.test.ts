import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Placed, Running } from './running.ts'

interface Item extends Placed {
  readonly name: number
}

it('holds the items that were added and not deleted, in any order of operations', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), fc.nat(12))), (steps) => {
      const items: Item[] = Array.from({ length: 13 }, (_, name) => ({ name, place: -1 }))
      const running = new Running<Item>()
      const model = new Set<Item>()
      for (const [add, name] of steps) {
        const item = items[name] as Item
        if (add && !model.has(item)) {
          running.add(item)
          model.add(item)
        } else if (!add) {
          running.delete(item)
          model.delete(item)
        }
        expect(running.size).toBe(model.size)
        expect(new Set(running.all())).toEqual(model)
      }
    }),
  )
})

it('lists the current items, also while they are deleted', () => {
  const running = new Running<Item>()
  const items = [0, 1, 2].map((name) => ({ name, place: -1 }))
  for (const item of items) running.add(item)
  const seen: number[] = []
  for (const item of running.all()) {
    seen.push(item.name)
    running.delete(item)
  }
  expect(seen).toEqual([0, 1, 2])
  expect(running.size).toBe(0)
})
