/** Pausing queues holds under concurrent pauses and claims. */
import { eventually, postgresMajors, succeeded, TestStore } from '@punctual/testkit'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Hint } from '../../src/connection/hints/read-hint.ts'

describe.each(postgresMajors)('pausing on PostgreSQL %s', (major) => {
  let t: TestStore
  beforeAll(async () => {
    t = await TestStore.open({ major })
  })
  afterAll(() => t.close())
  afterEach(async () => {
    await t.sql.query(
      'truncate punctual.queue, punctual.leases, punctual.sessions, punctual.pauses',
    )
  })

  const anonymous = { note: null, by: null }
  const pause = (queue: string | null) => t.store.queues.pause(queue, anonymous)
  const resume = (queue: string | null) => t.store.queues.resume(queue)
  const claimed = async (session: string) =>
    (await t.claim(session, 100)).runs.map(({ id }) => id).sort()

  describe('a paused queue', () => {
    it('no run of a paused queue is claimed, and other queues continue', async () => {
      const session = await t.session()
      const held = await t.submit({ queue: 'mail' })
      const other = await t.submit({ queue: 'reports' })
      expect(await pause('mail')).toBe(true)
      expect(await claimed(session)).toEqual([other])
      expect(await resume('mail')).toBe(true)
      expect(await claimed(session)).toEqual([held])
    })

    it('a queue is paused once and keeps the note of the first pause', async () => {
      const { queues } = t.store
      expect(await queues.pause('mail', { note: 'the provider is down', by: 'ada' })).toBe(true)
      expect(await queues.pause('mail', { note: 'again', by: 'bob' })).toBe(false)
      expect(await queues.pauses()).toMatchObject([
        { queue: 'mail', note: 'the provider is down', pausedBy: 'ada' },
      ])
      expect([await resume('mail'), await resume('mail')]).toEqual([true, false])
      expect(await queues.pauses()).toEqual([])
    })

    it('a run that a worker holds can finish after its queue was paused', async () => {
      const session = await t.session()
      const run = await t.running(session, { queue: 'mail' })
      await pause('mail')
      expect(await t.store.work.settle(session, [succeeded(run)])).toEqual([])
    })

    it('pausing a queue of one tenant does not pause it for another', async () => {
      const session = await t.session()
      await t.sql.query("insert into punctual.tenants (id, name) values (7, 'other')")
      await t.store.queues.pause('mail', anonymous, 7)
      await t.store.queues.pause(null, anonymous, 7)
      const id = await t.submit({ queue: 'mail' })
      expect(await claimed(session)).toEqual([id])
    })

    it('all waiting runs of a resumed queue are claimed, after any number of empty claims', async () => {
      const session = await t.session()
      // Enough claims for the lane marks to be trusted.
      for (let i = 0; i < 5; i++) {
        const run = await t.running(session, { queue: 'mail' })
        await t.store.work.settle(session, [succeeded(run)])
      }
      const ids = [await t.submit({ queue: 'mail' })]
      await pause('mail')
      for (let i = 0; i < 5; i++) expect(await claimed(session)).toEqual([])
      ids.push(await t.submit({ queue: 'mail' }))
      // waits: for longer than a claim looks back
      await new Promise((resolve) => setTimeout(resolve, 400))
      for (let i = 0; i < 5; i++) expect(await claimed(session)).toEqual([])
      await resume('mail')
      expect(await claimed(session)).toEqual(ids.sort())
    })
  })

  describe('pausing all queues', () => {
    it('pausing all queues is independent of pausing one, which stays paused afterwards', async () => {
      const session = await t.session()
      const mail = await t.submit({ queue: 'mail' })
      const other = await t.submit({ queue: 'reports' })
      expect([await pause(null), await pause('mail'), await pause(null)]).toEqual([
        true,
        true,
        false,
      ])
      expect(await claimed(session)).toEqual([])
      await resume(null)
      expect(await claimed(session)).toEqual([other])
      await resume('mail')
      expect(await claimed(session)).toEqual([mail])
    })

    it('resuming all queues sends a hint for all lanes', async () => {
      const hints: Hint[] = []
      const other = t.another()
      other.signals.onHint((hint) => hints.push(hint))
      other.signals.listen()
      await other.work.lanes([], [])
      await eventually('the store listens', () => other.signals.connected)
      await pause(null)
      hints.length = 0
      await resume(null)
      await eventually('the hint arrives', () => hints.some(({ lanes }) => lanes === null))
    })
  })

  it('pausing a queue resolves once claims that began before it have ended', async () => {
    const session = await t.session()
    await t.sql.query('begin')
    await t.sql.query('select id from punctual.sessions where id = $1 for key share', [session])
    let resolved = false
    const pausing = pause('mail').then(() => {
      resolved = true
    })
    const other = t.another()
    await eventually('the queue is paused', async () => (await other.queues.pauses()).length > 0)
    // The pause checks every few milliseconds.
    for (let i = 0; i < 20; i++) await other.queues.pauses()
    expect(resolved).toBe(false)
    await t.sql.query('commit')
    await pausing
  })

  it('no run is claimed after pausing its queue has resolved, with concurrent claims', async () => {
    const sessions = await Promise.all([t.session(), t.session(), t.session()])
    const stores = sessions.map(() => t.another())
    for (let round = 0; round < 10; round++) {
      await t.sql.query('truncate punctual.queue, punctual.leases, punctual.pauses')
      for (let i = 0; i < 30; i++) await t.submit({ queue: 'mail' })
      let going = true
      const claiming = sessions.map(async (session, i) => {
        while (going) await t.claim(session, 1, stores[i])
      })
      await eventually('one was claimed', async () => (await t.count('leases')) > 0)
      await pause('mail')
      const before = await t.count('leases')
      for (const session of sessions) await t.claim(session, 5)
      expect(await t.count('leases')).toBe(before)
      going = false
      await Promise.all(claiming)
      expect(await t.count('leases')).toBe(before)
    }
  })

  it('a draining worker claims nothing, and claims waiting runs once it is active again', async () => {
    const session = await t.session()
    for (let i = 0; i < 5; i++)
      await t.store.work.settle(session, [succeeded(await t.running(session))])
    const id = await t.submit()
    expect(await t.store.workers.drain(session, true)).toBe('asked')
    // waits: for longer than a claim looks back
    await new Promise((resolve) => setTimeout(resolve, 400))
    for (let i = 0; i < 5; i++) expect(await claimed(session)).toEqual([])
    expect(await t.store.workers.drain(session, false)).toBe('asked')
    expect(await claimed(session)).toEqual([id])
  })
})
