import { compileOptions } from '@punctual/core/submit'
import { eventually, TestStore } from '@punctual/testkit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Hint } from '../../src/connection/hints/read-hint.ts'

let t: TestStore
beforeAll(async () => {
  t = await TestStore.open()
})
afterAll(() => t.close())

it('another process gets hints of every submission and of new lanes', async () => {
  const other = t.another()
  const hints: Hint[] = []
  other.signals.onHint((hint) => hints.push(hint))
  other.signals.listen()
  await other.work.lanes([], [])
  await eventually('the store listens', () => other.signals.connected)
  hints.length = 0
  await t.submit()
  await eventually('the hint of the new lane', () => hints.some((hint) => hint.newLane))
  const lane = (await t.lanes())[0]?.id as number
  for (let i = 0; i < 5; i++) {
    hints.length = 0
    await t.submit()
    await eventually(`the hint of submission ${i}`, () =>
      hints.some((hint) => hint.lanes?.includes(lane)),
    )
  }
  hints.length = 0
  t.store.signals.anything()
  await eventually('the hint without lanes', () => hints.some((hint) => hint.lanes === null))
})

it('a submission sends one hint to its own process, at once', async () => {
  const hints: Hint[] = []
  const stop = t.store.signals.onHint((hint) => hints.push(hint))
  await t.store.submit([{ options: compileOptions('test'), payload: '1' }])
  expect(hints.length).toBe(1)
  stop()
})

it('the reapers of all processes get a hint of a session whose lease is short, and of no other', async () => {
  const hints: Hint[] = []
  const other = t.another()
  other.signals.onHint((hint) => hints.push(hint))
  other.signals.listen()
  await other.work.lanes([], [])
  await eventually('the store listens', () => other.signals.connected)
  const own: Hint[] = []
  const stop = t.store.signals.onHint((hint) => own.push(hint))
  await t.session(15_000)
  expect(own).toEqual([])
  await t.session(3_000)
  expect(own).toMatchObject([{ leases: true }])
  await eventually('the hint arrives', () => hints.some(({ leases }) => leases === true))
  stop()
})

it('a process that changes jobs and ends at once still sends the hint', async () => {
  const hints: Hint[] = []
  const listening = t.another()
  listening.signals.onHint((hint) => hints.push(hint))
  listening.signals.listen()
  await listening.work.lanes([], [])
  await eventually('the store listens', () => listening.signals.connected)
  const brief = t.another()
  brief.signals.jobsChanged()
  await brief.close()
  await eventually('the hint arrives', () => hints.some(({ jobs }) => jobs === true))
})

it.each([
  '',
  'x',
  '- due',
  '- due ,,-1,nonsense',
  '- due 999999',
  '\\x00 jobs',
  '- unknown 1',
  '- due 1 5,x',
  '- due  1.5',
  '- due 1 0x',
  '- cancel not-a-run',
  'ü'.repeat(3_000),
])('an invalid hint is ignored: %j (case 85)', async (payload) => {
  const hints: Hint[] = []
  const listening = t.another()
  listening.signals.onHint((hint) => hints.push(hint))
  listening.signals.listen()
  await listening.work.lanes([], [])
  await eventually('the store listens', () => listening.signals.connected)
  await t.sql.query('select pg_notify($1, $2)', [listening.signals.channelName, payload])
  hints.length = 0
  const id = await t.submit()
  await eventually('valid hints still arrive', () => hints.length > 0)
  expect(await t.places(id)).toEqual(['queue'])
  // The connection that got the hint still claims.
  const { runs } = await t.claim(await t.session(), 10, listening)
  expect(runs.length).toBeGreaterThan(0)
  expect(listening.signals.connected).toBe(true)
})

it('notifications that are not hints are counted, and the first one is reported', async () => {
  const listening = t.another()
  const faults: string[] = []
  listening.database.onFault.push((where, error) => faults.push(`${where}: ${error}`))
  const hints: Hint[] = []
  listening.signals.onHint((hint) => hints.push(hint))
  listening.signals.listen()
  await listening.work.lanes([], [])
  await eventually('the store listens', () => listening.signals.connected)
  hints.length = 0
  for (let i = 0; i < 5; i++)
    await t.sql.query('select pg_notify($1, $2)', [listening.signals.channelName, `- due 1 x${i}`])
  await eventually('they are counted', () => listening.signals.malformed === 5)
  expect(hints).toEqual([])
  expect(faults).toHaveLength(1)
  expect(faults[0]).toMatch(/^hints: .*"- due 1 x0"/)
})

it('a listener that throws keeps no other listener from its hints, and no submission', async () => {
  const store = t.another()
  const faults: string[] = []
  store.database.onFault.push((where) => faults.push(where))
  const hints: Hint[] = []
  store.signals.onHint(() => {
    throw new Error('on purpose')
  })
  store.signals.onHint((hint) => hints.push(hint))
  const options = compileOptions('test')
  expect(await store.submit([{ options, payload: '1' }])).toHaveLength(1)
  expect(hints).toHaveLength(1)
  expect(faults).toEqual(['hints'])
})
