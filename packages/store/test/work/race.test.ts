import { succeeded, systemRandomToken, TestStore } from '@punctual/testkit'
import { afterAll, beforeAll, expect, it } from 'vitest'

const ROUNDS = 10_000
const RACERS = 4

let t: TestStore
beforeAll(async () => {
  t = await TestStore.open()
})
afterAll(() => t.close())

it(`only one of ${RACERS} racing workers claims each of ${ROUNDS} runs`, async () => {
  const stores = Array.from({ length: RACERS }, () => t.another())
  const sessions = await Promise.all(stores.map((store) => t.session(600_000, store)))
  await t.submit()
  const lanes = await t.lanes()
  await t.store.work.settle(
    '1',
    (await t.claim(sessions[0] as string)).runs.map((run) => succeeded(run)),
  )
  let twice = 0
  let wins = 0
  for (let round = 0; round < ROUNDS; ) {
    const batch = 10
    const ids = await Promise.all(Array.from({ length: batch }, () => t.submit()))
    while (wins < round + batch) {
      const claims = await Promise.all(
        stores.map((store, i) =>
          store.work.claim({
            sessionId: sessions[i] as string,
            fence: systemRandomToken(),
            limit: 3,
            lanes,
          }),
        ),
      )
      const won = claims.flatMap((claim) => claim.runs.map((run) => run.id))
      wins += won.length
      twice += won.length - new Set(won).size
      await Promise.all(
        claims.map(({ runs }, i) =>
          stores[i]?.work.settle(
            sessions[i] as string,
            runs.map((run) => succeeded(run)),
          ),
        ),
      )
    }
    round += ids.length
  }
  expect({ wins, twice }).toEqual({ wins: ROUNDS, twice: 0 })
  expect(await t.count('outcomes')).toBe(ROUNDS + 1)
  expect((await t.count('queue')) + (await t.count('leases'))).toBe(0)
})

it('a run that moves between its places is listed exactly once', async () => {
  const id = await t.submit()
  const session = await t.session(600_000)
  let isOver = false
  const moving = (async () => {
    while (!isOver) {
      const { runs } = await t.claim(session, 1)
      await t.store.work.giveBack(runs)
    }
  })()
  const seen: number[] = []
  for (let i = 0; i < 300; i++) {
    const listed = await t.store.runs.list({ limit: 10 })
    seen.push(listed.filter((run) => run.id === id).length)
  }
  isOver = true
  await moving
  expect(new Set(seen)).toEqual(new Set([1]))
})
