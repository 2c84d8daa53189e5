import { dead, postgresMajors, retry, succeeded, TestStore } from '@punctual/testkit'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'

describe.each(postgresMajors)('the fence on PostgreSQL %s', (major) => {
  let t: TestStore
  beforeAll(async () => {
    t = await TestStore.open({ major })
  })
  afterEach(() => t.emptyPlaces())
  afterAll(() => t.close())

  it('an outcome is accepted once, repeating it succeeds, and another outcome is refused', async () => {
    const session = await t.session()
    const run = await t.running(session)
    expect(await t.store.work.settle(session, [succeeded(run)])).toEqual([])
    expect(await t.store.work.settle(session, [succeeded(run)])).toEqual([])
    expect(await t.store.work.settle(session, [retry(run)])).toEqual([run.id])
    expect(await t.places(run.id)).toEqual(['outcomes'])
  })

  it('a death that the reaper recorded is not taken for the death that a worker settles', async () => {
    const zombie = await t.session()
    const run = await t.running(zombie)
    await t.expire(zombie)
    await t.reap([zombie], 1)
    const found = await t.store.runs.find(run.id)
    expect(found).toMatchObject({ state: 'dead', reason: 'quarantined' })
    expect(await t.store.work.settle(zombie, [dead(run)])).toEqual([run.id])
    expect(await t.store.work.settle(zombie, [succeeded(run)])).toEqual([run.id])
  })

  it('the outcome of a run that was reaped, and cancelled while it waited, is refused', async () => {
    const zombie = await t.session()
    const run = await t.running(zombie)
    await t.expire(zombie)
    await t.reap([zombie])
    await t.store.steering.cancel([run.id], 'asked')
    expect(await t.store.work.settle(zombie, [succeeded(run)])).toEqual([run.id])
  })

  it("a zombie's outcome is refused and recorded once another worker has the run (cases 19, 20)", async () => {
    const zombie = await t.session()
    const run = await t.running(zombie)
    await t.expire(zombie)
    await t.reap([zombie])
    const heir = await t.session()
    const { runs } = await t.claim(heir)
    expect(runs.map((r) => r.id)).toEqual([run.id])
    expect(await t.store.work.settle(zombie, [succeeded(run, '"zombie"')])).toEqual([run.id])
    expect(await t.places(run.id)).toEqual(['leases'])
    expect(await t.store.work.settle(heir, [succeeded(runs[0] as typeof run, '"heir"')])).toEqual(
      [],
    )
    const found = await t.store.runs.find(run.id)
    expect(found).toMatchObject({ state: 'succeeded', output: 'heir' })
    const stale = await t.sql.query('select fence from punctual.stale_settles where run_id = $1', [
      run.id,
    ])
    expect(stale.rows).toEqual([{ fence: run.fence.toString() }])
  })

  it('a settle matches run and fence as a pair, not with the fence of another run of the batch', async () => {
    const session = await t.session()
    const [a, b] = [await t.running(session), await t.running(session)]
    await t.store.work.settle(session, [retry(a)])
    const again = (await t.claim(session)).runs[0] as typeof a
    expect(again.id).toBe(a.id)
    const stale = { ...a }
    // The stale fence of a is in the batch with b's: a is leased under `again.fence`, which is not.
    expect(await t.store.work.settle(session, [succeeded(stale), succeeded(b)])).toEqual([a.id])
    expect(await t.places(again.id)).toEqual(['leases'])
    expect(await t.places(b.id)).toEqual(['outcomes'])
  })

  it('a late outcome is accepted until the reaper has taken the run (case 20)', async () => {
    const session = await t.session()
    const run = await t.running(session)
    await t.expire(session)
    expect(await t.store.work.settle(session, [succeeded(run)])).toEqual([])
  })

  it('an expired session cannot claim', async () => {
    const session = await t.session()
    const id = await t.submit()
    await t.expire(session)
    const result = await t.claim(session)
    expect(result).toMatchObject({ sessionAlive: false, runs: [] })
    expect(await t.places(id)).toEqual(['queue'])
  })

  it('a session that renewed its lease in time is not reaped', async () => {
    const session = await t.session()
    const run = await t.running(session)
    await t.expire(session)
    expect(await t.store.work.renewSession(session)).toEqual({ drains: false })
    expect(await t.reap([session])).toMatchObject({ sessions: 0, returned: 0 })
    expect(await t.store.work.settle(session, [succeeded(run)])).toEqual([])
  })

  it('a fenced session cannot renew its lease', async () => {
    const session = await t.session()
    await t.expire(session)
    await t.reap([session])
    expect(await t.store.work.renewSession(session)).toBeNull()
  })

  it('start marks and progress of a lost lease are refused (case 27)', async () => {
    const session = await t.session()
    const run = await t.running(session)
    await t.expire(session)
    await t.reap([session])
    expect(await t.store.work.markStarted([run])).toEqual(new Set())
    await t.store.work.reportProgress([{ run, value: '1' }])
    await t.store.work.giveBack([run])
    expect(await t.places(run.id)).toEqual(['queue'])
  })

  it('a lease whose claim answer was lost is found and given back (case 7)', async () => {
    const session = await t.session()
    const run = await t.running(session)
    expect(await t.store.work.strayLeases(session, [run.fence])).toEqual([])
    const strays = await t.store.work.strayLeases(session, [])
    expect(strays).toEqual([{ id: run.id, fence: run.fence }])
    await t.store.work.giveBack([run])
    expect(await t.places(run.id)).toEqual(['queue'])
  })

  it('a worker that claims its lost run again gets a new fence, and only that is accepted (case 28)', async () => {
    const before = await t.session()
    const lost = await t.running(before)
    await t.expire(before)
    await t.reap([before])
    const after = await t.session()
    const again = (await t.claim(after)).runs[0] as typeof lost
    expect(again.id).toBe(lost.id)
    expect(again.fence).not.toBe(lost.fence)
    expect(await t.store.work.settle(after, [succeeded(lost, '"old"')])).toEqual([lost.id])
    expect(await t.store.work.settle(after, [succeeded(again, '"new"')])).toEqual([])
    expect(await t.store.runs.find(lost.id)).toMatchObject({ state: 'succeeded', output: 'new' })
    expect(await t.store.work.settle(after, [succeeded(lost)])).toEqual([lost.id])
  })

  it('two sessions with the same host and process id are distinct (case 29)', async () => {
    const [first, second] = [await t.session(), await t.session()]
    await t.running(first)
    const kept = await t.running(second)
    await t.expire(first)
    expect(await t.reap([first, second])).toMatchObject({ sessions: 1, returned: 1 })
    expect(await t.places(kept.id)).toEqual(['leases'])
    expect(await t.store.work.settle(second, [succeeded(kept)])).toEqual([])
  })

  it('after a failover that lost a claim, the worker of that claim is refused (case 48)', async () => {
    const session = await t.session()
    const zombie = await t.running(session)
    // The state of the new primary: the run waits, and no session has claimed it.
    await t.sql.query('delete from punctual.leases where run_id = $1', [zombie.id])
    await t.sql.query(
      `insert into punctual.queue (run_id, pos, tenant_id, lane, attempt, crashes, traits)
       select id, floor(extract(epoch from clock_timestamp()) * 1000)::bigint << 20, tenant_id, lane, 0, 0, 0
       from punctual.runs where id = $1`,
      [zombie.id],
    )
    // The attempt number is the same, and the session may be: only the fence differs.
    const heir = (await t.claim(session)).runs[0] as typeof zombie
    expect(heir).toMatchObject({ id: zombie.id, attempt: zombie.attempt })
    expect(await t.store.work.settle(session, [succeeded(zombie)])).toEqual([zombie.id])
    expect(await t.places(zombie.id)).toEqual(['leases'])
    expect(await t.store.work.settle(session, [succeeded(heir)])).toEqual([])
  })
})
