/**
 * Key conflicts end to end: which handlers are called when submissions replace, debounce and
 * throttle.
 */
import { gate } from '@punctual/testkit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { DeliveryKit } from '../kit/delivery-kit.ts'

let kit: DeliveryKit
let calls: unknown[]
let proceed = gate()
beforeAll(async () => {
  kit = await DeliveryKit.open()
  const node = await kit.node()
  node.handler('keyed', async (payload: unknown) => {
    calls.push(payload)
    await proceed.opened
  })
})
afterAll(() => kit.close())

function begin() {
  calls = []
  proceed = gate()
  return proceed
}

const ended = (id: string) => kit.punctual.runs.waitFor(id, { timeoutMs: 60_000 })

it('a debounced handler is called once, with the last payload, after the window', async () => {
  begin().open()
  const options = { key: 'debounced', onConflict: 'debounce', window: '10m' } as const
  const { id } = await kit.punctual.submit('keyed', 1, options)
  for (const n of [2, 3]) await kit.punctual.submit('keyed', n, options)
  await kit.punctual.submit('keyed', 4, { ...options, window: '300ms' })
  const run = await ended(id)
  expect(calls).toEqual([4])
  expect(run.dueAt.getTime() - run.createdAt.getTime()).toBeGreaterThanOrEqual(300)
  expect(run.startedAt?.getTime()).toBeGreaterThanOrEqual(run.dueAt.getTime())
})

it('a run that is replaced to be due now starts at once, although it was due in an hour', async () => {
  begin().open()
  const { id } = await kit.punctual.submit('keyed', 'later', { key: 'moved', delayMs: 3_600_000 })
  const now = await kit.punctual.submit('keyed', 'now', { key: 'moved', onConflict: 'replace' })
  expect(now).toEqual({ id, created: false, outcome: 'replaced' })
  expect(await ended(id)).toMatchObject({ state: 'succeeded' })
  expect(calls).toEqual(['now'])
})

it('a started run ends with its own payload, and its replacement runs too', async () => {
  const { open } = begin()
  const options = { key: 'started', onConflict: 'replace' } as const
  const first = await kit.punctual.submit('keyed', 1, options)
  await expect.poll(() => calls, { timeout: 30_000 }).toEqual([1])
  const second = await kit.punctual.submit('keyed', 2, options)
  expect(second).toMatchObject({ created: true })
  open()
  expect(await Promise.all([ended(first.id), ended(second.id)])).toMatchObject([
    { state: 'succeeded', payload: 1, key: null },
    { state: 'succeeded', payload: 2, key: 'started' },
  ])
  expect(calls).toEqual([1, 2])
})

it('a throttled handler is called once, and later submitters learn how it ended', async () => {
  begin().open()
  const options = { key: 'throttled', onConflict: 'throttle', window: '1h' } as const
  const { id } = await kit.punctual.submit('keyed', 1, options)
  await ended(id)
  const many = await kit.punctual.submitMany('keyed', [2, 3], options)
  expect(many.map((run) => [run.id, run.outcome])).toEqual([
    [id, 'existing'],
    [id, 'existing'],
  ])
  expect(await ended(id)).toMatchObject({ state: 'succeeded' })
  expect(calls).toEqual([1])
})
