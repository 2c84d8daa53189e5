/**
 * What every kind of executor must do, whatever it talks to. A kind brings a peer that behaves as
 * asked and reports what reached it.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { limits } from '@punctual/core/errors'
import type { Target } from '@punctual/core/target'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Execution, Executor } from '../../src/executors/executor.ts'
import { type RecordedCall, recordedCall } from './recorded-call.ts'

/**
 * `succeed` with an output; `fail` in a way that may pass; `refuse` for good; `hang` until the
 * client leaves; `flood` with more output than may be stored.
 */
export type Behaviour = 'succeed' | 'fail' | 'refuse' | 'hang' | 'flood'

/** What reached the peer in one attempt. */
export interface Reception {
  readonly idempotencyKey: string
  readonly fence: string
  readonly attempt: string
  /** The value of the secret that the target names. */
  readonly secret: string
}

export interface Peer<Kind extends Target> {
  readonly executor: Executor<Kind>
  /** A target that behaves so, and sends the secret `KEY` to the peer. */
  target(behaviour: Behaviour): Kind
  /** What a target answers with that nobody listens to; null when there is no such thing. */
  unreachable(): Kind | null
  /** What has reached the peer so far. */
  received(): readonly Reception[]
  /** Resolves when nothing that an attempt started is left. */
  idle(): Promise<void>
  close(): Promise<void>
}

const SECRET = 'correct-horse-battery-staple'

export function describeExecutor<Kind extends Target>(
  kind: Kind['kind'],
  open: () => Promise<Peer<Kind>>,
): void {
  describe(`an executor of the kind ${kind}`, () => {
    let peer: Peer<Kind>
    beforeAll(async () => {
      peer = await open()
    })
    afterAll(() => peer?.close())

    const prepared = async (target: Kind, call: RecordedCall): Promise<Execution> =>
      peer.executor.prepare(target, call)
    const perform = async (target: Kind, call = recordedCall({ secrets: { KEY: SECRET } })) =>
      (await prepared(target, call)).execute(new AbortController().signal, '42')

    test('succeeds with an output', async () => {
      expect(await perform(peer.target('succeed'))).toMatchObject({
        kind: 'succeeded',
        output: expect.anything(),
      })
    })

    test('reports a failure that may pass as one to retry', async () => {
      const outcome = await perform(peer.target('fail'))
      expect(outcome).toMatchObject({ kind: 'failed', failure: { code: expect.any(String) } })
      expect(outcome).not.toMatchObject({ retry: false })
    })

    test('reports a failure that will not pass as one not to retry', async () => {
      expect(await perform(peer.target('refuse'))).toMatchObject({ kind: 'failed', retry: false })
    })

    test('ends within a second of its signal, and with it what it started', async () => {
      const before = peer.received().length
      const execution = await prepared(
        peer.target('hang'),
        recordedCall({ secrets: { KEY: SECRET } }),
      )
      const stop = new AbortController()
      const running = execution.execute(stop.signal, '42')
      await expect.poll(() => peer.received().length).toBe(before + 1)
      stop.abort(new DOMException('The attempt took too long.', 'TimeoutError'))
      // waits: the deadline under test is one of real time
      const late = delay(1_000, 'late', { ref: false })
      const outcome = await Promise.race([running.catch(() => 'rejected'), late])
      expect(outcome).not.toBe('late')
      if (typeof outcome === 'object') expect(outcome).toMatchObject({ reached: 'perhaps' })
      await peer.idle()
    })

    test('does nothing when its signal is aborted before', async () => {
      const before = peer.received().length
      const execution = await prepared(
        peer.target('succeed'),
        recordedCall({ secrets: { KEY: SECRET } }),
      )
      const outcome = await execution.execute(AbortSignal.abort(), '42').catch(() => null)
      if (outcome) expect(outcome).toMatchObject({ kind: 'failed', reached: 'no' })
      expect(peer.received()).toHaveLength(before)
    })

    test('bounds output and log', async () => {
      const call = recordedCall({ secrets: { KEY: SECRET } })
      const outcome = await perform(peer.target('flood'), call)
      expect(JSON.stringify(outcome).length).toBeLessThan(limits.outputBytes)
      const logged = call.lines.reduce((sum, { message }) => sum + message.length, 0)
      expect(logged).toBeLessThanOrEqual(limits.logBytesPerRun)
    })

    test('passes the idempotency key and the fence on, the key alike in each attempt', async () => {
      const before = peer.received().length
      for (const attempt of [1, 2]) {
        const call = recordedCall({ attempt, runId: 'run-7', secrets: { KEY: SECRET } })
        await perform(peer.target('succeed'), call)
      }
      const attempts = peer.received().slice(before)
      expect(attempts.map(({ idempotencyKey }) => idempotencyKey)).toEqual(['run-7', 'run-7'])
      expect(attempts.map(({ fence }) => fence)).toEqual(['42', '42'])
      expect(attempts.map(({ attempt }) => attempt)).toEqual(['1', '2'])
    })

    test('sends a secret to its target and to no log, failure or output', async () => {
      for (const behaviour of ['succeed', 'fail', 'refuse'] as const) {
        const call = recordedCall({ secrets: { KEY: SECRET } })
        const outcome = await perform(peer.target(behaviour), call)
        expect(peer.received().at(-1)?.secret).toBe(SECRET)
        expect(JSON.stringify([outcome, call.lines])).not.toContain(SECRET)
      }
    })

    test('fails before it reaches the target when a secret is missing', async () => {
      const before = peer.received().length
      await expect(perform(peer.target('succeed'), recordedCall({}))).rejects.toThrow(/KEY/)
      expect(peer.received()).toHaveLength(before)
    })

    test('says that a target that nobody listens to was not reached', async () => {
      const target = peer.unreachable()
      if (target === null) return
      expect(await perform(target)).toMatchObject({ kind: 'failed', reached: 'no' })
    })
  })
}
