/** Runs that expire: after their deadline they are no longer worth running. */
import { randomUUID } from 'node:crypto'
import { eventually, gate } from '@punctual/testkit'
import type { Punctual } from 'punctual'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { DeliveryKit } from '../kit/delivery-kit.ts'

let kit: DeliveryKit
let started: string[]

beforeEach(async () => {
  kit = await DeliveryKit.open()
  started = []
})
afterEach(() => kit.close())

const ended = (id: string) => kit.punctual.runs.waitFor(id, { timeoutMs: 60_000 })

function note(node: Punctual): void {
  node.handler('note', (_, ctx) => {
    started.push(ctx.runId)
  })
}

it('a run that would start after it expired ends as skipped and releases its key and place', async () => {
  const key = randomUUID()
  const late = await kit.punctual.submit('note', null, {
    ...{ expiresAt: Date.now() - 1_000, key, concurrency: { key } },
  })
  const next = await kit.punctual.submit('note', null, { concurrency: { key } })
  const always = await kit.punctual.submit('note', null, { expiresAt: Date.now() + 3_600_000 })
  const node = await kit.node()
  note(node)
  expect(await ended(late.id)).toMatchObject({ state: 'skipped', reason: 'expired', attempts: [] })
  expect((await ended(next.id)).state).toBe('succeeded')
  expect((await ended(always.id)).state).toBe('succeeded')
  expect(started).not.toContain(late.id)
  const again = await kit.punctual.submit('note', null, { key })
  expect(again.created).toBe(true)
  expect((await ended(again.id)).state).toBe('succeeded')
})

it('a run that expires while it waits for capacity does not start', async () => {
  const blocked = gate()
  const node = await kit.node({ worker: { concurrency: 1 } })
  node.handler('block', () => blocked.opened)
  note(node)
  const first = await kit.punctual.submit('block', null)
  await eventually(
    'it runs',
    async () => (await kit.punctual.runs.get(first.id))?.state === 'running',
  )
  const expiresAt = new Date(Date.now() + 300)
  const { id } = await kit.punctual.submit('note', null, { expiresAt })
  // waits: for the run to expire, which is the subject of this test
  await eventually('it has expired', () => Date.now() > expiresAt.getTime() + 50)
  blocked.open()
  expect((await ended(id)).state).toBe('skipped')
  expect(started).toEqual([])
})

it('a failed run is not retried after it expired, and its attempt is kept', async () => {
  const node = await kit.node()
  node.handler('fails', () => {
    throw new Error('no')
  })
  const { id } = await kit.punctual.submit('fails', null, {
    ...{
      expiresAt: Date.now() + 700,
      retry: { backoff: { kind: 'fixed', delayMs: 1_000, jitter: 0 } },
    },
  })
  const run = await ended(id)
  expect(run).toMatchObject({ state: 'skipped', reason: 'expired' })
  expect(run.attempts).toMatchObject([{ outcome: 'failed' }])
})

it('the expiry is shown, and one that is not after runAt is refused', async () => {
  const expiresAt = new Date(Date.now() + 60_000)
  const { id } = await kit.punctual.submit('note', null, { expiresAt })
  expect((await kit.punctual.runs.get(id))?.expiresAt).toEqual(expiresAt)
  const runAt = new Date(expiresAt.getTime() + 1)
  await expect(kit.punctual.submit('note', null, { runAt, expiresAt })).rejects.toMatchObject({
    ...{ code: 'invalid_option', field: 'expiresAt' },
  })
})
