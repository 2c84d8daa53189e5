/**
 * A worker that is cut off from the database while others are not (cases 23, 25, 27): its own clock
 * shows when its lease is about to expire, and each handler's options decide what then happens.
 */
import { eventually, type Gate, gate, TcpProxy } from '@punctual/testkit'
import { type HandlerOptions, Punctual } from 'punctual'
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest'
import { DeliveryKit } from '../kit/delivery-kit.ts'

const LEASE_MS = 3_000

let kit: DeliveryKit
let proxy: TcpProxy
let events: string[]
let fenced: Gate
let node: Punctual

beforeEach(async () => {
  events = []
  fenced = gate()
  const warn = (_: object, message: string) => {
    if (!message.startsWith('reaped sessions')) return
    events.push('fenced')
    fenced.open()
  }
  const nothing = () => undefined
  const logger = { debug: nothing, info: nothing, error: nothing, warn }
  kit = await DeliveryKit.open({ leaseMs: LEASE_MS, logger })
  proxy = await TcpProxy.to(kit.url)
  // Not a worker of the kit: it is stopped after the relay is repaired.
  node = await Punctual.start({
    databaseUrl: proxy.through(kit.url),
    roles: ['worker'],
    worker: { leaseMs: LEASE_MS },
  })
})
afterEach(async () => {
  proxy.repair()
  await node.stop({ drainMs: 0 })
  await proxy.close()
  await kit.close()
})

/** Registers a handler that runs until it is aborted or asked to return. */
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
        void proceed.opened.then(() => resolve('continued'))
      })
    },
    options,
  )
  return { started: started.opened, proceed: () => proceed.open(), state }
}

it('before the lease expires, runs that must not repeat or ask for it are aborted; others continue', async () => {
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
  proxy.hold('up', 'down')
  await fenced.opened
  // A worker that claims the runs now finds that the requesting handlers were aborted before.
  expect(events.slice(0, 3).sort()).toEqual(['fenced', 'once aborted', 'plain-off aborted'].sort())
  expect(events[2]).toBe('fenced')
  expect(plain.state.signal?.aborted).toBe(false)
  expect(onceOn.state.signal?.aborted).toBe(false)
  const [first, second, third] = await Promise.all(runs.map(({ id }) => kit.punctual.runs.get(id)))
  expect([first?.state, second?.state]).toEqual(['unknown', 'unknown'])
  expect(third?.attempts).toMatchObject([{ outcome: 'crashed' }])
  plain.proceed()
  onceOn.proceed()
  proxy.repair()
})

it('a run of a job that must not overlap is aborted too, and its job continues elsewhere', async () => {
  const exclusive = register('exclusive')
  await kit.punctual.jobs.upsert({ name: 'exclusive', handler: 'exclusive', cron: '0 0 1 1 *' })
  const { id } = await kit.punctual.jobs.trigger('exclusive')
  await exclusive.started
  proxy.hold('up', 'down')
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
  proxy.hold('up', 'down')
  // waits: half a lease, in which at least one renewal fails
  await new Promise((resolve) => setTimeout(resolve, LEASE_MS / 2))
  proxy.repair()
  once.proceed()
  expect(await kit.punctual.runs.waitFor(id)).toMatchObject({
    state: 'succeeded',
    output: 'continued',
    possibleDuplicate: false,
  })
  expect(events).toEqual([])
})

it('a held run that has not started does not start when the lease is about to expire', async () => {
  const narrow = await Punctual.start({
    databaseUrl: proxy.through(kit.url),
    roles: ['worker'],
    worker: { leaseMs: LEASE_MS, concurrency: 1 },
  })
  onTestFinished(() => narrow.stop({ drainMs: 0 }))
  const { work } = narrow.store
  const claim = work.claim.bind(work)
  // As if earlier handlers had been quick: the worker claims one run more than can start now.
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
  proxy.hold('up', 'down')
  await fenced.opened
  proceed.open()
  await eventually('the first has ended here', () => narrow.running === 0)
  expect(starts).toHaveLength(1)
  proxy.repair()
})

it('runs that a claim returns after the lease expired do not start', async () => {
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
  proxy.hold('up', 'down')
  await fenced.opened
  held.open()
  const heir = await kit.node({ worker: { leaseMs: LEASE_MS } })
  heir.handler('late', () => 'by the heir')
  expect(await kit.punctual.runs.waitFor(id)).toMatchObject({ output: 'by the heir' })
  expect(late.state.signal, 'it was never called').toBeNull()
})
