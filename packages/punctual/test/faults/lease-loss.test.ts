/**
 * A worker that is cut off from the database while others are not (RELIABILITY cases 23, 25, 27): it knows by its own
 * clock when its lease is about to end, and what each handler wants done about that.
 */
import { eventually, type Gate, gate } from '@punctual/testkit'
import { type HandlerOptions, Punctual } from 'punctual'
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest'
import { type CutProxy, startCutProxy } from '../kit/cut-proxy.ts'
import { DeliveryKit } from '../kit/delivery-kit.ts'

const LEASE_MS = 3_000

let kit: DeliveryKit
let proxy: CutProxy
let events: string[]
let fenced: Gate
let node: Punctual

beforeEach(async () => {
  events = []
  fenced = gate()
  const warn = (_: object, message: string) => {
    if (!message.startsWith('fenced sessions')) return
    events.push('fenced')
    fenced.open()
  }
  const nothing = () => undefined
  const logger = { debug: nothing, info: nothing, error: nothing, warn }
  kit = await DeliveryKit.open({ leaseMs: LEASE_MS, logger })
  proxy = await startCutProxy(kit.url)
  // Not one of the kit: it is stopped after the relay is mended.
  node = await Punctual.start({
    databaseUrl: proxy.url,
    roles: ['worker'],
    worker: { leaseMs: LEASE_MS },
  })
})
afterEach(async () => {
  proxy.mend()
  await node.stop({ drainMs: 0 })
  await proxy.stop()
  await kit.close()
})

/** Registers a handler that goes on until it is aborted, or told to return. */
function register(name: string, options?: HandlerOptions) {
  const [started, proceed] = [gate(), gate()]
  const state = { signal: null as AbortSignal | null }
  node.handler(
    name,
    (_: null, ctx) => {
      state.signal = ctx.signal
      started.open()
      return new Promise<string>((resolve, reject) => {
        ctx.signal.addEventListener('abort', () => {
          events.push(`${name} aborted`)
          reject(ctx.signal.reason)
        })
        void proceed.opened.then(() => resolve('went on'))
      })
    },
    options,
  )
  return { started: started.opened, proceed: () => proceed.open(), state }
}

it('aborts before the lease ends what must not run twice, and what asks for it; the others go on', async () => {
  const once = register('once')
  const onceOn = register('once-on', { onLeaseLoss: 'continue' })
  const plain = register('plain')
  const plainOff = register('plain-off', { onLeaseLoss: 'abort' })
  const atMostOnce = { delivery: 'at-most-once' } as const
  const runs = await Promise.all([
    kit.punctual.submit('once', null, atMostOnce),
    kit.punctual.submit('once-on', null, atMostOnce),
    kit.punctual.submit('plain', null),
    kit.punctual.submit('plain-off', null),
  ])
  await Promise.all([once, onceOn, plain, plainOff].map(({ started }) => started))
  proxy.cut()
  await fenced.opened
  // Whoever else takes the runs now finds that the handlers which asked for it were told before.
  expect(events.slice(0, 3).sort()).toEqual(['fenced', 'once aborted', 'plain-off aborted'].sort())
  expect(events[2]).toBe('fenced')
  expect(plain.state.signal?.aborted).toBe(false)
  expect(onceOn.state.signal?.aborted).toBe(false)
  const [first, second, third] = await Promise.all(runs.map(({ id }) => kit.punctual.runs.get(id)))
  expect([first?.state, second?.state]).toEqual(['unknown', 'unknown'])
  expect(third?.attempts).toMatchObject([{ outcome: 'crashed' }])
  plain.proceed()
  onceOn.proceed()
  proxy.mend()
})

it('a run of a job that must not overlap is aborted too, and its job goes on elsewhere', async () => {
  const exclusive = register('exclusive')
  await kit.punctual.jobs.upsert({ name: 'exclusive', handler: 'exclusive', cron: '0 0 1 1 *' })
  const { id } = await kit.punctual.jobs.trigger('exclusive')
  await exclusive.started
  proxy.cut()
  await fenced.opened
  expect(events).toEqual(['exclusive aborted', 'fenced'])
  const heir = await kit.node({ worker: { leaseMs: LEASE_MS } })
  heir.handler('exclusive', () => 'by the heir')
  expect(await kit.punctual.runs.waitFor(id)).toMatchObject({ output: 'by the heir' })
})

it('a short cut aborts nothing, and the run ends where it began', async () => {
  const once = register('once')
  const { id } = await kit.punctual.submit('once', null, { delivery: 'at-most-once' })
  await once.started
  proxy.cut()
  // waits: half a lease, in which at least one renewal fails
  await new Promise((resolve) => setTimeout(resolve, LEASE_MS / 2))
  proxy.mend()
  once.proceed()
  expect(await kit.punctual.runs.waitFor(id)).toMatchObject({
    state: 'succeeded',
    output: 'went on',
    possibleDuplicate: false,
  })
  expect(events).toEqual([])
})

it('what is held and not started when the lease is about to end is not started any more', async () => {
  const narrow = await Punctual.start({
    databaseUrl: proxy.url,
    roles: ['worker'],
    worker: { leaseMs: LEASE_MS, concurrency: 1 },
  })
  onTestFinished(() => narrow.stop({ drainMs: 0 }))
  const { work } = narrow.store
  const claim = work.claim.bind(work)
  // As if handlers had been quick before: one more than can start now is taken ahead.
  Object.assign(work, {
    claim: (request: Parameters<typeof claim>[0]) => claim({ ...request, limit: 2 }),
  })
  const runs = await kit.punctual.submitMany('held', [1, 2])
  const starts: string[] = []
  const proceed = gate()
  narrow.handler('held', async (_: number, ctx) => {
    starts.push(ctx.runId)
    await proceed.opened
  })
  await eventually('both are held, and one runs', async () => {
    const found = await Promise.all(runs.map(({ id }) => kit.punctual.runs.get(id)))
    return starts.length === 1 && found.every((run) => run?.state === 'running')
  })
  proxy.cut()
  await fenced.opened
  proceed.open()
  await eventually('the first has ended here', () => narrow.running === 0)
  expect(starts).toHaveLength(1)
  proxy.mend()
})

it('what a claim brings after the lease has ended is not started', async () => {
  const [claimed, held] = [gate(), gate()]
  const { work } = node.store
  const claim = work.claim.bind(work)
  Object.assign(work, {
    claim: async (request: Parameters<typeof claim>[0]) => {
      const result = await claim(request)
      if (result.runs.length === 0) return result
      claimed.open()
      await held.opened
      return result
    },
  })
  const late = register('late')
  const { id } = await kit.punctual.submit('late', null)
  await claimed.opened
  proxy.cut()
  await fenced.opened
  held.open()
  const heir = await kit.node({ worker: { leaseMs: LEASE_MS } })
  heir.handler('late', () => 'by the heir')
  expect(await kit.punctual.runs.waitFor(id)).toMatchObject({ output: 'by the heir' })
  expect(late.state.signal, 'it was never called').toBeNull()
})
