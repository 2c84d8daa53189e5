/** The client on a bad network: no request is lost, and none takes effect twice. */
import { type Fate, TcpProxy } from '@punctual/testkit'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { HttpKit } from '../../punctual/test/kit/http-kit.ts'
import { createClient, PunctualHttpError } from '../src/index.ts'

let kit: HttpKit

beforeAll(async () => {
  kit = await HttpKit.open({ roles: [] })
})
afterAll(() => kit.close())

/** A proxy in front of the API; `fateOf` decides about each request by its number. */
async function behind(fateOf: (n: number) => Fate) {
  const proxy = await TcpProxy.to(kit.url)
  onTestFinished(() => proxy.close())
  const seen: { readonly key: string | undefined; readonly fate: Fate }[] = []
  proxy.setFates(({ headers }) => {
    const fate = fateOf(seen.length)
    seen.push({ key: headers['idempotency-key'], fate })
    return fate
  })
  return { url: proxy.through(kit.url), seen }
}

function clientOf(url: string | string[], more: { retries?: number; timeoutMs?: number } = {}) {
  return createClient({ url, apiKey: kit.admin, retryDelayMs: 1, ...more })
}

/** The runs in the database, regardless of the answers that the client got. */
async function runsOf(handler: string): Promise<readonly { readonly id: string }[]> {
  const acme = await kit.punctual.tenants.get('acme')
  return kit.punctual.tenant(acme?.id as number).runs.list({ handler, limit: 1_000 })
}

describe('writes', () => {
  test('100 submissions through a proxy that drops answers are exactly 100 runs', async () => {
    const fates: Fate[] = ['lose', 'pass', 'cut', 'pass', 'refuse', 'busy', 'pass', 'lose', 'pass']
    const proxy = await behind((n) => fates[n % fates.length] as Fate)
    const client = clientOf(proxy.url, { retries: 20 })
    const submissions = Array.from({ length: 100 }, (_, n) =>
      client.runs.submit({ handler: 'lossy', payload: { n } }),
    )
    const runs = await Promise.all(submissions)
    expect(new Set(runs.map(({ id }) => id)).size).toBe(100)
    expect(proxy.seen.filter(({ fate }) => fate === 'lose').length).toBeGreaterThan(20)
    expect(new Set((await runsOf('lossy')).map(({ id }) => id))).toEqual(
      new Set(runs.map(({ id }) => id)),
    )
  })

  test('every write has a separate idempotency key, which its repetitions keep', async () => {
    const proxy = await behind((n) => (n % 2 === 0 ? 'lose' : 'pass'))
    const client = clientOf(proxy.url)
    await client.jobs.create({ name: 'kept', schedule: '0 9 * * *' })
    await client.jobs.pause('kept')
    await client.jobs.delete('kept')
    const keys = proxy.seen.map(({ key }) => key)
    expect(keys.map((key) => keys.indexOf(key))).toEqual([0, 0, 2, 2, 4, 4])
  })

  test('a bulk submission of 1,000 runs creates 1,000, although every first answer is lost', async () => {
    const proxy = await behind((n) => (n % 2 === 0 ? 'lose' : 'pass'))
    const items = Array.from({ length: 1_000 }, (_, n) => ({ handler: 'bulk', payload: n }))
    const answer = await clientOf(proxy.url).runs.submitMany(items, { itemsPerRequest: 300 })
    expect(answer).toMatchObject({ accepted: 1_000, refused: 0 })
    expect(proxy.seen).toHaveLength(8)
    expect(await runsOf('bulk')).toHaveLength(1_000)
  })

  test('the same idempotency key from two clients creates one run', async () => {
    const run = { handler: 'mine', payload: 1 }
    const [one, two] = [clientOf(kit.url), clientOf(kit.url)]
    const first = await one.runs.submit(run, { idempotencyKey: 'order-17' })
    expect(await two.runs.submit(run, { idempotencyKey: 'order-17' })).toEqual(first)
    expect(await runsOf('mine')).toHaveLength(1)
  })
})

describe('not retried:', () => {
  test('a refusal, which would be repeated', async () => {
    const proxy = await behind(() => 'pass')
    const refused = clientOf(proxy.url).jobs.get('nobody')
    await expect(refused).rejects.toMatchObject({ status: 404, code: 'job_not_found' })
    expect(proxy.seen).toHaveLength(1)
  })

  test('a request that has used all of its retries', async () => {
    const proxy = await behind(() => 'lose')
    const error = await clientOf(proxy.url, { retries: 2 })
      .runs.submit({ handler: 'never' })
      .catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(PunctualHttpError)
    expect(error).toMatchObject({ status: 0, code: 'connection_failed' })
    expect(proxy.seen).toHaveLength(3)
    expect(await runsOf('never')).toHaveLength(1)
  })

  test('a call that was aborted', async () => {
    const proxy = await behind(() => 'refuse')
    const leaving = new AbortController()
    const call = clientOf(proxy.url, { retries: 1_000_000 }).jobs.get('x', {
      signal: leaving.signal,
    })
    leaving.abort(new Error('enough'))
    await expect(call).rejects.toThrow('enough')
  })
})

describe('several addresses', () => {
  test('the next address is tried when one fails, and is tried first from then on', async () => {
    const dead = await behind(() => 'refuse')
    const alive = await behind(() => 'pass')
    const client = clientOf([dead.url, alive.url])
    await client.jobs.list().page()
    await client.jobs.list().page()
    expect([dead.seen.length, alive.seen.length]).toEqual([1, 2])
  })

  test('a write whose answer was lost at one address is not repeated at the other', async () => {
    const lossy = await behind(() => 'lose')
    const other = await behind(() => 'pass')
    const { id } = await clientOf([lossy.url, other.url]).runs.submit({ handler: 'moved' })
    expect((await runsOf('moved')).map((run) => run.id)).toEqual([id])
  })

  test('each address is tried as often as allowed when none answers', async () => {
    const dead = [await behind(() => 'refuse'), await behind(() => 'lose')] as const
    const call = clientOf([dead[0].url, dead[1].url], { retries: 2 }).jobs.list().page()
    await expect(call).rejects.toMatchObject({ code: 'connection_failed' })
    expect(dead.map(({ seen }) => seen.length)).toEqual([3, 3])
  })

  test('a node that answers 503 is left for the next address', async () => {
    const draining = await behind(() => 'busy')
    const alive = await behind(() => 'pass')
    await clientOf([draining.url, alive.url], { retries: 1 }).jobs.list().page()
    expect(alive.seen).toHaveLength(1)
  })
})

test('a request that times out is retried, and then fails with a timeout', async () => {
  // waits: 20 ms for an answer that never comes.
  const silent: typeof fetch = (_, init) =>
    new Promise((_, reject) => {
      init?.signal?.addEventListener('abort', () => reject(init.signal?.reason))
    })
  const client = createClient({
    ...{ url: kit.url, timeoutMs: 20, retries: 1, retryDelayMs: 1 },
    fetch: silent as never,
  })
  await expect(client.jobs.get('x')).rejects.toMatchObject({ status: 0, code: 'timeout' })
})
