/** Targets report over HTTP, by a real handler that awaits its callback. */
import { eventually, gate } from '@punctual/testkit'
import type { Callback, SubmitOptions } from 'punctual'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { HttpKit } from '../kit/http-kit.ts'

let http: HttpKit
/** The callback that the handler gave to the target of each run. */
const callbacks = new Map<string, Callback>()
let onCall = async (_callback: Callback): Promise<void> => undefined
let timeoutMs = 60_000

beforeAll(async () => {
  http = await HttpKit.open({ callbackUrl: 'http://punctual.test:7700/' })
  http.punctual.handler('send', async (_payload, ctx) => {
    const callback = await ctx.callback()
    callbacks.set(ctx.runId, callback)
    await onCall(callback)
    return ctx.awaitCallback({ timeoutMs })
  })
})
afterAll(() => http.close())

const stateOf = async (id: string) => (await http.punctual.runs.get(id))?.state

/** Submits a run whose target has accepted the work. */
async function awaited(options: SubmitOptions = {}): Promise<string> {
  const { id } = await http.punctual.submit('send', {}, options)
  await eventually('it awaits its target', async () => (await stateOf(id)) === 'awaiting')
  return id
}

/** Reports as the target of a run. */
async function report(id: string, verb: string, body: object = {}, token?: string | null) {
  const given = token === undefined ? callbacks.get(id)?.token : token
  const response = await fetch(`${http.url}/v1/runs/${id}/${verb}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(given && { 'punctual-callback-token': given }),
    },
    body: JSON.stringify(body),
  })
  return { status: response.status, body: await response.json() }
}

describe('a target', () => {
  it('gets the address of its run and a token, and completes it with an output', async () => {
    const id = await awaited()
    expect(callbacks.get(id)?.url).toBe(`http://punctual.test:7700/v1/runs/${id}`)
    expect(await report(id, 'complete', { output: { rows: 3 } })).toMatchObject({
      ...{ status: 200, body: { id, state: 'succeeded' } },
    })
    expect(await http.punctual.runs.get(id)).toMatchObject({
      ...{ state: 'succeeded', output: { rows: 3 }, attempts: [{ outcome: 'succeeded' }] },
    })
  })

  it('occupies no worker: a run that awaits it has no session and holds no capacity', async () => {
    const id = await awaited()
    expect(await http.punctual.runs.get(id)).toMatchObject({ statusUrl: null, progress: null })
    expect(http.punctual.running).toBe(0)
    expect(await http.punctual.runs.explain(id)).toMatchObject({ running: true, reasons: [] })
  })

  it('that fails lets the run be tried again by its policy, with another token', async () => {
    const id = await awaited({ maxAttempts: 2 })
    const first = callbacks.get(id)?.token
    const error = { name: 'NoDisk', message: 'no space left', code: 'ENOSPC' }
    expect(await report(id, 'fail', { error, retry_after_ms: 0 })).toMatchObject({
      body: { state: 'retrying' },
    })
    await eventually('it is sent again', () => callbacks.get(id)?.token !== first)
    await eventually('it awaits its target', async () => (await stateOf(id)) === 'awaiting')
    expect(await report(id, 'fail', { error })).toMatchObject({ body: { state: 'dead' } })
    expect(await http.punctual.runs.get(id)).toMatchObject({
      ...{ state: 'dead', attempts: [{ error }, { error }] },
    })
  })

  it('that says that a retry cannot help ends the run', async () => {
    const id = await awaited({ maxAttempts: 5 })
    expect(await report(id, 'fail', { retryable: false })).toMatchObject({
      body: { state: 'dead' },
    })
  })

  it('shows its progress', async () => {
    const id = await awaited()
    expect((await report(id, 'progress', { progress: 0.5 })).status).toBe(200)
    expect(await http.punctual.runs.get(id)).toMatchObject({ progress: 0.5 })
  })

  it('that reports the same twice gets the same answer, and another end is refused', async () => {
    const id = await awaited()
    for (let i = 0; i < 2; i++)
      expect(await report(id, 'complete')).toMatchObject({
        ...{ status: 200, body: { state: 'succeeded' } },
      })
    expect(await report(id, 'fail')).toMatchObject({
      ...{ status: 409, body: { code: 'already_finished' } },
    })
    expect(await report(id, 'progress', { progress: 1 })).toMatchObject({ status: 409 })
  })

  it('may report before the run is known to await it', async () => {
    onCall = async ({ url }) => {
      const id = url.split('/').at(-1) as string
      expect(await report(id, 'complete', { output: 'early' })).toMatchObject({ status: 200 })
    }
    const { id } = await http.punctual.submit('send')
    const run = await http.punctual.runs.waitFor(id, { timeoutMs: 30_000 })
    onCall = async () => undefined
    expect(run).toMatchObject({ state: 'succeeded', output: 'early', attempts: [{ attempt: 1 }] })
  })

  it('cannot fail a later attempt with the token of one that ended in silence', async () => {
    const silent = gate()
    onCall = () => silent.opened
    const retry = { backoff: { kind: 'fixed', delayMs: 1 } } as const
    const { id } = await http.punctual.submit('send', {}, { timeoutMs: 100, maxAttempts: 2, retry })
    await eventually('its first attempt timed out', async () => {
      return (await http.punctual.runs.get(id))?.attempts[0]?.outcome === 'timed_out'
    })
    const attempt = { tenantId: 1, runId: id, attempt: 1 }
    const first = await http.punctual.store.callbackTokens.make(attempt)
    onCall = async () => undefined
    silent.open()
    await eventually('it awaits its target', async () => (await stateOf(id)) === 'awaiting')
    expect(await report(id, 'fail', {}, first)).toMatchObject({ status: 409 })
    expect(await stateOf(id)).toBe('awaiting')
    expect(await report(id, 'complete', {}, first)).toMatchObject({ status: 200 })
  })

  it('of an attempt that timed out in silence may still report', async () => {
    const silent = gate()
    onCall = () => silent.opened
    const { id } = await http.punctual.submit(
      'send',
      {},
      {
        ...{
          timeoutMs: 100,
          maxAttempts: 2,
          retry: { backoff: { kind: 'fixed', delayMs: 600_000 } },
        },
      },
    )
    await eventually('its first attempt timed out', async () => {
      return (await http.punctual.runs.get(id))?.attempts[0]?.outcome === 'timed_out'
    })
    onCall = async () => undefined
    silent.open()
    expect(await report(id, 'complete', { output: 'late' })).toMatchObject({
      ...{ status: 200, body: { state: 'succeeded' } },
    })
    expect(await http.punctual.runs.get(id)).toMatchObject({ state: 'succeeded', output: 'late' })
  })
})

