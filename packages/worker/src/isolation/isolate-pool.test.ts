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

test('takes an isolate that was given back, and launches another when all are taken', () => {
  const { pool, launched } = aPool()
  const first = pool.take(user)
  expect(pool.take(user)).not.toBe(first)
  pool.giveBack(first)
  expect(pool.take(user)).toBe(first)
  expect(launched).toHaveLength(2)
})

test('ends an isolate after it was idle for a minute, and not one that was used in between', async () => {
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

test('does not take an isolate that has ended by itself', () => {
  const { pool, launched } = aPool()
  const member = pool.take(user)
  pool.giveBack(member)
  launched[0]?.onGone(new Error('ended by itself'))
  expect(pool.take(user)).not.toBe(member)
})

test('closing ends busy and idle isolates', async () => {
  const { pool, killed } = aPool()
  pool.take(user)
  pool.giveBack(pool.take(user))
  await pool.close()
  expect([pool.size, killed()]).toEqual([0, 2])
})
