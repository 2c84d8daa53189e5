/** Cancelling running runs, with concurrent cancels and any action of the worker. */
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

describe('cancelling a running run', () => {
  it('a cancelled running run is cancelling, and keeps the first reason', async () => {
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

  it('another tenant cannot cancel a run', async () => {
    const run = await t.running(await t.session())
    expect(await cancel(run.id, 'test', 2)).toBeNull()
    expect(await find(run.id)).toMatchObject({ state: 'running', cancelReason: null })
  })

  it('a run that succeeds or dies after a cancel keeps that final state', async () => {
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

  it('a cancelled run is not retried when its attempt fails, and others of the batch are', async () => {
    const session = await t.session()
    const runs = [await t.running(session), await t.running(session), await t.running(session)]
    const [cancelled, other] = runs as [(typeof runs)[0], (typeof runs)[0]]
    await cancel(cancelled.id, 'enough')
    expect(
      await t.store.work.settle(
        session,
        runs.map((run) => retry(run)),
      ),
    ).toEqual([])
    expect(await find(cancelled.id)).toMatchObject({ state: 'cancelled', reason: 'enough' })
    expect(await t.places(other.id)).toEqual(['queue'])
  })

  it('the outcome of a cancelled run that was reaped is refused', async () => {
    const session = await t.session()
    const run = await t.running(session)
    await cancel(run.id)
    await t.expire(session)
    await t.reap([session])
    expect(await t.store.work.settle(session, [retry(run)])).toEqual([run.id])
  })

  it('a cancelled run that its worker gives back unstarted is cancelled', async () => {
    const session = await t.session()
    const [cancelled, other] = [await t.running(session), await t.running(session)]
    await cancel(cancelled.id, 'enough')
    await t.store.work.giveBack([cancelled, other])
    expect(await find(cancelled.id)).toMatchObject({ state: 'cancelled', reason: 'enough' })
    expect(await t.places(other.id)).toEqual(['queue'])
  })

  it('a cancelled run whose worker dies is cancelled and not returned to the queue', async () => {
    const session = await t.session()
    const run = await t.running(session)
    await cancel(run.id, 'enough')
    await t.expire(session)
    expect(await t.reap([session])).toMatchObject({ cancelled: 1, returned: 0 })
    expect(await find(run.id)).toMatchObject({ state: 'cancelled', reason: 'enough' })
  })
})

it('a failing run that is cancelled frees its job', async () => {
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

describe('cancelling a crashed run before it starts again', () => {
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

  it('a crashed run cancelled and then given back counts one start', async () => {
    const [, run] = await suspect()
    await t.store.work.giveBack([run])
    expect(await find(run.id)).toMatchObject(once)
  })

  it('a crashed run cancelled and then settled as cancelled counts one start', async () => {
    const [session, run] = await suspect()
    const ended = { kind: 'cancelled', startedAgoMs: null, failure: null, reason: 'test' } as const
    expect(await t.store.work.settle(session, [{ ...ended, run }])).toEqual([])
    expect(await find(run.id)).toMatchObject(once)
  })

  it('a crashed run cancelled and then lost with its worker counts one start', async () => {
    const [session, run] = await suspect()
    await t.expire(session)
    await t.reap([session])
    expect(await find(run.id)).toMatchObject(once)
  })
})

it('of a concurrent cancel and settle, one wins in either order', async () => {
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
    // A retry that commits first is cancelled where it waits; a success always stays.
    if (round % 2 === 0) expect(found?.state).toBe('succeeded')
    else expect([answer, found?.state]).toEqual([expect.stringMatching(/^cancell/), 'cancelled'])
  }
})
