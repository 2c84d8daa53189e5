import type { Clock } from '@punctual/core/clock'
import type { GroupLook } from '@punctual/core/ports'
import { expect, test } from 'vitest'
import { GroupFinisher } from './group-finisher.ts'

const NOTHING: GroupLook = { open: 0, moved: 0, done: 0, more: false }

/** A finisher whose checks return this and take `tookMs`. */
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

test('without a group it rests until a hint, or for one second where no hints arrive', async () => {
  expect(await aFinisher(() => ({})).tick()).toBe(30_000)
  expect(await aFinisher(() => ({}), { hints: false }).tick()).toBe(1_000)
  expect(await aFinisher(() => ({ open: 2, moved: 2, done: 2 })).tick()).toBe(30_000)
})

test('it checks often while groups progress, and at least twice a second while they do not', async () => {
  let moved = 0
  const finisher = aFinisher(() => ({ open: 1, moved }))
  const rests: number[] = []
  for (let i = 0; i < 6; i++) rests.push(await finisher.tick())
  expect(rests).toEqual([...rests].sort((a, b) => a - b))
  expect(rests.at(-1)).toBe(500)
  moved = 1
  expect(await finisher.tick()).toBe(100)
})

test('a group with many ended members is checked again at once, unless it makes no progress', async () => {
  expect(await aFinisher(() => ({ open: 1, moved: 1, more: true })).tick()).toBe(0)
  expect(await aFinisher(() => ({ open: 1, more: true })).tick()).toBeGreaterThan(0)
})

test('checks that take long are further apart', async () => {
  expect(await aFinisher(() => ({ open: 9_000, moved: 1 }), { tookMs: 300 }).tick()).toBe(1_200)
})
