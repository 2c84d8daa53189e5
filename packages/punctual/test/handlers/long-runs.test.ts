/**
 * Long runs: a handler that hangs on a living worker is found, and an interrupted one continues.
 */
import { eventually, gate } from '@punctual/testkit'
import { type HandlerContext, PunctualError } from 'punctual'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DeliveryKit } from '../kit/delivery-kit.ts'

let kit: DeliveryKit
beforeEach(async () => {
  kit = await DeliveryKit.open()
})
afterEach(() => kit.close())

const ended = (id: string) => kit.punctual.runs.waitFor(id, { timeoutMs: 60_000 })
const retry = { backoff: { kind: 'fixed', delayMs: 0 } } as const

describe('the heartbeat of a run', () => {
  it('a handler that hangs on a living worker times out and is retried', async () => {
    const node = await kit.node()
    const aborted: string[] = []
    node.handler('hangs', (_: null, ctx) => {
      if (ctx.attempt === 2) return 'again'
      ctx.signal.addEventListener('abort', () => aborted.push((ctx.signal.reason as Error).message))
      return new Promise(() => undefined)
    })
    const { id } = await node.submit('hangs', null, { heartbeatMs: 200, retry })
    expect(await ended(id)).toMatchObject({
      state: 'succeeded',
      output: 'again',
      attempts: [{ outcome: 'timed_out', error: { name: 'TimeoutError' } }, {}],
      possibleDuplicate: true,
    })
    expect(aborted).toEqual(['The handler sent no heartbeat for 200 ms.'])
    expect(node.running).toBe(1)
  })

  const signsOfLife: Record<string, (ctx: HandlerContext) => unknown> = {
    heartbeat: (ctx) => ctx.heartbeat(),
    progress: (ctx) => ctx.progress(0.5),
    checkpoint: (ctx) => ctx.checkpoint('here'),
  }

  it('heartbeats, progress and checkpoints count as activity; silence afterwards is found', async () => {
    const node = await kit.node()
    node.handler('lives', async (by: string, ctx) => {
      if (ctx.attempt === 2) return 'again'
      const until = performance.now() + 3_000
      while (performance.now() < until) {
        await signsOfLife[by]?.(ctx)
        // waits: a handler that works for three times as long as it may be silent
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
      expect(ctx.signal.aborted).toBe(false)
      return new Promise(() => undefined)
    })
    const options = { heartbeatMs: 1_000, retry }
    for (const { id } of await node.submitMany('lives', Object.keys(signsOfLife), options)) {
      const run = await ended(id)
      expect(run.attempts).toMatchObject([{ outcome: 'timed_out' }, { outcome: 'succeeded' }])
      const [first] = run.attempts
      expect(Number(first?.endedAt) - Number(first?.startedAt)).toBeGreaterThan(3_900)
    }
  })

  it('another run that blocks the event loop does not make a handler look silent', async () => {
    const node = await kit.node()
    const started = gate()
    node.handler('beats', async (_: null, ctx) => {
      const beating = setInterval(() => ctx.heartbeat(), 20)
      started.open()
      await blocked.opened
      clearInterval(beating)
      return ctx.attempt
    })
    const blocked = gate()
    node.handler('blocks', () => {
      // waits: the event loop has to be blocked for longer than the other run may be silent
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500)
      // Only after the other handlers had their turn.
      setTimeout(() => blocked.open(), 200) // waits: as above
    })
    const { id } = await node.submit('beats', null, { heartbeatMs: 500, maxAttempts: 1 })
    await started.opened
    await node.submit('blocks', null)
    expect(await ended(id)).toMatchObject({ state: 'succeeded', output: 1 })
  })

  it('a silent at-most-once run ends as dead and is never retried', async () => {
    const node = await kit.node()
    let starts = 0
    node.handler('hangs', () => {
      starts++
      return new Promise(() => undefined)
    })
    const { id } = await node.submit('hangs', null, { heartbeatMs: 200, delivery: 'at-most-once' })
    expect(await ended(id)).toMatchObject({ state: 'dead', attempts: [{ outcome: 'timed_out' }] })
    expect(starts).toBe(1)
  })
})

describe('a checkpoint', () => {
  it('the next attempt starts with the checkpoint after its worker was killed with -9', async () => {
    const first = await kit.worker()
    const state = { page: 17, seen: ['a', 'b'] }
    const id = await kit.submit([[['checkpoint', state], ['effect'], ['hang']], []])
    await kit.happened(id)
    await first.kill()
    await kit.worker()
    expect(await ended(id)).toMatchObject({
      state: 'succeeded',
      output: { attempt: 2, checkpoint: state },
    })
  })

  it('a later checkpoint replaces it, a failure keeps it, and a run without any finds null', async () => {
    const node = await kit.node()
    const found: unknown[] = []
    node.handler('steps', async (_: null, ctx) => {
      found.push(ctx.lastCheckpoint)
      if (ctx.attempt < 4) await ctx.checkpoint({ done: ctx.attempt })
      if (ctx.attempt < 5) throw new Error('failed on purpose')
    })
    const { id } = await node.submit('steps', null, { maxAttempts: 5, retry })
    expect(await ended(id)).toMatchObject({ state: 'succeeded' })
    expect(found).toEqual([null, { done: 1 }, { done: 2 }, { done: 3 }, { done: 3 }])
  })

  it('a checkpoint of a worker that lost the run is refused with lease_lost and changes nothing', async () => {
    const node = await kit.node()
    const [started, fenced] = [gate(), gate()]
    const answers: unknown[] = []
    node.handler('zombie', async (_: null, ctx) => {
      if (ctx.attempt === 2) return ctx.lastCheckpoint
      await ctx.checkpoint('first')
      started.open()
      await fenced.opened
      answers.push(await ctx.checkpoint('too late').catch((error) => error))
    })
    const { id } = await node.submit('zombie', null)
    await started.opened
    await eventually('its session is fenced', async () => {
      const sessions = await kit.sql<{ id: string }>(
        `update punctual.sessions set expires_at = clock_timestamp() - interval '1 second' returning id`,
      )
      await kit.punctual.store.upkeep.reap(
        sessions.map((session) => session.id),
        3,
      )
      return (await kit.punctual.runs.get(id))?.attempts.length === 1
    })
    fenced.open()
    expect(await ended(id)).toMatchObject({ state: 'succeeded', output: 'first' })
    await eventually('the late worker has its answer', () => answers.length === 1)
    expect(answers[0]).toBeInstanceOf(PunctualError)
    expect(answers[0]).toMatchObject({ code: 'lease_lost', id })
  })

  it('a checkpoint that is too large or not JSON is refused, and the previous one stays', async () => {
    const node = await kit.node()
    const codes: unknown[] = []
    node.handler('large', async (_: null, ctx) => {
      if (ctx.attempt === 2) return ctx.lastCheckpoint
      await ctx.checkpoint('small')
      const circular: Record<string, unknown> = {}
      circular.self = circular
      for (const bad of ['x'.repeat(1_048_576), circular, 5n])
        codes.push(await ctx.checkpoint(bad).catch((error) => error.code))
      throw new Error('failed on purpose')
    })
    const { id } = await node.submit('large', null, { retry })
    expect(await ended(id)).toMatchObject({ state: 'succeeded', output: 'small' })
    expect(codes).toEqual(['payload_too_large', 'invalid_payload', 'invalid_payload'])
  })
})
