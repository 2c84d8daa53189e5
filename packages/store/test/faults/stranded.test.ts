/**
 * Connections that are dead and do not know: the host on the way is gone, nothing is reset, and new connections are
 * fine. Whoever has one notices by its own deadlines, and goes on with another.
 */
import { connect, createServer, type Server, type Socket } from 'node:net'
import { encodeJson } from '@punctual/core/check'
import { compileOptions } from '@punctual/core/submit'
import { PostgresStore, systemClock, systemRandom } from '@punctual/store'
import { eventually, succeeded, TestStore } from '@punctual/testkit'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { planAll, plannerOf } from '../kit/planning-kit.ts'

/** Of each statement, and shorter than of any other test. */
const TIMEOUT_MS = 1_500

let t: TestStore
let relay: Server
let store: PostgresStore
const sockets = new Set<Socket>()

beforeEach(async () => {
  t = await TestStore.open()
  const url = new URL(t.url)
  const port = Number(url.port)
  relay = createServer((client) => {
    const server = connect(port, '127.0.0.1')
    client.pipe(server).pipe(client)
    for (const socket of [client, server]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
    }
  })
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve))
  url.port = String((relay.address() as { port: number }).port)
  const ports = { clock: systemClock, random: systemRandom, node: 'n' }
  store = new PostgresStore({ url: url.href, timeoutMs: TIMEOUT_MS, ...ports })
})
afterEach(async () => {
  const closed = new Promise((resolve) => relay.close(resolve))
  for (const socket of sockets) socket.destroy()
  sockets.clear()
  await store.close()
  await closed
  await t.close()
})

/** Whatever is connected now is never heard of again. */
function strand(): void {
  for (const socket of sockets) {
    socket.unpipe()
    socket.pause()
  }
}

const submit = (key: string | null) =>
  store.submit([
    { options: compileOptions('test', key === null ? {} : { key }), payload: encodeJson(1) },
  ])

it.each([null, 'k'])('a submission with the key %s goes on (case 62)', async (key) => {
  await submit(key)
  strand()
  const [run] = await submit(key && `${key}2`)
  expect(await t.places(run?.id as string)).toEqual(['queue'])
})

it('planning goes on, and has each slot once (case 62)', async () => {
  await t.job({ every: '5s' })
  const planner = (aheadMs: number) => plannerOf({ store, alone: true, aheadMs })
  await planAll(planner(10_000))
  const before = await t.count('slots')
  strand()
  const again = planner(60_000)
  await eventually('it plans', () =>
    planAll(again).then(
      () => true,
      () => false,
    ),
  )
  expect(await t.count('slots')).toBeGreaterThan(before)
})

it('claiming, settling and transactions of handlers go on (case 62)', async () => {
  const session = await t.session()
  const [first, second] = [await t.running(session), await t.running(session)]
  await store.work.settle(session, [succeeded(first)])
  await store.succeedWith(
    second,
    session,
    () => 1,
    async () => null,
  )
  strand()
  const [third, fourth] = [await t.running(session), await t.running(session)]
  expect(await store.work.settle(session, [succeeded(third)])).toEqual([])
  // It finds its connection dead before its work began, and opens another.
  const work = vi.fn(async () => 'done')
  expect(await store.succeedWith(fourth, session, () => 1, work)).toBe('done')
  expect(work).toHaveBeenCalledTimes(1)
})
