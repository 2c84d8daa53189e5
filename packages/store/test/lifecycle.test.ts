/** Walks the lifecycle table of core/src/transitions.ts against the real database. */
import { type Place, transitions } from '@punctual/core'
import { dead, postgresMajors, retry, succeeded, TestStore } from '@punctual/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const FAR = 3_600_000
type Key = `${string}: ${Place} -> ${Place}`

describe.each(postgresMajors)('the lifecycle on PostgreSQL %s', (major) => {
  let t: TestStore
  beforeAll(async () => {
    t = await TestStore.open({ major })
  })
  afterAll(() => t.close())

  const inLater = () => t.submit({ delayMs: FAR })
  const inQueue = () => t.submit()
  const reap = async (session: string) => {
    await t.expire(session)
    await t.reap([session])
  }

  /** How each row of the table is made to happen; returns the run. */
  const make: Record<Key, () => Promise<string>> = {
    'submit: nowhere -> queue': inQueue,
    'defer: nowhere -> later': inLater,
    'promote: later -> queue': async () => {
      const id = await inLater()
      await t.store.upkeep.promote(2 * FAR, 1_000)
      return id
    },
    'claim: queue -> leases': async () => (await t.running(await t.session())).id,
    'return: leases -> queue': async () => {
      const run = await t.running(await t.session())
      await t.store.work.giveBack([run])
      return run.id
    },
    'succeed: leases -> outcomes': async () => {
      const session = await t.session()
      const run = await t.running(session)
      await t.store.work.settle(session, [succeeded(run)])
      return run.id
    },
    'retry: leases -> queue': async () => {
      const session = await t.session()
      const run = await t.running(session)
      await t.store.work.settle(session, [retry(run, 10)])
      return run.id
    },
    'postpone: leases -> later': async () => {
      const session = await t.session()
      const run = await t.running(session)
      await t.store.work.settle(session, [retry(run, FAR)])
      return run.id
    },
    'die: leases -> outcomes': async () => {
      const session = await t.session()
      const run = await t.running(session)
      await t.store.work.settle(session, [dead(run)])
      return run.id
    },
    'reap: leases -> queue': async () => {
      const session = await t.session()
      const run = await t.running(session)
      await reap(session)
      return run.id
    },
    'quarantine: leases -> outcomes': async () => {
      const session = await t.session()
      const run = await t.running(session)
      await t.expire(session)
      await t.reap([session], 1)
      return run.id
    },
    'lose: leases -> outcomes': async () => {
      const session = await t.session()
      const run = await t.running(session)
      await t.sql.query('update punctual.leases set traits = 2 where run_id = $1', [run.id])
      await t.store.work.markStarted([run])
      await reap(session)
      return run.id
    },
    'cancel: later -> outcomes': async () => {
      const id = await inLater()
      await t.store.cancelWaiting([id], 'test')
      return id
    },
    'cancel: queue -> outcomes': async () => {
      const id = await inQueue()
      await t.store.cancelWaiting([id], 'test')
      return id
    },
    'reschedule: later -> queue': async () => {
      const id = await inLater()
      await t.store.reschedule([id], Date.now())
      return id
    },
    'reschedule: queue -> queue': async () => {
      const id = await inQueue()
      await t.store.reschedule([id], Date.now() + 1_000)
      return id
    },
    'reschedule: later -> later': async () => {
      const id = await inLater()
      await t.store.reschedule([id], Date.now() + 2 * FAR)
      return id
    },
    'reschedule: queue -> later': async () => {
      const id = await inQueue()
      await t.store.reschedule([id], Date.now() + FAR)
      return id
    },
  }

  const rows = transitions.flatMap((row) =>
    row.from.map((from) => [`${row.event}: ${from} -> ${row.to}` as Key, row.to] as const),
  )

  it.each(rows)('%s leaves the run in exactly that place', async (key, to) => {
    const id = await (make[key] as () => Promise<string>)()
    expect(await t.places(id)).toEqual([to])
  })

  it('has a way to happen for every row, and no other', () => {
    expect(Object.keys(make).toSorted()).toEqual(rows.map(([key]) => key).toSorted())
  })

  it('a final run is final: nothing moves it any more', async () => {
    const session = await t.session()
    const run = await t.running(session)
    await t.store.work.settle(session, [succeeded(run)])
    expect(await t.store.cancelWaiting([run.id], 'test')).toEqual(new Set())
    expect(await t.store.reschedule([run.id], Date.now())).toEqual(new Set())
    await t.store.work.giveBack([run])
    await t.store.work.settle(session, [retry(run), dead(run)].slice(0, 1))
    await reap(session)
    expect(await t.places(run.id)).toEqual(['outcomes'])
    expect(await t.store.runs.find(run.id)).toMatchObject({ state: 'succeeded' })
  })
})
