/** Cancelling runs that run: what the database promises whoever asks, whatever the worker does. */
import type { ClaimedRun } from '@punctual/core/ports'
import { dead, retry, succeeded, TestStore } from '@punctual/testkit'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

let t: TestStore
beforeAll(async () => {
  t = await TestStore.open()
})
afterAll(() => t.close())
beforeEach(async () => {
  await t.sql.query(
    'truncate punctual.queue, punctual.leases, punctual.later, punctual.parked, punctual.job_holds, punctual.sessions',
  )
})

const cancel = async (id: string, reason = 'test', tenantId = 1) =>
  (await t.store.steering.cancel([id], reason, tenantId)).get(id) ?? null
const find = (id: string) => t.store.runs.find(id)

describe('a run that runs', () => {
  it('shows that it is asked to end, and the first reason stays', async () => {
    const run = await t.running(await t.session())
    expect(await cancel(run.id, 'nobody wants it')).toBe('cancelling')
    expect(await cancel(run.id, 'again')).toBe('cancelling')
    expect(await find(run.id)).toMatchObject({
      state: 'cancelling',
      cancelReason: 'nobody wants it',
    })
    const listed = await t.store.runs.list({ states: ['cancelling'] })
    expect(listed.map(({ id }) => id)).toContain(run.id)
    expect(await t.store.work.cancelRequests([run])).toEqual(
      new Map([[run.fence, 'nobody wants it']]),
    )
  })

  it('is not cancelled by another tenant', async () => {
    const run = await t.running(await t.session())
    expect(await cancel(run.id, 'test', 2)).toBeNull()
    expect(await find(run.id)).toMatchObject({ state: 'running', cancelReason: null })
  })

  it('ends as it ended when it was faster', async () => {
    const session = await t.session()
    for (const [settlement, state] of [
      [succeeded, 'succeeded'],
      [dead, 'dead'],
    ] as const) {
      const run = await t.running(session)
      expect(await cancel(run.id)).toBe('cancelling')
      expect(await t.store.work.settle(session, [settlement(run)])).toEqual([])
      expect(await find(run.id)).toMatchObject({ state })
      expect(await cancel(run.id)).toBeNull()
    }
  })

  it('is not tried again when its attempt fails, and the others of the batch are', async () => {
    const session = await t.session()
    const runs = [await t.running(session), await t.running(session), await t.running(session)]
    const [asked, other] = runs as [(typeof runs)[0], (typeof runs)[0]]
    await cancel(asked.id, 'enough')
    expect(
      await t.store.work.settle(
        session,
        runs.map((run) => retry(run)),
      ),
    ).toEqual([])
    expect(await find(asked.id)).toMatchObject({ state: 'cancelled', reason: 'enough' })
    expect(await t.places(other.id)).toEqual(['queue'])
  })

  it('is refused like any other when it belongs to somebody else by then', async () => {
    const session = await t.session()
    const run = await t.running(session)
    await cancel(run.id)
    await t.expire(session)
    await t.reap([session])
    expect(await t.store.work.settle(session, [retry(run)])).toEqual([run.id])
  })

  it('is cancelled when it goes back without having started', async () => {
    const session = await t.session()
    const [asked, other] = [await t.running(session), await t.running(session)]
    await cancel(asked.id, 'enough')
    await t.store.work.giveBack([asked, other])
    expect(await find(asked.id)).toMatchObject({ state: 'cancelled', reason: 'enough' })
    expect(await t.places(other.id)).toEqual(['queue'])
  })

  it('is cancelled when its worker dies, and does not come back', async () => {
    const session = await t.session()
    const run = await t.running(session)
    await cancel(run.id, 'enough')
    await t.expire(session)
    expect(await t.reap([session])).toMatchObject({ cancelled: 1, returned: 0 })
    expect(await find(run.id)).toMatchObject({ state: 'cancelled', reason: 'enough' })
  })
})

it('a job whose run is cancelled while it fails is free for the next one', async () => {
  const session = await t.session()
  const id = await t.job({ name: 'held', everyAfterEnd: '1s', overlap: 'queue-all' })
  await t.store.schedules.steering.trigger('held', null, 1)
  const [run] = (await t.claim(session, 1)).runs
  expect(run?.jobId).toBe(id)
  if (!run) return
  expect(await t.count('job_holds')).toBe(1)
  await cancel(run.id)
  await t.store.work.settle(session, [retry(run)])
  expect(await t.count('job_holds')).toBe(0)
})

describe('a run that has seen a crash, and is cancelled before it starts again', () => {
  async function suspect(): Promise<[string, ClaimedRun]> {
    const first = await t.session()
    const { id } = await t.running(first)
    await t.expire(first)
    await t.reap([first])
    const session = await t.session()
    const run = (await t.claim(session, 100)).runs.find((claimed) => claimed.id === id)
    await cancel(id)
    return [session, run as ClaimedRun]
  }
  const once = { state: 'cancelled', startedAt: null, possibleDuplicate: false }

  it('has started once, when its worker gives it back', async () => {
    const [, run] = await suspect()
    await t.store.work.giveBack([run])
    expect(await find(run.id)).toMatchObject(once)
  })

  it('has started once, when its worker ends it', async () => {
    const [session, run] = await suspect()
    const ended = { kind: 'cancelled', startedAgoMs: null, failure: null, reason: 'test' } as const
    expect(await t.store.work.settle(session, [{ ...ended, run }])).toEqual([])
    expect(await find(run.id)).toMatchObject(once)
  })

  it('has started once, when its worker is lost', async () => {
    const [session, run] = await suspect()
    await t.expire(session)
    await t.reap([session])
    expect(await find(run.id)).toMatchObject(once)
  })
})

it('of a cancel and an end one wins, whoever comes first', async () => {
  const session = await t.session()
  for (let round = 0; round < 100; round++) {
    const run = await t.running(session)
    const settlement = round % 2 === 0 ? succeeded(run) : retry(run)
    const [answer, refused] = await Promise.all([
      cancel(run.id),
      t.store.work.settle(session, [settlement]),
    ])
    expect(refused).toEqual([])
    const places = await t.places(run.id)
    expect(places).toHaveLength(1)
    const found = await find(run.id)
    // A retry that came first is cancelled where it waits; a success that came first stays.
    if (round % 2 === 0) expect(found?.state).toBe('succeeded')
    else expect([answer, found?.state]).toEqual([expect.stringMatching(/^cancell/), 'cancelled'])
  }
})
