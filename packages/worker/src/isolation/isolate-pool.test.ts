import { ManualClock } from '@punctual/testkit'
import { expect, test } from 'vitest'
import type { IsolateEvents } from './isolate.ts'
import { IsolatePool } from './isolate-pool.ts'

const user = { onMessage: () => undefined, onGone: () => undefined }
const options = {
  handler: 'h',
  module: { url: 'file:///h.js', exportName: 'default', preload: null },
  memoryMb: null,
}

function aPool() {
  const clock = new ManualClock()
  const launched: IsolateEvents[] = []
  let killed = 0
  const pool = new IsolatePool(
    options,
    (_, events) => {
      launched.push(events)
      return {
        post: () => undefined,
        kill: () => {
          killed++
          events.onGone(new Error('killed'))
        },
      }
    },
    clock,
  )
  return { pool, clock, launched, killed: () => killed }
}

test('an isolate that was given back is taken again, and others are launched when all are taken', () => {
  const { pool, launched } = aPool()
  const first = pool.take(user)
  expect(pool.take(user)).not.toBe(first)
  pool.giveBack(first)
  expect(pool.take(user)).toBe(first)
  expect(launched).toHaveLength(2)
})

test('one that is idle for a minute ends; one that is used in between does not', async () => {
  const { pool, clock, killed } = aPool()
  const [used, idle] = [pool.take(user), pool.take(user)]
  pool.giveBack(idle)
  pool.giveBack(used)
  await clock.advance(40_000)
  pool.giveBack(pool.take(user))
  await clock.advance(40_000)
  expect([pool.size, killed()]).toEqual([1, 1])
  await clock.advance(40_000)
  expect([pool.size, killed()]).toEqual([0, 2])
})

test('one that has ended by itself is not taken again', () => {
  const { pool, launched } = aPool()
  const member = pool.take(user)
  pool.giveBack(member)
  launched[0]?.onGone(new Error('by itself'))
  expect(pool.take(user)).not.toBe(member)
})

test('closing ends those that are busy and those that are idle', async () => {
  const { pool, killed } = aPool()
  pool.take(user)
  pool.giveBack(pool.take(user))
  await pool.close()
  expect([pool.size, killed()]).toEqual([0, 2])
})