describe('a token', () => {
  it('speaks for its own run only', async () => {
    const [id, other] = [await awaited(), await awaited()]
    const token = callbacks.get(other)?.token
    expect(await report(id, 'complete', {}, token)).toMatchObject({
      ...{ status: 401, body: { code: 'callback_token_invalid' } },
    })
    expect(await stateOf(id)).toBe('awaiting')
  })

  it('that is altered, cut or invented is refused', async () => {
    const id = await awaited()
    const token = callbacks.get(id)?.token as string
    const altered = `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`
    const foreign = Buffer.concat([Buffer.from(`1.1.${id}.1.`), Buffer.alloc(16)]).toString(
      'base64url',
    )
    const forged = [altered, token.slice(0, -4), `pcb1_${foreign}`, 'pcb1_', 'x']
    for (const given of forged)
      expect(await report(id, 'complete', {}, given)).toMatchObject({ status: 401 })
    expect(await report(id, 'complete', {}, null)).toMatchObject({
      ...{ status: 401, body: { code: 'unauthenticated' } },
    })
    expect(await stateOf(id)).toBe('awaiting')
  })

  it('opens nothing else', async () => {
    const id = await awaited()
    const headers = { 'punctual-callback-token': callbacks.get(id)?.token as string }
    for (const path of [`/runs/${id}`, '/runs', '/jobs', '/guarantees', '/me'])
      expect([401, 403, 404]).toContain((await fetch(`${http.url}/v1${path}`, { headers })).status)
  })

  it('is not needed by a key that may operate runs', async () => {
    const id = await awaited()
    const answer = await http.post(`/runs/${id}/complete`, { output: 1 }, { key: http.system })
    expect(answer).toMatchObject({ status: 200, body: { state: 'succeeded' } })
    const rival = await http.post(`/runs/${await awaited()}/complete`, {}, { key: http.admin })
    expect(rival).toMatchObject({ status: 404, body: { code: 'run_not_found' } })
  })
})

describe('a run that awaits its target', () => {
  it('is dead when its target does not report in time, and unknown when it must not run twice', async () => {
    timeoutMs = 50
    const once = { delivery: 'at-most-once' } as const
    const [plain, single] = [
      (await http.punctual.submit('send', {}, { maxAttempts: 5 })).id,
      (await http.punctual.submit('send', {}, once)).id,
    ]
    const ended = await Promise.all(
      [plain, single].map((id) => http.punctual.runs.waitFor(id, { timeoutMs: 30_000 })),
    )
    timeoutMs = 60_000
    expect(ended).toMatchObject([
      { state: 'dead', reason: 'no_report', attempts: [{ outcome: 'timed_out' }] },
      { state: 'unknown', reason: 'no_report' },
    ])
    expect(await report(plain, 'complete')).toMatchObject({ status: 409 })
  })

  it('is cancelled at once, and a report that comes later is refused', async () => {
    const id = await awaited()
    expect(await http.punctual.runs.cancel(id, 'not needed')).toEqual({
      ...{ result: 'cancelled', state: 'cancelled' },
    })
    expect(await report(id, 'complete')).toMatchObject({ status: 409 })
    expect(await http.punctual.runs.get(id)).toMatchObject({ reason: 'not needed' })
  })

  it('keeps the place of its concurrency key until it ends', async () => {
    const concurrency = { key: 'one at a time' }
    const first = await awaited({ concurrency })
    const { id: second } = await http.punctual.submit('send', {}, { concurrency })
    await eventually('the second waits', async () => (await stateOf(second)) === 'waiting')
    await report(first, 'complete')
    await eventually('the second has its turn', async () => (await stateOf(second)) === 'awaiting')
  })

  it('is listed and counted in its state', async () => {
    const id = await awaited({ labels: { listed: 'awaiting' } })
    const filter = { states: ['awaiting'], labels: { listed: 'awaiting' } } as const
    expect(await http.punctual.runs.page(filter)).toMatchObject({
      runs: [{ id, state: 'awaiting', workerId: null }],
    })
    expect(await http.punctual.runs.count(filter)).toMatchObject({ count: 1 })
  })
})
