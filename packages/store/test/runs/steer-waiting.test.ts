/**
 * Changing the priority, payload or due time of runs that have not started; a claim can win the
 * race.
 */
import { retry, succeeded, TestStore } from '@punctual/testkit'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

const HOUR = 3_600_000
let t: TestStore
beforeAll(async () => {
  t = await TestStore.open()
})
afterAll(() => t.close())
beforeEach(async () => {
  await t.sql.query('truncate punctual.queue, punctual.later, punctual.leases, punctual.sessions')
})

const find = (id: string) => t.store.runs.find(id)
const positionOf = async (id: string) => {
  const { rows } = await t.sql.query('select pos from punctual.queue where run_id = $1', [id])
  return rows[0]?.pos as string
}

describe('changing the priority', () => {
  it('a higher priority starts a run before others and is shown', async () => {
    const [first, second] = [await t.submit(), await t.submit()]
    expect(await t.store.steering.reprioritise([second], 9)).toEqual(new Set([second]))
    expect(await find(second)).toMatchObject({ priority: 9, editedAt: expect.any(Date) })
    const session = await t.session()
    expect((await t.claim(session, 1)).runs[0]?.id).toBe(second)
    expect((await t.claim(session, 1)).runs[0]?.id).toBe(first)
  })

  it('a changed priority is kept through promotion, a retry and the end', async () => {
    const id = await t.submit({ delayMs: HOUR })
    await t.store.steering.reprioritise([id], 2)
    await t.store.upkeep.promote(2 * HOUR, 10)
    await t.store.steering.reschedule([id], null)
    const session = await t.session()
    const [run] = (await t.claim(session)).runs
    if (run?.id !== id) throw new Error('the run was not claimed')
    await t.store.work.settle(session, [retry(run)])
    const [again] = (await t.claim(session)).runs
    if (!again) throw new Error('the retry was not claimed')
    await t.store.work.settle(session, [succeeded(again)])
    expect(await find(id)).toMatchObject({ state: 'succeeded', priority: 2 })
  })

  it('setting the same priority keeps the position of a run', async () => {
    const id = await t.submit({ priority: 7 })
    const before = await positionOf(id)
    expect(await t.store.steering.reprioritise([id], 7)).toEqual(new Set([id]))
    expect(await positionOf(id)).toBe(before)
  })

  it('one call changes the priority of runs in several lanes, but not of another tenant', async () => {
    const ids = await Promise.all([
      ...['a', 'b', 'c'].map((queue) => t.submit({ queue })),
      t.submit({ delayMs: HOUR, priority: 1 }),
    ])
    expect(await t.store.steering.reprioritise(ids, 10, 2)).toEqual(new Set())
    expect(await t.store.steering.reprioritise(ids, 10)).toEqual(new Set(ids))
    for (const id of ids) expect(await find(id)).toMatchObject({ priority: 10 })
  })

  it('the priority of a running run cannot be changed', async () => {
    const run = await t.running(await t.session())
    expect(await t.store.steering.reprioritise([run.id], 9)).toEqual(new Set())
    expect(await find(run.id)).toMatchObject({ state: 'running', priority: 5, editedAt: null })
  })
})

describe('changing the payload', () => {
  it.each([
    ['small', '{"n":2}'],
    ['large', JSON.stringify('x'.repeat(100_000))],
  ])('a worker gets the changed payload: %s', async (_, payload) => {
    const id = await t.submit({ delayMs: HOUR })
    expect(await t.store.steering.edit([id], payload)).toEqual(new Set([id]))
    await t.store.steering.reschedule([id], null)
    const [run] = (await t.claim(await t.session())).runs
    expect(run).toMatchObject({ id, payload })
    expect(await find(id)).toMatchObject({ payload: JSON.parse(payload) })
  })

  it('the payload cannot be changed after an attempt, but after a claim that was given back', async () => {
    const session = await t.session()
    const tried = await t.running(session)
    await t.store.work.settle(session, [retry(tried, HOUR)])
    const returned = await t.running(session)
    await t.store.work.giveBack([returned])
    expect(await t.store.steering.edit([tried.id, returned.id], '2')).toEqual(
      new Set([returned.id]),
    )
    expect(await find(tried.id)).toMatchObject({ payload: { n: 1 } })
  })

  it('another tenant cannot change the payload of a run', async () => {
    const id = await t.submit()
    expect(await t.store.steering.edit([id], '2', 2)).toEqual(new Set())
  })

  it('of a payload change and a claim that race, one wins', async () => {
    const session = await t.session()
    const other = t.another()
    let editsWon = 0
    for (let round = 0; round < 150; round++) {
      const id = await t.submit({ payload: 'old' })
      const [edited, claim] = await Promise.all([
        t.store.steering.edit([id], '"new"'),
        t.claim(session, 1, other),
      ])
      const editWins = edited.has(id)
      editsWon += Number(editWins)
      const run = claim.runs[0] ?? (await t.claim(session, 1)).runs[0]
      expect(run).toMatchObject({ id, payload: editWins ? '"new"' : '"old"' })
      if (run) await t.store.work.settle(session, [succeeded(run)])
      expect(await find(id)).toMatchObject({ payload: editWins ? 'new' : 'old' })
    }
    expect(editsWon).toBeGreaterThan(0)
  })
})

it('of a priority change and a claim that race, one wins', async () => {
  const session = await t.session()
  const other = t.another()
  for (let round = 0; round < 100; round++) {
    const id = await t.submit()
    const [moved, claim] = await Promise.all([
      t.store.steering.reprioritise([id], 9),
      t.claim(session, 1, other),
    ])
    const run = claim.runs[0] ?? (await t.claim(session, 1)).runs[0]
    if (run?.id !== id) throw new Error(`round ${round}: the run cannot be claimed`)
    await t.store.work.settle(session, [succeeded(run)])
    expect(await find(id)).toMatchObject({ priority: moved.has(id) ? 9 : 5 })
  }
})

it('two concurrent priority changes leave the run in one place with one of the two', async () => {
  const other = t.another()
  for (let round = 0; round < 50; round++) {
    const id = await t.submit()
    const answers = await Promise.all([
      t.store.steering.reprioritise([id], 8),
      other.steering.reprioritise([id], 9),
    ])
    expect(answers.some((moved) => moved.has(id))).toBe(true)
    expect(await t.places(id)).toEqual(['queue'])
    expect([8, 9]).toContain((await find(id))?.priority)
  }
})

describe('running a waiting run now', () => {
  it.each([
    ['later', 2 * HOUR],
    ['queue', 30_000],
  ])('rescheduling a run from `%s` to now makes it due and claimable at once', async (_, ms) => {
    const id = await t.submit({ delayMs: ms })
    const before = await t.store.runs.nowMs()
    expect(await t.store.steering.reschedule([id], null)).toEqual(new Set([id]))
    const run = await find(id)
    expect(run).toMatchObject({ state: 'queued' })
    expect(run?.dueAt.getTime()).toBeGreaterThanOrEqual(before)
    expect((await t.claim(await t.session())).runs[0]?.id).toBe(id)
  })

  it('rescheduling a due run to now keeps its position in the queue', async () => {
    const id = await t.submit()
    const [position, run] = [await positionOf(id), await find(id)]
    expect(await t.store.steering.reschedule([id], null)).toEqual(new Set())
    expect([await positionOf(id), await find(id)]).toEqual([position, run])
  })
})
