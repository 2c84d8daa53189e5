import { dead, postgresMajors, retry, succeeded, TestStore } from '@punctual/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

describe.each(postgresMajors)('the fence on PostgreSQL %s', (major) => {
  let t: TestStore
  beforeAll(async () => {
    t = await TestStore.open({ major })
  })
  afterAll(() => t.close())

  it('accepts the outcome of the current claim once, answers the same when it is said again, and refuses another', async () => {
    const session = await t.session()
    const run = await t.running(session)
    expect(await t.store.work.settle(session, [succeeded(run)])).toEqual([])
    expect(await t.store.work.settle(session, [succeeded(run)])).toEqual([])
    expect(await t.store.work.settle(session, [retry(run)])).toEqual([run.id])
    expect(await t.places(run.id)).toEqual(['outcomes'])
  })

  it('does not take the end that the reaper made for the one that the worker asks for', async () => {
    const zombie = await t.session()
    const run = await t.running(zombie)
    await t.expire(zombie)
    await t.reap([zombie], 1)
    const found = await t.store.runs.find(run.id)
    expect(found).toMatchObject({ state: 'dead', reason: 'quarantined' })
    expect(await t.store.work.settle(zombie, [dead(run)])).toEqual([run.id])
    expect(await t.store.work.settle(zombie, [succeeded(run)])).toEqual([run.id])
  })

  it("refuses a zombie's outcome after the run was given to another worker, and records it", async () => {
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
    const stale = await t.sql.query('select claim from punctual.stale_settles where run_id = $1', [
      run.id,
    ])
    expect(stale.rows).toEqual([{ claim: run.claim.toString() }])
  })

  it('matches run and claim as a pair: the claim of another run in the batch does not open the door', async () => {
    const session = await t.session()
    const [a, b] = [await t.running(session), await t.running(session)]
    await t.store.work.settle(session, [retry(a)])
    const again = (await t.claim(session)).runs[0] as typeof a
    expect(again.id).toBe(a.id)
    const stale = { ...a }
    // The stale claim of a travels with b's: a is leased under `again.claim`, which is not in the batch.
    expect(await t.store.work.settle(session, [succeeded(stale), succeeded(b)])).toEqual([a.id])
    expect(await t.places(again.id)).toEqual(['leases'])
    expect(await t.places(b.id)).toEqual(['outcomes'])
    await t.store.work.settle(session, [succeeded(again)])
  })

  it('accepts a late outcome while the reaper has not taken the run', async () => {
    const session = await t.session()
    const run = await t.running(session)
    await t.expire(session)
    expect(await t.store.work.settle(session, [succeeded(run)])).toEqual([])
  })

  it('lets an expired session claim nothing', async () => {
    const session = await t.session()
    const id = await t.submit()
    await t.expire(session)
    const result = await t.claim(session)
    expect(result).toMatchObject({ sessionAlive: false, runs: [] })
    expect(await t.places(id)).toEqual(['queue'])
    await t.store.steering.cancelWaiting([id], 'test')
  })

  it('does not reap a session that renewed in the meantime', async () => {
    const session = await t.session()
    const run = await t.running(session)
    await t.expire(session)
    expect(await t.store.work.renewSession(session)).toEqual({ drains: false })
    expect(await t.reap([session])).toMatchObject({ sessions: 0, returned: 0 })
    expect(await t.store.work.settle(session, [succeeded(run)])).toEqual([])
  })

  it('does not let a fenced session come back to life', async () => {
    const session = await t.session()
    await t.expire(session)
    await t.reap([session])
    expect(await t.store.work.renewSession(session)).toBeNull()
  })

  it('refuses start marks and progress of a lost lease', async () => {
    const session = await t.session()
    const run = await t.running(session)
    await t.expire(session)
    await t.reap([session])
    expect(await t.store.work.markStarted([run])).toEqual(new Set())
    await t.store.work.reportProgress([{ run, value: '1' }])
    await t.store.work.giveBack([run])
    expect(await t.places(run.id)).toEqual(['queue'])
    await t.store.steering.cancelWaiting([run.id], 'test')
  })

  it('finds leases whose claim reply was lost, and gives them back', async () => {
    const session = await t.session()
    const run = await t.running(session)
    expect(await t.store.work.strayLeases(session, [run.claim])).toEqual([])
    const strays = await t.store.work.strayLeases(session, [])
    expect(strays).toEqual([{ id: run.id, claim: run.claim }])
    await t.store.work.giveBack([run])
    expect(await t.places(run.id)).toEqual(['queue'])
    await t.store.steering.cancelWaiting([run.id], 'test')
  })
})
