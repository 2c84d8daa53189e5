import type { Clock } from '@punctual/core/clock'
import type { GroupLook } from '@punctual/core/ports'
import { expect, test } from 'vitest'
import { GroupFinisher } from './group-finisher.ts'

const NOTHING: GroupLook = { open: 0, moved: 0, done: 0, more: false }

/** A finisher whose looks answer this and take so long. */
function aFinisher(look: () => Partial<GroupLook>, { tookMs = 0, hints = true } = {}) {
  let nowMs = 0
  const clock = { monotonicMs: () => nowMs } as Clock
  const store = {
    look: async () => {
      nowMs += tookMs
      return { ...NOTHING, ...look() }
    },
  }
  return new GroupFinisher({ store, clock, hintsArrive: () => hints })
}

test('while there is no group it rests until it is told of one, or a second where nobody tells', async () => {
  expect(await aFinisher(() => ({})).tick()).toBe(15_000)
  expect(await aFinisher(() => ({}), { hints: false }).tick()).toBe(1_000)
  expect(await aFinisher(() => ({ open: 2, moved: 2, done: 2 })).tick()).toBe(15_000)
})

test('it looks often while groups move, and at least twice a second while they do not', async () => {
  let moved = 0
  const finisher = aFinisher(() => ({ open: 1, moved }))
  const rests: number[] = []
  for (let i = 0; i < 6; i++) rests.push(await finisher.tick())
  expect(rests).toEqual([...rests].sort((a, b) => a - b))
  expect(rests.at(-1)).toBe(500)
  moved = 1
  expect(await finisher.tick()).toBe(100)
})

test('a group with many members to pass is looked at again at once, unless it does not move', async () => {
  expect(await aFinisher(() => ({ open: 1, moved: 1, more: true })).tick()).toBe(0)
  expect(await aFinisher(() => ({ open: 1, more: true })).tick()).toBeGreaterThan(0)
})

test('looks that take long are further apart', async () => {
  expect(await aFinisher(() => ({ open: 9_000, moved: 1 }), { tookMs: 300 }).tick()).toBe(1_200)
})
