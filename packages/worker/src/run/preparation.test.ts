import type { ClaimedRun } from '@punctual/core/ports'
import { traits } from '@punctual/core/run'
import { expect, it } from 'vitest'
import { needsPreparation, Preparation, type PreparationOptions } from './preparation.ts'

const run = (more: Partial<ClaimedRun>) =>
  ({ id: 'a', crashes: 0, traits: 0, ...more }) as ClaimedRun

function make(store: Partial<PreparationOptions['store']>) {
  const events: string[] = []
  const preparation = new Preparation({
    store: {
      checkpoints: async () => new Map([['a', '{"page":7}']]),
      markStarted: async () => {
        events.push('marked')
        return new Set(['a'])
      },
      giveBack: async () => void events.push('given back'),
      ...store,
    },
    onPrepared: (_, checkpoint) => events.push(`prepared with ${checkpoint}`),
    onRefused: () => events.push('refused'),
    onError: (error) => events.push((error as Error).message),
  })
  return { preparation, events }
}

it.for([
  ['has crashed', { crashes: 1 }, true],
  ['must not run twice', { traits: traits.atMostOnce }, true],
  ['has a checkpoint', { traits: traits.checkpointed }, true],
  ['is plain', { traits: traits.expires }, false],
] as const)('whether the start of a run that %s is prepared', ([, more, needs]) => {
  expect(needsPreparation(run(more))).toBe(needs)
})

it.for([
  [
    'a run that must not run twice is marked',
    { traits: traits.atMostOnce },
    ['marked', 'prepared with null'],
  ],
  [
    'a run with a checkpoint receives it',
    { traits: traits.checkpointed },
    ['prepared with {"page":7}'],
  ],
] as const)('%s before it starts', async ([, more, expected]) => {
  const { preparation, events } = make({})
  preparation.begin(run(more))
  expect([preparation.size, events.includes(expected.at(-1) ?? '')]).toEqual([1, false])
  await preparation.done
  expect([preparation.size, preparation.done, events]).toEqual([0, null, expected])
})

it('a run that another worker owns does not start and is not given back', async () => {
  const { preparation, events } = make({ markStarted: async () => new Set() })
  preparation.begin(run({ crashes: 1 }))
  await preparation.done
  expect(events).toEqual(['refused'])
})

it('a run whose mark failed does not start, and is given back: the mark may have succeeded', async () => {
  const { preparation, events } = make({ markStarted: () => Promise.reject(new Error('cut off')) })
  preparation.begin(run({ crashes: 1 }))
  await preparation.done
  expect(events).toEqual(['cut off', 'given back', 'refused'])
})
