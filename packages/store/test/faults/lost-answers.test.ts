/**
 * The answer to a commit is lost: the database has done the work, and the caller does not know it.
 * The proxy passes the statement on, waits until the server reports the end of the transaction, and
 * resets the connection instead of passing that on. The result must be read, not guessed.
 */
import type { ClaimedRun } from '@punctual/core/ports'
import { compileOptions, type SubmitOptions } from '@punctual/core/submit'
import { PostgresStore, systemClock, systemRandom } from '@punctual/store'
import {
  checkInvariants,
  dead,
  installWitness,
  retry,
  succeeded,
  TcpProxy,
  TestStore,
} from '@punctual/testkit'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { planAll, plannerOf } from '../kit/planning-kit.ts'

const FAR = 30_000
const COMMIT = /^commit/

let t: TestStore
let proxy: TcpProxy
/** Connects through the proxy, as the processes under test do. */
let store: PostgresStore
let session: string

beforeEach(async () => {
  t = await TestStore.open()
  await installWitness(t.sql)
  const url = new URL(t.url)
  const port = Number(url.port)
  proxy = await TcpProxy.start([() => port])
  url.port = String(proxy.ports[0])
  store = new PostgresStore({ url: url.href, clock: systemClock, random: systemRandom, node: 'n' })
  session = await t.session(600_000, store)
})
afterEach(async () => {
  await store.close()
  await proxy.close()
  await t.close()
})

/** Performs a step whose answer is lost; afterwards all invariants hold. */
async function losing<T>(step: RegExp, act: () => Promise<T>): Promise<T> {
  const abort = new AbortController()
  const lost = proxy.loseCommitReply((writes) => step.test(writes), abort.signal)
  const result = await act()
  abort.abort()
  expect(await lost, 'an answer was lost').not.toBeNull()
  expect(await checkInvariants(t.sql)).toEqual([])
  return result
}

const submissions = (options: readonly SubmitOptions[]) =>
  options.map((each) => ({ options: compileOptions('test', each), payload: '1' }))

/** Submits with a lost answer; until `meanwhile` has ended, nothing reaches the server. */
async function submitLosing(options: SubmitOptions, meanwhile: () => Promise<void>) {
  const never = new AbortController().signal
  const lost = proxy.loseCommitReply((writes) => /commit|submit/.test(writes), never)
  const submitted = store.submit(submissions([options]))
  expect(await lost).not.toBeNull()
  proxy.hold('up')
  await meanwhile()
  proxy.repair()
  return submitted
}

async function runEverything(): Promise<void> {
  const session = await t.session()
  const { runs } = await t.claim(session, 10)
  expect(runs.length).toBe(1)
  await t.store.work.settle(
    session,
    runs.map((run) => succeeded(run)),
  )
}

/** A leased run, claimed through the proxy. */
async function running(options: SubmitOptions = {}): Promise<ClaimedRun> {
  const id = await t.submit(options)
  const { runs } = await t.claim(session, 1, store)
  expect(runs.map((run) => run.id)).toEqual([id])
  return runs[0] as ClaimedRun
}

it.each([
  ['without a key', {}, /submit\/insert/],
  ['with a key', { key: 'k' }, COMMIT],
] as const)('a submission %s whose answer is lost creates one run (case 11)', async (...row) => {
  const [, options, step] = row
  const [accepted] = await losing(step, () =>
    store.submit(submissions([{ delayMs: FAR, ...options }])),
  )
  expect(accepted).toMatchObject({ created: true })
  expect(await t.count('runs')).toBe(1)
  expect(await t.places(accepted?.id as string)).toEqual(['queue'])
})

it('a submission that is resent after its run has ended creates no second run (case 11)', async () => {
  const [accepted] = await submitLosing({}, runEverything)
  expect(await t.count('runs')).toBe(1)
  expect(await t.places(accepted?.id as string)).toEqual(['outcomes'])
})

it('a key whose submission lost its answer is free after the end of the run', async () => {
  const [accepted] = await submitLosing({ key: 'k' }, runEverything)
  expect(accepted?.created).toBe(true)
  expect(await t.count('runs')).toBe(1)
  expect(await t.count('live_keys')).toBe(0)
  expect(await t.store.submit(submissions([{ key: 'k' }]))).toMatchObject([{ created: true }])
})

it('a key whose submission lost its answer stays with its live run', async () => {
  const [accepted] = await submitLosing({ key: 'k' }, async () => undefined)
  expect(accepted?.created).toBe(true)
  expect(await t.store.submit(submissions([{ key: 'k' }]))).toEqual([
    { id: accepted?.id, created: false, outcome: 'existing' },
  ])
})

it.each([
  ['success', succeeded, /settle-all-succeeded/, 'outcomes'],
  ['retry', (run: ClaimedRun) => retry(run, FAR), COMMIT, 'queue'],
  ['death', dead, /settle-dead/, 'outcomes'],
] as const)('a %s whose answer is lost is accepted once (case 11)', async (...row) => {
  const [, settlementOf, step, place] = row
  const run = await running()
  const refused = await losing(step, () => store.work.settle(session, [settlementOf(run)]))
  expect(refused).toEqual([])
  expect(await t.places(run.id)).toEqual([place])
  expect(await t.count('stale_settles')).toBe(0)
})

