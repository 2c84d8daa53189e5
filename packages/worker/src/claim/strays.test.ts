import { ManualClock } from '@punctual/testkit'
import { expect, it } from 'vitest'
import { Strays } from './strays.ts'

function make(strayLeases: () => Promise<readonly { id: string; fence: bigint }[]>) {
  const clock = new ManualClock()
  const searched: [string, readonly bigint[]][] = []
  const returned: string[] = []
  const strays = new Strays(
    {
      strayLeases: (sessionId, known) => {
        searched.push([sessionId, known])
        return strayLeases()
      },
      giveBack: async (runs) => void returned.push(...runs.map(({ id }) => id)),
    },
    clock,
  )
  return { strays, clock, searched, returned }
}

it('a search is due a minute after the last one, and at once after a failed call', async () => {
  const { strays, clock } = make(async () => [])
  expect(strays.due).toBe(false)
  await clock.advance(60_000)
  expect(strays.due).toBe(true)
  await strays.giveBack('1', [])
  expect(strays.due).toBe(false)
  strays.request()
  expect(strays.due).toBe(true)
})

it('a search names the known fences and returns the runs of the unknown leases', async () => {
  const { strays, searched, returned } = make(async () => [{ id: 'stray', fence: 3n }])
  await strays.giveBack('1', [1n, 2n])
  expect(searched).toEqual([['1', [1n, 2n]]])
  expect(returned).toEqual(['stray'])
})

it('a search that failed remains due, and so does one without a session', async () => {
  const { strays, searched } = make(() => Promise.reject(new Error('cut off')))
  strays.request()
  await expect(strays.giveBack('1', [])).rejects.toThrow('cut off')
  expect(strays.due).toBe(true)
  await strays.giveBack(null, [])
  expect([strays.due, searched.length]).toEqual([true, 1])
})
