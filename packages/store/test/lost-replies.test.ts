/** The server commits and its answer is lost, on a real wire (RELIABILITY case 11). */
import { compileOptions } from '@punctual/core'
import { PostgresStore, systemClock, systemRandom } from '@punctual/store'
import { succeeded, TcpProxy, TestStore } from '@punctual/testkit'
import { afterEach, beforeEach, expect, it } from 'vitest'

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
    { id: accepted?.id, created: false },
  ])
})
