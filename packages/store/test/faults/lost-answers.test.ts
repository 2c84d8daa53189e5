/**
 * The answer to a commit is lost: the database has done it, and the caller does not know. A proxy that understands
 * just enough of the protocol lets the statement through, waits until the server says that the transaction is over,
 * and cuts the connection instead of passing that on. What happened must be read, not guessed.
 */
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import type { ClaimedRun } from '@punctual/core/ports'
import { compileOptions } from '@punctual/core/submit'
import { PostgresStore, systemClock, systemRandom } from '@punctual/store'
import {
  checkInvariants,
  dead,
  installWitness,
  retry,
  succeeded,
  TestStore,
} from '@punctual/testkit'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { planAll, plannerOf } from '../kit/planning-kit.ts'

/** ReadyForQuery, and no transaction is open. */
const IDLE = Buffer.from([0x5a, 0, 0, 0, 5, 0x49])

/** As a statement of its own, which ends with a zero; `read committed` is none. */
const COMMIT = 'commit\u0000'

let t: TestStore
let proxy: Server
let store: PostgresStore
let session: string
/** The next statement that has this in it is done, and its answer is lost. */
let marker: string | null = null
let swallowed = 0

function relay(client: Socket): void {
  const { port, hostname } = new URL(t.url)
  const server = connect(Number(port), hostname)
  let answer: Buffer | null = null
  const end = () => {
    client.destroy()
    server.destroy()
  }
  client.on('data', (sent) => {
    if (marker !== null && sent.includes(marker)) {
      marker = null
      answer = Buffer.alloc(0)
    }
    server.write(sent)
  })
  server.on('data', (received) => {
    if (answer === null) return void client.write(received)
    answer = Buffer.concat([answer, received])
    if (!answer.subarray(-IDLE.length).equals(IDLE)) return
    swallowed++
    end()
  })
  for (const socket of [client, server]) {
    socket.on('error', end)
    socket.on('close', end)
  }
}

beforeAll(async () => {
  t = await TestStore.open()
  await installWitness(t.sql)
  proxy = createServer(relay)
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const url = new URL(t.url)
  url.port = String((proxy.address() as AddressInfo).port)
  const options = { clock: systemClock, random: systemRandom, node: systemRandom.token() }
  store = new PostgresStore({ url: url.href, ...options })
  // What is interned once is not what is lost below.
  await store.submit([{ options: compileOptions('elsewhere', { delayMs: 30_000 }), payload: '1' }])
})
afterAll(async () => {
  await store.close()
  await new Promise((resolve) => proxy.close(resolve))
  await t.close()
})
beforeEach(async () => {
  session = await t.session(600_000, store)
})

async function losing<T>(of: string, act: () => Promise<T>): Promise<T> {
  const before = swallowed
  marker = of
  const result = await act()
  expect(swallowed, 'an answer was lost').toBe(before + 1)
  expect(await checkInvariants(t.sql)).toEqual([])
  return result
}

/** A run that is held, claimed through the proxy. */
async function running(): Promise<ClaimedRun> {
  const id = await t.submit()
  const { runs } = await t.claim(session, 1, store)
  expect(runs.map((run) => run.id)).toEqual([id])
  return runs[0] as ClaimedRun
}

const stale = () => t.count('stale_settles')

it.each([
  ['without a key', {}, 'submit/insert'],
  ['with a key', { key: 'k' }, COMMIT],
] as const)('a submission %s makes one run (case 11)', async (_, options, of) => {
  const submission = {
    options: compileOptions('elsewhere', { delayMs: 30_000, ...options }),
    payload: '1',
  }
  const before = await t.count('runs')
  const [accepted] = await losing(of, () => store.submit([submission]))
  expect(accepted).toMatchObject({ created: true })
  expect(await t.count('runs')).toBe(before + 1)
  expect(await t.places(accepted?.id as string)).toEqual(['queue'])
})

