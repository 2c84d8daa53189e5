/** The answers to remote claims are bounded in bytes, one by one and together. */
import { once } from 'node:events'
import { request } from 'node:http'
import { limits } from '@punctual/core/errors'
import { systemClock } from '@punctual/store'
import { eventually, TestStore } from '@punctual/testkit'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { RemoteNode } from '../kit/remote-kit.ts'

const LARGE = 'x'.repeat(1_048_560)

let t: TestStore
let node: RemoteNode
let session: string

beforeAll(async () => {
  t = await TestStore.open()
  node = await RemoteNode.open(t.store)
})
beforeEach(async () => {
  session = await node.session()
})
afterEach(() => t.emptyPlaces())
afterAll(async () => {
  await node.close()
  await t.close()
})

interface Wire {
  readonly run_id: string
  readonly fence: string
  readonly payload: string
}

const post = (verb: string, body: object) => node.ask('POST', `/${session}/${verb}`, body)
const bytesOf = (runs: readonly Wire[]) =>
  runs.reduce((sum, { payload }) => sum + JSON.stringify(payload).length, 0)

it('a claim of 1,500 is answered with at most the bytes of one answer', async () => {
  for (let i = 0; i < 30; i++) await t.submit({ payload: LARGE })
  const { body } = await post('claim', { limit: 1_500 })
  expect(body.runs).toHaveLength(16)
  expect(bytesOf(body.runs)).toBeLessThanOrEqual(limits.claimBytes)
  expect(body.more).toBe(true)
  expect(await t.count('leases')).toBe(16)
})

it('runs whose answer was lost come back in answers of bounded size, until none is left', async () => {
  for (let i = 0; i < 20; i++) await t.submit({ payload: LARGE })
  for (let i = 0; i < 2; i++) await post('claim', { limit: 1_500 })
  expect(await t.count('leases')).toBe(20)
  const held: string[] = []
  const sizes: number[] = []
  for (let answers = 0; answers < 3; answers++) {
    const { body } = await post('claim', { limit: 0, held })
    expect(bytesOf(body.runs)).toBeLessThanOrEqual(limits.claimBytes)
    sizes.push(body.runs.length)
    held.push(...body.runs.map(({ fence }: Wire) => fence))
  }
  expect(sizes).toEqual([16, 4, 0])
  const { rows } = await t.sql.query('select fence::text from punctual.leases')
  expect(rows.map(({ fence }) => fence).sort()).toEqual(held.sort())
})

it('failed outcomes are decided without loading payloads', async () => {
  await t.submit({ payload: LARGE, maxAttempts: 2 })
  const { body } = await post('claim', { limit: 1 })
  const [{ run_id, fence }] = body.runs as [Wire]
  const { define } = t.store.remoteSessions
  let defined = 0
  t.store.remoteSessions.define = (leases) => {
    defined += leases.length
    return define.call(t.store.remoteSessions, leases)
  }
  const outcome = { run_id, fence, outcome: 'failed', error: { name: 'Error', message: 'no' } }
  const settled = await post('settle', { outcomes: [{ ...outcome, started_ms_ago: 1 }] })
  t.store.remoteSessions.define = define
  expect(settled.body.results).toMatchObject([{ run_id, accepted: true, state: 'retrying' }])
  expect(defined).toBe(0)
})

it('clients that do not read their answers do not make a node assemble more of them', async () => {
  for (let i = 0; i < 120; i++) await t.submit({ payload: LARGE })
  const { port } = new URL(node.url)
  const body = JSON.stringify({ limit: 1_500, wait_ms: 20_000 })
  const headers = {
    authorization: 'Bearer tenant-1',
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  }
  const path = `/v1/worker-sessions/${session}/claim`
  const requests = Array.from({ length: 8 }, () => {
    const slow = request({ host: '127.0.0.1', port, path, method: 'POST', headers, agent: false })
    slow.on('error', () => undefined).end(body)
    // The response is never read.
    slow.on('response', (response) => response.pause())
    return slow
  })
  const share = limits.answerBytes / 2 / limits.claimBytes
  await eventually('the share of the tenant is used', async () => {
    return (await t.count('leases')) === share * 16
  })
  const other = await post('claim', { limit: 1 })
  expect(other.body).toMatchObject({ runs: [], more: true })
  expect(await t.count('leases')).toBe(share * 16)
  for (const slow of requests) slow.destroy()
  await eventually('a claim gets its turn again', async () => {
    return (await post('claim', { limit: 1 })).body.runs.length === 1
  })
})

it('a client that does not read the answer to a claim loses its connection after 60 seconds', async () => {
  const timers: { ms: number; fire: () => void }[] = []
  const after = (ms: number, fire: () => void) => {
    timers.push({ ms, fire })
    return systemClock.after(ms, fire)
  }
  const clock = Object.assign(Object.create(systemClock), { after }) as typeof systemClock
  const timed = await RemoteNode.open(t.store, clock)
  const own = await timed.session()
  for (let i = 0; i < 16; i++) await t.submit({ payload: LARGE })
  const { hostname: host, port } = new URL(timed.url)
  const headers = { authorization: 'Bearer tenant-1', 'content-type': 'application/json' }
  const path = `/v1/worker-sessions/${own}/claim`
  const slow = request({ host, port, path, method: 'POST', headers, agent: false })
  slow.end(JSON.stringify({ limit: 16, wait_ms: 10_000 }))
  const [response] = await once(slow, 'response')
  response.pause()
  const lost = once(response, 'error')
  const timer = timers.find(({ ms }) => ms === 60_000)
  timer?.fire()
  response.resume()
  expect(((await lost)[0] as NodeJS.ErrnoException).code).toBe('ECONNRESET')
  await timed.close()
})
