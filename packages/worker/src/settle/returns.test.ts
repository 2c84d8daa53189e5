import type { ClaimedRun } from '@punctual/core/ports'
import { type Gate, gate } from '@punctual/testkit'
import { expect, it } from 'vitest'
import { Returns } from './returns.ts'

const run = (id: string) => ({ id, fence: 1n }) as ClaimedRun

function make(giveBack: (ids: readonly string[]) => Promise<void>) {
  const events: string[] = []
  const returns = new Returns({
    store: { giveBack: (runs) => giveBack(runs.map(({ id }) => id)) },
    onGivenBack: ({ id }) => events.push(`given back ${id}`),
    onFailed: (what, error) => events.push(`${what} failed: ${(error as Error).message}`),
  })
  return { returns, events }
}

it('a failure to return runs is reported with its reason and does not reject', async () => {
  const { returns, events } = make(() => Promise.reject(new Error('cut off')))
  await returns.giveBack('drain', [run('a')])
  expect(events).toEqual(['drain failed: cut off'])
})

it('a run whose attempt has ended is reported as given back, also when the call failed', async () => {
  const { returns, events } = make((ids) =>
    ids[0] === 'a' ? Promise.reject(new Error('cut off')) : Promise.resolve(),
  )
  returns.ended(run('a'))
  await returns.idle()
  returns.ended(run('b'))
  await returns.idle()
  expect(events).toEqual(['give back failed: cut off', 'given back a', 'given back b'])
})

it('the returns of ended attempts are idle when every call is answered', async () => {
  const answers: Gate<void>[] = []
  const { returns, events } = make(() => {
    const answer = gate<void>()
    answers.push(answer)
    return answer.opened
  })
  returns.ended(run('a'))
  returns.ended(run('b'))
  let idle = false
  const waiting = returns.idle().then(() => {
    idle = true
  })
  answers[0]?.open()
  await answers[0]?.opened
  await Promise.resolve()
  expect([idle, events]).toEqual([false, ['given back a']])
  answers[1]?.open()
  await waiting
  expect(events).toEqual(['given back a', 'given back b'])
})