it('a claim whose answer is lost is found as a stray lease and given back (cases 7, 11)', async () => {
  const id = await t.submit()
  await losing(/claim-runs/, () => expect(t.claim(session, 1, store)).rejects.toThrow())
  expect(await t.places(id)).toEqual(['leases'])
  const strays = await store.work.strayLeases(session, [])
  expect(strays.map((stray) => stray.id)).toEqual([id])
  await losing(COMMIT, () => store.work.giveBack(strays))
  expect(await t.places(id)).toEqual(['queue'])
  const { runs } = await t.claim(session, 1, store)
  expect(runs).toMatchObject([{ id, attempt: 0, crashes: 0 }])
})

it('a claim whose answer is lost is reaped when its worker dies (case 11)', async () => {
  const id = await t.submit()
  await losing(/claim-runs/, () => expect(t.claim(session, 10, store)).rejects.toThrow())
  expect(await t.places(id)).toEqual(['leases'])
  expect(await store.work.strayLeases(session, [])).toHaveLength(1)
  await t.expire(session)
  await t.reap([session])
  await runEverything()
  expect(await t.places(id)).toEqual(['outcomes'])
  expect(await checkInvariants(t.sql)).toEqual([])
})

it('a start mark whose answer is lost starts nothing, and its run is given back (case 11)', async () => {
  const run = await running({ delivery: 'at-most-once' })
  const marked = await losing(/mark/, () => store.work.markStarted([run]).catch(() => null))
  expect(marked).toBeNull()
  await store.work.giveBack([run])
  await t.expire(session)
  await t.reap([session])
  expect(await t.places(run.id)).toEqual(['queue'])
  await runEverything()
  expect(await checkInvariants(t.sql)).toEqual([])
})

it('a renewal whose answer is lost can be repeated (case 11)', async () => {
  const renewed = await losing(/renew/, () => store.work.renewSession(session).catch(() => null))
  expect(renewed).toBeNull()
  expect(await store.work.renewSession(session)).toEqual({ drains: false })
})

it('a session whose reaping lost its answer is reaped once (case 11)', async () => {
  const run = await running()
  await t.expire(session)
  await losing(/reap-sessions/, () => expect(store.upkeep.reap([session], 3)).rejects.toThrow())
  expect(await store.upkeep.reap([session], 3)).toMatchObject({ sessions: 0, returned: 0 })
  const again = await t.claim(await t.session(), 1)
  expect(again.runs).toMatchObject([{ id: run.id, attempt: 1, crashes: 1 }])
})

it('a plan whose answer is lost decides each slot once (case 11)', async () => {
  const jobId = await t.job({ every: '5s' })
  const planner = plannerOf({ store, alone: true, aheadMs: 60_000 })
  await losing(COMMIT, () => planAll(planner))
  await planAll(planner)
  const { rows } = await t.sql.query(
    `select count(*)::int as slots, count(distinct slot_at)::int as instants,
       (select count(*)::int from punctual.runs where job_id = $1) as runs
     from punctual.slots where job_id = $1`,
    [jobId],
  )
  const { slots } = rows[0]
  expect(slots).toBeGreaterThan(5)
  expect(rows[0]).toEqual({ slots, instants: slots, runs: slots })
  expect(await checkInvariants(t.sql)).toEqual([])
})

it('a group whose answers are lost is made, extended, closed and finished once (case 11)', async () => {
  const member = (key: string) => submissions([{ delayMs: FAR, key }])
  const callback = { call: '{"handler":"test","options":{"delayMs":30000}}', payload: '1' }
  const first = [...member('g1'), ...member('g2')]
  const group = { name: null, callback, open: true, submissions: first }
  const { id, accepted } = await losing(COMMIT, () => store.groups.make(group, 1, {}))
  const more = await losing(COMMIT, () => store.groups.add(id, member('g3'), 1, {}))
  await losing(COMMIT, () => store.groups.close(id, 1, {}))
  const ids = [...accepted, ...more].map(({ id, created }) => [id, created])
  const members = await store.groups.reader.members(id, { fromPlace: 0, limit: 10 }, 1)
  expect(ids).toEqual(members.map((member) => [member.id, true]))
  await t.store.steering.cancelWaiting(
    members.map((member) => member.id),
    'ended',
  )
  await losing(COMMIT, () => store.groups.look())
  expect(await store.groups.look()).toMatchObject({ open: 0, done: 0 })
  expect(await t.count('runs')).toBe(4)
  expect(await store.groups.reader.find(id, 1)).toMatchObject({ total: 3, done: true })
})

it('a group whose answer is lost returns its members, also runs that existed before (case 11)', async () => {
  const taken = await t.store.submit(submissions([{ key: 'live' }, { key: 'changed' }]))
  const replace = { key: 'changed', onConflict: 'replace' } as const
  const runs = submissions([{}, { key: 'live' }, { key: 'new' }, { key: 'new' }, replace])
  const group = { name: null, callback: null, open: true, submissions: runs }
  const { id, accepted } = await losing(COMMIT, () => store.groups.make(group, 1, {}))
  const added = await losing(COMMIT, () => store.groups.add(id, runs, 1, {}))
  const [live, changed] = taken.map((run) => run.id)
  const created = accepted[2]?.id
  expect(accepted.map((run) => run.outcome)).toEqual([
    ...['created', 'existing', 'created', 'existing', 'replaced'],
  ])
  expect(accepted.slice(1).map((run) => run.id)).toEqual([live, created, created, changed])
  expect(added.slice(1).map((run) => run.id)).toEqual([live, created, created, changed])
  const { rows } = await t.sql.query('select run_id from punctual.group_members order by place')
  const members = [...accepted, ...added].map((run) => run.id)
  expect(rows.map((row) => row.run_id)).toEqual([...new Set(members)])
  for (const member of members) expect(await t.places(member)).toEqual(['queue'])
})
