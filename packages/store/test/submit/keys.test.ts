import { compileOptions } from '@punctual/core/submit'
import { dead, succeeded, TestStore } from '@punctual/testkit'
import pg from 'pg'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { ClientPool } from '../../src/connection/client-pool.ts'
import { systemRandom } from '../../src/connection/system-ports.ts'
import { KeyedSubmitter } from '../../src/submit/keyed-submitter.ts'
import { Submitter } from '../../src/submit/submitter.ts'
import { ParkedRuns } from '../../src/work/parked-runs.ts'

let t: TestStore
beforeAll(async () => {
  t = await TestStore.open()
})
afterAll(() => t.close())

const keyed = (key: string, store = t.store) =>
  store.submit([{ options: compileOptions('test', { key }), payload: '1' }])

it('submitting a taken key returns its live run, and a free key creates a new run', async () => {
  const [first] = await keyed('k')
  expect(first?.created).toBe(true)
  expect(await keyed('k')).toEqual([{ id: first?.id, created: false, outcome: 'existing' }])
  const session = await t.session()
  const { runs } = await t.claim(session)
  expect(await keyed('k'), 'a running run holds its key').toEqual([
    { id: first?.id, created: false, outcome: 'existing' },
  ])
  await t.store.work.settle(
    session,
    runs.map((run) => succeeded(run)),
  )
  const [next] = await keyed('k')
  expect(next).toMatchObject({ created: true })
  await t.store.steering.cancelWaiting([next?.id as string], 'test')
  expect((await keyed('k'))[0]?.created, 'a cancelled run frees its key').toBe(true)
  const again = await t.claim(session)
  await t.store.work.settle(
    session,
    again.runs.map((run) => dead(run)),
  )
  expect((await keyed('k'))[0]?.created, 'a dead run frees its key').toBe(true)
})

it('resending a submission whose answer was lost does not give its key to the ended run', async () => {
  const { database, lanes, signals } = t.store
  const ensurePartitions = async () => undefined
  const submitter = new Submitter({
    parked: new ParkedRuns(database, signals),
    ...{ database, lanes, signals, random: systemRandom, ensurePartitions },
  })
  const clientPool = new ClientPool(database)
  onTestFinished(() => clientPool.close())
  const submissions = new KeyedSubmitter({ database, clientPool, submitter, signals })
  const options = compileOptions('test', { key: 'lost answer' })
  const runs = await submitter.prepare([{ options, payload: '1' }], 1)
  const [first] = await submissions.submit(runs, { tenantId: 1, again: false, transaction: null })
  const session = await t.session()
  const { runs: claimed } = await t.claim(session, 100)
  await t.store.work.settle(
    session,
    claimed.map((run) => succeeded(run)),
  )
  expect(await submissions.submit(runs, { tenantId: 1, again: true, transaction: null })).toEqual([
    first,
  ])
  expect(await t.places(first?.id as string)).toEqual(['outcomes'])
  expect((await keyed('lost answer'))[0]?.created).toBe(true)
})

it('a hundred concurrent submissions of one key from four processes create one run (case 120)', async () => {
  const stores = [t.store, t.another(), t.another(), t.another()]
  const all = await Promise.all(Array.from({ length: 100 }, (_, i) => keyed('hot', stores[i % 4])))
  const ids = new Set(all.map(([accepted]) => accepted?.id))
  expect(ids.size).toBe(1)
  expect(all.filter(([accepted]) => accepted?.created).length).toBe(1)
})

it('the same key twice in one batch creates one run', async () => {
  const options = compileOptions('test', { key: 'twin' })
  const [a, b] = await t.store.submit([
    { options, payload: '1' },
    { options, payload: '2' },
  ])
  expect(a?.created).toBe(true)
  expect(b).toEqual({ id: a?.id, created: false, outcome: 'existing' })
})

it('batches with the same keys in different orders do not deadlock (case 58)', async () => {
  const names = Array.from({ length: 20 }, (_, i) => `order-${i}`)
  const batch = (keys: string[], store = t.store) =>
    store.submit(keys.map((key) => ({ options: compileOptions('test', { key }), payload: '1' })))
  const stores = [t.store, t.another(), t.another()]
  const results = await Promise.all(
    Array.from({ length: 12 }, (_, i) => batch(i % 2 ? names : names.toReversed(), stores[i % 3])),
  )
  const created = results.flat().filter((accepted) => accepted.created)
  expect(created.length).toBe(20)
})

it('a keyed submission commits or rolls back with the transaction of the caller', async () => {
  const client = new pg.Client({ connectionString: t.url })
  await client.connect()
  const submission = [{ options: compileOptions('test', { key: 'mine' }), payload: '1' }]
  await client.query('begin')
  const [gone] = await t.store.submit(submission, { tx: client })
  await client.query('rollback')
  expect(await t.store.runs.find(gone?.id as string)).toBeNull()
  await client.query('begin')
  const [kept] = await t.store.submit(submission, { tx: client })
  expect(kept?.created, 'the rollback freed the key').toBe(true)
  expect(await t.store.runs.find(kept?.id as string), 'not visible before the commit').toBeNull()
  await client.query('commit')
  expect(await t.store.runs.find(kept?.id as string)).toMatchObject({
    state: 'queued',
    key: 'mine',
  })
  await client.end()
})

it('submitting a key held by an open transaction fails as key_busy after a limited wait', async () => {
  const client = new pg.Client({ connectionString: t.url })
  await client.connect()
  await client.query('begin')
  await t.store.submit([{ options: compileOptions('test', { key: 'held' }), payload: '1' }], {
    tx: client,
  })
  await expect(keyed('held')).rejects.toMatchObject({ code: 'key_busy' })
  await client.query('rollback')
  await client.end()
  expect((await keyed('held'))[0]?.created).toBe(true)
})
