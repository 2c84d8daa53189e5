/** Which address a request really connects to, and what happens on connections that are reused. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  type HttpPeer,
  httpExecutor,
  openPeer,
  performOnce,
} from '../../../test/executors/http-peer.ts'
import { recordedCall } from '../../../test/executors/recorded-call.ts'
import type { Resolve } from '../egress/guarded-lookup.ts'

let peer: HttpPeer

beforeEach(async () => {
  peer = await openPeer((_, __, response) => response.end('ok'))
})
afterEach(() => peer.close())

const target = (host: string, more = {}) =>
  ({ kind: 'http', url: `http://${host}:${peer.port}/`, ...more }) as const

/** Answers with these lists of addresses in turn, and counts the questions. */
function answering(...answers: readonly (readonly string[])[]) {
  const questions: string[] = []
  const resolve: Resolve = (host, callback) => {
    const addresses = answers[Math.min(questions.push(host), answers.length) - 1] ?? []
    const family = (address: string) => (address.includes(':') ? 6 : 4)
    callback(
      null,
      addresses.map((address) => ({ address, family: family(address) })),
    )
  }
  return { questions, resolve }
}

test('a name that leads to a closed address is refused, and nothing is sent (case 132)', async () => {
  const { resolve } = answering(['127.0.0.1'])
  const allowed = [`rebind.example:${peer.port}`.replace('rebind', 'other')]
  expect(await performOnce(target('rebind.example'), { resolve, allowed })).toMatchObject({
    ...{ kind: 'failed', reached: 'no', retry: false, failure: { code: 'egress_refused' } },
  })
  expect(peer.requests).toHaveLength(0)
  expect(peer.sockets.size).toBe(0)
})

test('a mixed answer of a public and a closed address is refused as a whole (case 132)', async () => {
  const { resolve } = answering(['93.184.216.34', '10.0.0.1'])
  const outcome = await performOnce(
    { kind: 'http', url: 'http://mixed.example/' },
    { resolve, allowed: [] },
  )
  expect(outcome).toMatchObject({ reached: 'no', failure: { code: 'egress_refused' } })
  expect(outcome).toMatchObject({ failure: { message: expect.stringContaining('10.0.0.1') } })
})

test('a name is resolved once for a connection: a second answer is never used (case 132)', async () => {
  const { resolve, questions } = answering(['127.0.0.1'], ['10.0.0.1'])
  const outcome = await performOnce(target('pinned.example'), { resolve, allowed: ['127.0.0.1:*'] })
  expect(outcome).toMatchObject({ kind: 'succeeded' })
  expect(questions).toEqual(['pinned.example'])
  expect(peer.requests[0]?.headers.host).toBe(`pinned.example:${peer.port}`)
})

test('an address that is another one after its check is refused when it is connected (case 132)', async () => {
  let reads = 0
  const changing = {
    family: 4,
    get address() {
      return reads++ === 0 ? '93.184.216.34' : '127.0.0.1'
    },
  }
  const resolve: Resolve = (_, callback) => callback(null, [changing])
  const outcome = await performOnce(target('changing.example'), {
    ...{ resolve, allowed: ['93.184.216.34:*'] },
  })
  expect(outcome).toMatchObject({ reached: 'no', failure: { code: 'egress_refused' } })
  expect(peer.requests).toHaveLength(0)
})

test('a name without an address is a failure that may pass', async () => {
  const { resolve } = answering([])
  const outcome = await performOnce(target('nowhere.example'), { resolve })
  expect(outcome).toMatchObject({ reached: 'no', failure: { code: 'ENOTFOUND' } })
  expect(outcome).not.toMatchObject({ retry: false })
})

test('requests to an origin share a connection, and tenants do not share one', async () => {
  const executor = httpExecutor()
  const perform = async (tenantId: number) => {
    const execution = await executor.prepare(target('127.0.0.1'), recordedCall({ tenantId }))
    return execution.execute(new AbortController().signal, '1')
  }
  for (let i = 0; i < 9; i++) expect(await perform(1)).toMatchObject({ kind: 'succeeded' })
  const shared = peer.sockets.size
  // The connection of the request before may not be free yet.
  expect(shared).toBeLessThanOrEqual(2)
  await perform(2)
  expect(peer.sockets.size).toBe(shared + 1)
  await executor.close()
  await expect.poll(() => peer.sockets.size).toBe(0)
})

test('a receiver that dedupes sees one effect of a request that was answered too late (case 143)', async () => {
  await peer.close()
  const effects = new Set<string>()
  let answers = false
  peer = await openPeer(({ headers }, _, response) => {
    effects.add(String(headers['idempotency-key']))
    if (answers) response.end('ok')
  })
  const attempt = (number: number) =>
    performOnce(target('127.0.0.1', { totalTimeoutMs: 50 }), {
      call: recordedCall({ attempt: number, runId: 'run-9' }),
    })
  expect(await attempt(1)).toMatchObject({ kind: 'failed', reached: 'perhaps' })
  answers = true
  expect(await attempt(2)).toMatchObject({ kind: 'succeeded' })
  expect(peer.requests).toHaveLength(2)
  expect([...effects]).toEqual(['run-9'])
})
