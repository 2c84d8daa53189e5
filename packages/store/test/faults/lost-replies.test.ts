/** The server commits and its answer is lost, on a real wire (RELIABILITY case 11). */
import type { Settlement } from '@punctual/core/ports'
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

let t: TestStore
let proxy: TcpProxy
let store: PostgresStore

beforeEach(async () => {
  t = await TestStore.open()
  const url = new URL(t.url)
  const port = Number(url.port)
  proxy = await TcpProxy.start([() => port])
  url.port = String(proxy.ports[0])
  store = new PostgresStore({ url: url.href, clock: systemClock, random: systemRandom, node: 'n' })
})
afterEach(async () => {
  await store.close()
  await proxy.close()
  await t.close()
})

const never = new AbortController().signal

/** Submits; the answer to its commit is lost, and nothing passes until the work is done. */
async function submitLosing(options: { key?: string }, meanwhile: () => Promise<void>) {
  const lost = proxy.loseCommitReply((writes) => /commit|submit/.test(writes), never)
  const submitted = store.submit([{ options: compileOptions('test', options), payload: '1' }])
  expect(await lost).not.toBeNull()
  proxy.hold('up')
  await meanwhile()
  proxy.mend()
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

it('a submission whose answer is lost is one run, also when it has ended before it is sent again (case 11)', async () => {
  const [accepted] = await submitLosing({}, runEverything)
  expect(await t.count('runs')).toBe(1)
  expect(await t.places(accepted?.id as string)).toEqual(['outcomes'])
})

it('a key is free after the end of its run, also when the answer to its submission was lost', async () => {
  const [accepted] = await submitLosing({ key: 'k' }, runEverything)
  expect(accepted?.created).toBe(true)
  expect(await t.count('runs')).toBe(1)
  expect(await t.count('live_keys')).toBe(0)
  const options = compileOptions('test', { key: 'k' })
  expect(await t.store.submit([{ options, payload: '2' }])).toMatchObject([{ created: true }])
})

it('a key stays with its run, when the answer to its submission was lost and it has not ended', async () => {
  const [accepted] = await submitLosing({ key: 'k' }, async () => undefined)
  expect(accepted?.created).toBe(true)
  const options = compileOptions('test', { key: 'k' })
  expect(await t.store.submit([{ options, payload: '2' }])).toEqual([
    { id: accepted?.id, created: false, outcome: 'existing' },
  ])
})

/** Does something of which the answer to the commit is lost; returns what it came to. */
async function losing<T>(step: RegExp, act: () => Promise<T>): Promise<T> {
  const lost = proxy.loseCommitReply((writes) => step.test(writes), never)
  const result = await act()
  expect(await lost).not.toBeNull()
  return result
}

it.each(['success', 'retry', 'death'] as const)(
  'a %s whose answer is lost is accepted once, and its worker is told so (case 11)',
  async (kind) => {
    await installWitness(t.sql)
    const session = await t.session()
    const run = await t.running(session)
    const of = { success: succeeded, retry, death: dead } as const
    const settlement: Settlement = of[kind](run)
    const refused = await losing(/settle|commit/, () => store.work.settle(session, [settlement]))
    expect(refused).toEqual([])
    expect(await t.places(run.id)).toEqual([kind === 'retry' ? 'queue' : 'outcomes'])
    expect(await checkInvariants(t.sql)).toEqual([])
  },
)

const submissions = (options: readonly SubmitOptions[]) =>
  options.map((each) => ({ options: compileOptions('test', each), payload: '1' }))

it('a group whose answer is lost names the runs that are its members, also those that were there (case 11)', async () => {
  const taken = await t.store.submit(submissions([{ key: 'live' }, { key: 'changed' }]))
  const replace = { key: 'changed', onConflict: 'replace' } as const
  const runs = submissions([{}, { key: 'live' }, { key: 'new' }, { key: 'new' }, replace])
  const group = { name: null, callback: null, open: true, submissions: runs }
  const { id, accepted } = await losing(/commit/, () => store.groups.make(group, 1))
  const added = await losing(/commit/, () => store.groups.add(id, runs, 1))
  const [live, changed] = taken.map((run) => run.id)
  const made = accepted[2]?.id
  expect(accepted.map((run) => run.outcome)).toEqual([
    ...['created', 'existing', 'created', 'existing', 'replaced'],
  ])
  expect(accepted.slice(1).map((run) => run.id)).toEqual([live, made, made, changed])
  expect(added.slice(1).map((run) => run.id)).toEqual([live, made, made, changed])
  const { rows } = await t.sql.query('select run_id from punctual.group_members order by place')
  const members = [...accepted, ...added].map((run) => run.id)
  expect(rows.map((row) => row.run_id)).toEqual([...new Set(members)])
  for (const member of members) expect(await t.places(member)).toEqual(['queue'])
})

it('a start mark whose answer is lost starts nothing, and its run is given back (case 11)', async () => {
  await installWitness(t.sql)
  const session = await t.session()
  const run = await t.running(session, { delivery: 'at-most-once' })
  const marked = await losing(/mark/, () => store.work.markStarted([run]).catch(() => null))
  expect(marked).toBeNull()
  await store.work.giveBack([run])
  await t.expire(session)
  await t.reap([session])
  expect(await t.places(run.id)).toEqual(['queue'])
  await runEverything()
  expect(await checkInvariants(t.sql)).toEqual([])
})

it('a renewal whose answer is lost is made again (case 11)', async () => {
  const session = await t.session()
  const renewed = await losing(/renew/, () => store.work.renewSession(session).catch(() => null))
  expect(renewed).toBeNull()
  expect(await store.work.renewSession(session)).toEqual({ drains: false })
})

it('a claim whose answer is lost is found again by who made it, or taken back (case 11)', async () => {
  await installWitness(t.sql)
  const session = await t.session()
  const id = await t.submit()
  const claimed = await losing(/claim/, () => t.claim(session, 10, store).catch(() => null))
  expect(claimed).toBeNull()
  expect(await t.places(id)).toEqual(['leases'])
  expect(await store.work.strayLeases(session, [])).toHaveLength(1)
  await t.expire(session)
  await t.reap([session])
  await runEverything()
  expect(await t.places(id)).toEqual(['outcomes'])
  expect(await checkInvariants(t.sql)).toEqual([])
})

it('a plan whose answer is lost has each slot once (case 11)', async () => {
  await installWitness(t.sql)
  const job = await t.job({ every: '5s' })
  const planner = plannerOf({ store, alone: true, aheadMs: 60_000 })
  await losing(/slots|commit/, () => planAll(planner).catch(() => undefined))
  await planAll(planner)
  const { rows } = await t.sql.query(
    `select count(*)::int as slots, count(distinct slot_at)::int as times,
       (select count(*)::int from punctual.runs where job_id = $1) as runs
     from punctual.slots where job_id = $1`,
    [job],
  )
  expect(rows[0].slots).toBeGreaterThan(5)
  expect(rows[0]).toEqual({ slots: rows[0].slots, times: rows[0].slots, runs: rows[0].slots })
  expect(await checkInvariants(t.sql)).toEqual([])
})
