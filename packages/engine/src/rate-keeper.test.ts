import { ManualClock } from '@punctual/testkit'
import { expect, it } from 'vitest'
import { RateKeeper } from './rate-keeper.ts'
import { RoleLoop } from './role.ts'

/** Rates with this many unused permits; each call reclaims one batch of them. */
function someRates(gaps: number, batch = 10) {
  const table = { gaps, calls: 0, reclaimed: 0 }
  const closeRateGaps = async () => {
    table.calls++
    const count = Math.min(batch, table.gaps)
    table.gaps -= count
    table.reclaimed += count
    return count
  }
  return { table, store: { closeRateGaps } }
}

it('reclaims permits once per tick and rests 5 s, whether or not there were any', async () => {
  const { table, store } = someRates(1)
  const keeper = new RateKeeper({ store })
  expect(await keeper.tick()).toBe(5_000)
  expect(await keeper.tick()).toBe(5_000)
  expect(table).toEqual({ gaps: 0, calls: 2, reclaimed: 1 })
})

it('rests longer while there are no rates', async () => {
  const answers = [null, 0, null]
  const keeper = new RateKeeper({ store: { closeRateGaps: async () => answers.shift() ?? null } })
  expect([await keeper.tick(), await keeper.tick(), await keeper.tick()]).toEqual([
    15_000, 5_000, 15_000,
  ])
})

it('reports a failed query and reclaims the permits with the next tick', async () => {
  const clock = new ManualClock()
  const { table, store } = someRates(3)
  const faults: unknown[] = []
  let unreachable = true
  const keeper = new RateKeeper({
    store: {
      closeRateGaps: () =>
        unreachable ? Promise.reject(new Error('unreachable')) : store.closeRateGaps(),
    },
  })
  const loop = new RoleLoop(keeper, clock, {
    onError: (role, error) => faults.push([role, String(error)]),
  })
  loop.start()
  await clock.advance(100)
  unreachable = false
  await clock.advance(5_000)
  await loop.stop()
  expect(faults).toEqual([['rate-keeper', 'Error: unreachable']])
  expect(table.reclaimed).toBe(3)
})

it('reclaims each permit once when two rate keepers compete', async () => {
  const clock = new ManualClock()
  const { table, store } = someRates(200)
  const loops = [1, 2].map(() => new RoleLoop(new RateKeeper({ store }), clock))
  for (const loop of loops) loop.start()
  await clock.advance(120_000)
  await Promise.all(loops.map((loop) => loop.stop()))
  expect(table).toMatchObject({ gaps: 0, reclaimed: 200 })
})

it('can be started and stopped repeatedly, and leaves no timer and no call behind', async () => {
  const clock = new ManualClock()
  const { table, store } = someRates(0)
  for (let round = 0; round < 50; round++) {
    const loop = new RoleLoop(new RateKeeper({ store }), clock)
    loop.start()
    loop.start()
    if (round % 2 === 1) await clock.advance(round * 100)
    await Promise.all([loop.stop(), loop.stop()])
  }
  const before = table.calls
  await clock.advance(3_600_000)
  expect(table.calls).toBe(before)
  expect(clock.sleeping).toBe(0)
})
