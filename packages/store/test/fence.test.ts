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

  it("refuses a zombie's outcome after the run was given to another worker, and records it (cases 19, 20)", async () => {
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
    expect(stale.rows).toEqual([{ fence: run.claim.toString() }])
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

  it('accepts a late outcome while the reaper has not taken the run (case 20)', async () => {
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

  it('refuses start marks and progress of a lost lease (case 27)', async () => {
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

  it('finds leases whose claim reply was lost, and gives them back (case 7)', async () => {
    const session = await t.session()
    const run = await t.running(session)
    expect(await t.store.work.strayLeases(session, [run.claim])).toEqual([])
    const strays = await t.store.work.strayLeases(session, [])
    expect(strays).toEqual([{ id: run.id, claim: run.claim }])
    await t.store.work.giveBack([run])
    expect(await t.places(run.id)).toEqual(['queue'])
    await t.store.steering.cancelWaiting([run.id], 'test')
  })

  it('gives a worker that claims its own lost run again another fence, and believes only that (case 28)', async () => {
    const before = await t.session()
    const lost = await t.running(before)
    await t.expire(before)
    await t.reap([before])
    const after = await t.session()
    const again = (await t.claim(after)).runs[0] as typeof lost
    expect(again.id).toBe(lost.id)
    expect(again.claim).not.toBe(lost.claim)
    expect(await t.store.work.settle(after, [succeeded(lost, '"old"')])).toEqual([lost.id])
    expect(await t.store.work.settle(after, [succeeded(again, '"new"')])).toEqual([])
    expect(await t.store.runs.find(lost.id)).toMatchObject({ state: 'succeeded', output: 'new' })
    expect(await t.store.work.settle(after, [succeeded(lost)])).toEqual([lost.id])
  })

  it('tells two workers of one host and process id apart (case 29)', async () => {
    const [first, second] = [await t.session(), await t.session()]
    const lost = await t.running(first)
    const kept = await t.running(second)
    await t.expire(first)
    expect(await t.reap([first, second])).toMatchObject({ sessions: 1, returned: 1 })
    expect(await t.places(kept.id)).toEqual(['leases'])
    expect(await t.store.work.settle(second, [succeeded(kept)])).toEqual([])
    await t.store.steering.cancelWaiting([lost.id], 'test')
  })

  it('refuses a worker of the lost time after a fail-over that lost its claim (case 48)', async () => {
    const session = await t.session()
    const zombie = await t.running(session)
    // What the new primary has: the run waits, and nobody has claimed it.
    await t.sql.query('delete from punctual.leases where run_id = $1', [zombie.id])
    await t.sql.query(
      `insert into punctual.queue (run_id, pos, tenant_id, lane, attempt, crashes, traits)
       select id, floor(extract(epoch from clock_timestamp()) * 1000)::bigint << 20, tenant_id, lane, 0, 0, 0
       from punctual.runs where id = $1`,
      [zombie.id],
    )
    // The attempt has the same number, and the session may be the same one: only the fence differs.
    const heir = (await t.claim(session)).runs[0] as typeof zombie
    expect(heir).toMatchObject({ id: zombie.id, attempt: zombie.attempt })
    expect(await t.store.work.settle(session, [succeeded(zombie)])).toEqual([zombie.id])
    expect(await t.places(zombie.id)).toEqual(['leases'])
    expect(await t.store.work.settle(session, [succeeded(heir)])).toEqual([])
  })
})
