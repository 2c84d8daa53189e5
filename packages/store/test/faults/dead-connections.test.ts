/**
 * Connections that are dead without a reset, because a host on the way is gone, while new
 * connections work. The store detects them by its own timeouts and continues on new connections.
 */
import { connect, createServer, type Server, type Socket } from 'node:net'
import { encodeJson } from '@punctual/core/check'
import { compileOptions } from '@punctual/core/submit'
import { PostgresStore, systemClock, systemRandom } from '@punctual/store'
import { eventually, succeeded, TestStore } from '@punctual/testkit'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { planAll, plannerOf } from '../kit/planning-kit.ts'

/** The statement timeout, shorter than in other tests. */
const TIMEOUT_MS = 1_500

let t: TestStore
let relay: Server
let store: PostgresStore
const sockets = new Set<Socket>()
/** The connection that sends a statement with this text never gets another answer. */
let deadFrom: string | null = null

beforeEach(async () => {
  t = await TestStore.open()
  const url = new URL(t.url)
  const port = Number(url.port)
  relay = createServer((client) => {
    const server = connect(port, '127.0.0.1')
    client.on('data', (sent) => {
      if (deadFrom === null || !sent.includes(deadFrom)) return
      deadFrom = null
      server.unpipe()
    })
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

/** Silences all current connections for ever. */
function silence(): void {
  for (const socket of sockets) {
    socket.unpipe()
    socket.pause()
  }
}

const submit = (key: string | null) =>
  store.submit([
    { options: compileOptions('test', key === null ? {} : { key }), payload: encodeJson(1) },
  ])

it.each([null, 'k'])(
  'a submission with key %s succeeds after its connections died (case 62)',
  async (key) => {
    await submit(key)
    silence()
    const [run] = await submit(key && `${key}2`)
    expect(await t.places(run?.id as string)).toEqual(['queue'])
  },
)

it('a key is taken although the connection that takes it dies in the transaction (case 74)', async () => {
  deadFrom = 'begin isolation'
  const [run] = await submit('k')
  expect(run).toMatchObject({ created: true })
  expect(deadFrom).toBeNull()
  expect(await t.places(run?.id as string)).toEqual(['queue'])
})

it('planning continues after its connections died, and decides each slot once (case 62)', async () => {
  await t.job({ every: '5s' })
  const planner = (aheadMs: number) => plannerOf({ store, alone: true, aheadMs })
  await planAll(planner(10_000))
  const before = await t.count('slots')
  silence()
  const again = planner(60_000)
  await eventually('the planner plans', () =>
    planAll(again).then(
      () => true,
      () => false,
    ),
  )
  expect(await t.count('slots')).toBeGreaterThan(before)
})

it('settles and handler transactions succeed after their connections died (case 62)', async () => {
  const session = await t.session()
  const [first, second] = [await t.running(session), await t.running(session)]
  await store.work.settle(session, [succeeded(first)])
  await store.handlerTransactions.succeedWith(
    second,
    session,
    () => 1,
    async () => null,
  )
  silence()
  const [third, fourth] = [await t.running(session), await t.running(session)]
  expect(await store.work.settle(session, [succeeded(third)])).toEqual([])
  // The store finds its connection dead before the handler's work begins, and opens another.
  const work = vi.fn(async () => 'done')
  expect(await store.handlerTransactions.succeedWith(fourth, session, () => 1, work)).toBe('done')
  expect(work).toHaveBeenCalledTimes(1)
})