it.each([
  ['a success', succeeded, 'work/settle-all-succeeded', 'outcomes'],
  ['a retry', (run: ClaimedRun) => retry(run, 30_000), 'work/settle-retry', 'queue'],
  ['a death', dead, 'work/settle-dead', 'outcomes'],
] as const)(
  '%s is settled once, and not taken for refused (case 11)',
  async (_, of, name, place) => {
    const run = await running()
    const before = await stale()
    expect(await losing(name, () => store.work.settle(session, [of(run)]))).toEqual([])
    expect(await t.places(run.id)).toEqual([place])
    expect(await stale()).toBe(before)
  },
)

it('what was claimed and not told is found, and given back (cases 7, 11)', async () => {
  const id = await t.submit()
  await losing('work/claim-runs', () => expect(t.claim(session, 1, store)).rejects.toThrow())
  expect(await t.places(id)).toEqual(['leases'])
  const strays = await store.work.strayLeases(session, [])
  expect(strays.map((stray) => stray.id)).toEqual([id])
  await losing('work/give-back-runs', () => store.work.giveBack(strays))
  expect(await t.places(id)).toEqual(['queue'])
  const { runs } = await t.claim(session, 1, store)
  expect(runs).toMatchObject([{ id, attempt: 0, crashes: 0 }])
  await store.work.settle(session, [succeeded(runs[0] as ClaimedRun)])
})

it('what was reaped is reaped once (case 11)', async () => {
  const run = await running()
  await t.expire(session)
  await losing('upkeep/reap-sessions', () =>
    expect(store.upkeep.reap([session], 3)).rejects.toThrow(),
  )
  expect(await store.upkeep.reap([session], 3)).toMatchObject({ sessions: 0, returned: 0 })
  const again = await t.claim(await t.session(), 1)
  expect(again.runs).toMatchObject([{ id: run.id, attempt: 1, crashes: 1 }])
})

it('slots are planned once (case 11)', async () => {
  const jobId = await t.job({ name: 'lost', handler: 'planned', every: '5s' })
  await losing(COMMIT, () => planAll(plannerOf({ store, alone: true })))
  const { rows } = await t.sql.query(
    'select count(*)::int as slots, count(distinct slot_at)::int as instants from punctual.slots where job_id = $1',
    [jobId],
  )
  expect(rows[0].slots).toBeGreaterThan(2)
  expect(rows[0].instants).toBe(rows[0].slots)
})

it('a group is made, added to and finished once (case 11)', async () => {
  const run = (key: string) => ({
    options: compileOptions('elsewhere', { delayMs: 30_000, key }),
    payload: '1',
  })
  const callback = { call: '{"handler":"elsewhere","options":{"delayMs":30000}}', payload: '1' }
  const group = { name: null, callback, open: true, submissions: [run('g1'), run('g2')] }
  const before = await t.count('runs')
  const { id, accepted } = await losing(COMMIT, () => store.groups.make(group, 1))
  const more = await losing(COMMIT, () => store.groups.add(id, [run('g3')], 1))
  await losing(COMMIT, () => store.groups.close(id, 1))
  const ids = [...accepted, ...more].map(({ id, created }) => [id, created])
  const members = await store.groups.reader.members(id, { fromPlace: 0, limit: 10 }, 1)
  expect(ids).toEqual(members.map((member) => [member.id, true]))
  await t.store.steering.cancelWaiting(
    members.map((member) => member.id),
    'ended',
  )
  await losing(COMMIT, () => store.groups.look())
  expect(await store.groups.look()).toMatchObject({ open: 0, done: 0 })
  expect(await t.count('runs')).toBe(before + 4)
  expect(await store.groups.reader.find(id, 1)).toMatchObject({ total: 3, done: true })
})

it('a key is taken although a connection answers nothing any more (case 74)', async () => {
  const options = compileOptions('elsewhere', { delayMs: 30_000, key: 'black hole' })
  // A transaction that has begun is not over: the proxy waits for its end, and passes nothing on.
  marker = 'begin isolation'
  const [accepted] = await store.submit([{ options, payload: '1' }])
  expect(accepted).toMatchObject({ created: true })
  expect(marker).toBeNull()
  expect(await t.places(accepted?.id as string)).toEqual(['queue'])
})
