/** The routes of remote workers, one after the other, on a real server and a real database. */
import { eventually, TestStore } from '@punctual/testkit'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { RemoteNode } from '../kit/remote-kit.ts'

let t: TestStore
let node: RemoteNode
let session: string

beforeAll(async () => {
  t = await TestStore.open()
  await t.sql.query(`insert into punctual.tenants (id, name) values (2, 'other')`)
  node = await RemoteNode.open(t.store)
})
afterAll(async () => {
  await node.close()
  await t.close()
})
beforeEach(async () => {
  await t.sql.query('truncate punctual.queue, punctual.leases, punctual.sessions')
  session = await node.session()
})

const post = (verb: string, body: object, id = session) => node.ask('POST', `/${id}/${verb}`, body)

describe('a remote worker', () => {
  it('opens a session, and gets its lease and renewal interval', async () => {
    const worker = { host: 'h', handlers: ['test'], capacity: 3, lease_ms: 9_000 }
    const { status, body } = await node.ask('POST', '', worker)
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.stringMatching(/^\d+$/),
      lease_ms: 9_000,
      renew_every_ms: 3_000,
    })
    const again = await node.ask('POST', '', { ...worker, id: body.id })
    expect([again.status, again.body]).toEqual([201, body])
  })

  it('claims a run with its definition, and settles it', async () => {
    const id = await t.submit({ payload: { to: 'ada' }, labels: { a: 'b' } })
    const { body } = await post('claim', { limit: 10 })
    expect(body).toMatchObject({ more: false, drains: false })
    expect(body.runs).toMatchObject([
      {
        ...{ run_id: id, handler: 'test', queue: 'default', attempt: 1, max_attempts: 3 },
        ...{ payload: { to: 'ada' }, checkpoint: null, mark_start: false, job_id: null },
        due_at: expect.stringMatching(/^\d{4}-/),
      },
    ])
    const [{ fence }] = body.runs
    const outcome = { run_id: id, fence, outcome: 'succeeded', output: { sent: 1 } }
    const outcomes = [{ ...outcome, started_ms_ago: 5 }]
    const settled = await post('settle', { outcomes })
    const accepted = { results: [{ run_id: id, accepted: true, state: 'succeeded' }] }
    expect(settled.body).toEqual(accepted)
    expect(await t.store.runs.find(id)).toMatchObject({ state: 'succeeded', output: { sent: 1 } })
    // A repeated request, as after a lost answer, gets the same answer.
    expect((await post('settle', { outcomes })).body).toEqual(accepted)
  })

  it('is answered as soon as a run is submitted while it waits', async () => {
    const waiting = post('claim', { limit: 1, wait_ms: 20_000 })
    const id = await t.submit()
    const { body } = await waiting
    expect(body.runs.map((run: { run_id: string }) => run.run_id)).toEqual([id])
  })

  it('is answered when the next known run is due, without a hint', async () => {
    const id = await t.submit({ delayMs: 300 })
    const { body } = await post('claim', { limit: 1, wait_ms: 20_000 })
    expect(body.runs.map((run: { run_id: string }) => run.run_id)).toEqual([id])
  })

  it('claims nothing when it disconnects while it waits', async () => {
    const leaving = new AbortController()
    node.claims = 0
    const body = { limit: 1, wait_ms: 20_000 }
    const { signal } = leaving
    const waiting = node.ask('POST', `/${session}/claim`, body, { signal }).catch(() => 'gone')
    const other = await node.session()
    await eventually('the claim arrives', () => node.claims > 0)
    leaving.abort()
    expect(await waiting).toBe('gone')
    const id = await t.submit()
    const answer = await post('claim', { limit: 1, wait_ms: 20_000 }, other)
    expect(answer.body.runs).toMatchObject([{ run_id: id }])
  })
})
