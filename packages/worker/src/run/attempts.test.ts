import type { ClaimedRun } from '@punctual/core/ports'
import { type Gate, gate, ManualClock } from '@punctual/testkit'
import { expect, it } from 'vitest'
import { Attempts, type AttemptsOptions } from './attempts.ts'

const run = (id: string, handler = 'work') =>
  ({
    ...{ id, handler, payload: 'null', attempt: 0, crashes: 0, maxAttempts: 1, traits: 0 },
    ...{ timeoutMs: 100, policy: null },
  }) as ClaimedRun

function make(handled: () => unknown) {
  const clock = new ManualClock()
  const events: string[] = []
  const attempts = new Attempts({
    ...{ clock, outputBytes: 1_000, random: () => 0 },
    handlers: new Map([['work', { name: 'work', run: handled }]]),
    settle: ({ kind, run: { id } }) => events.push(`${kind} ${id}`),
    onReturned: ({ id }) => events.push(`returned ${id}`),
    onStarted: ({ id }) => events.push(`started ${id}`),
    onStuckChanged: () => events.push('stuck changed'),
  } as Partial<AttemptsOptions> as AttemptsOptions)
  return { attempts, clock, events }
}

it('a handler that returns at once is settled, and its attempt leaves the list', () => {
  const { attempts, events } = make(() => 'done')
  attempts.start(run('a'), null)
  expect(events).toEqual(['started a', 'succeeded a', 'returned a'])
  expect(attempts.size).toBe(0)
})

it('a run whose handler is missing fails', () => {
  const { attempts, events } = make(() => 'done')
  attempts.start(run('a', 'unknown'), null)
  expect(events).toEqual(['started a', 'dead a', 'returned a'])
})

it('a handler that outlives its attempt is stuck until it returns', async () => {
  const handled: Gate<void> = gate()
  const { attempts, clock, events } = make(() => handled.opened)
  attempts.start(run('a'), null)
  // waits: one turn of the event loop, in which the timers are armed
  await new Promise((resolve) => setImmediate(resolve))
  await clock.advance(100)
  await clock.advance(1_000)
  expect(attempts.stuck()).toMatchObject([{ runId: 'a', attempt: 1, ranMs: 1_100 }])
  handled.open()
  await clock.advance(0)
  expect(attempts.stuck()).toEqual([])
  expect(events).toEqual(['started a', 'dead a', 'stuck changed', 'stuck changed', 'returned a'])
})
