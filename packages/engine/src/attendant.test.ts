import { expect, it } from 'vitest'
import { Attendant } from './attendant.ts'

const attendant = (more: boolean, nextInMs: number | null) =>
  new Attendant({ store: { giveUp: async () => ({ givenUp: 0, more, nextInMs }) } })

it('an attendant without runs rests for long', async () => {
  expect(await attendant(false, null).tick()).toBe(15_000)
})

it('an attendant wakes when the time of a run is over, and at once when more are due', async () => {
  expect(await attendant(false, 300).tick()).toBe(300)
  expect(await attendant(false, 60_000).tick()).toBe(15_000)
  expect(await attendant(false, 0).tick()).toBe(50)
  expect(await attendant(true, 0).tick()).toBe(0)
})
