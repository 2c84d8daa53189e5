/** Dead letters over HTTP: listing, replaying and discarding one or many. */
import { eventually } from '@punctual/testkit'
import { NonRetryableError } from 'punctual'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HttpKit } from '../kit/http-kit.ts'

let http: HttpKit
let rival: string
let n = 0
const name = (what: string) => `${what}_${++n}`
const NOBODY = '01890000-0000-7000-8000-000000000000'

beforeAll(async () => {
  http = await HttpKit.open({ roles: ['worker'] })
  rival = await http.keyFor('rival', 'admin')
  http.punctual.handler('dies', async (payload: { why?: string } | null, ctx) => {
    ctx.log.warn('about to die')
    throw new NonRetryableError(payload?.why ?? 'no luck')
  })
})
afterAll(() => http.close())

/** Submits runs that die, and waits until they are dead. */
async function dead(queue: string, count: number, payload: unknown = null, key?: string) {
  const ids: string[] = []
  for (let i = 0; i < count; i++) {
    const run = { handler: 'dies', queue, payload, ...(key !== undefined && { key }) }
    ids.push((await http.post('/runs', run)).body.id)
  }
  await eventually('the runs are dead', async () => {
    const { body } = await http.get(`/runs/counts?queue=${queue}&state=dead&by=queue`)
    return body.count >= count
  })
  return ids
}

describe('GET /dead-letters', () => {
  test('lists dead letters in pages, the last to die first', async () => {
    const queue = name('queue')
    const ids = await dead(queue, 5)
    const seen: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const at: string = cursor === '' ? '' : `&cursor=${cursor}`
      const { status, body } = await http.get(`/dead-letters?queue=${queue}&limit=2${at}`)
      expect(status).toBe(200)
      seen.push(...body.dead_letters.map(({ id }: { id: string }) => id))
      cursor = body.next_cursor
    }
    expect([...seen].sort()).toEqual([...ids].sort())
    const { body } = await http.get(
      `/dead-letters?queue=${queue}&handler=dies&reason=non_retryable`,
    )
    expect(body.dead_letters).toHaveLength(5)
    expect(body.dead_letters[0]).toMatchObject({
      ...{ handler: 'dies', queue, reason: 'non_retryable', attempts: 1, handled: null, job: null },
      ...{ error: { name: 'NonRetryableError', message: 'no luck' }, died_at: expect.any(String) },
    })
    const handled = await http.get(`/dead-letters?queue=${queue}&state=handled`)
    expect(handled.body.dead_letters).toEqual([])
  })

  test('groups dead letters by cause', async () => {
    const queue = name('queue')
    await dead(queue, 2, { why: 'order 17 is lost' })
    await dead(queue, 1, { why: 'no disk' })
    const { body } = await http.get(`/dead-letters/causes?queue=${queue}`)
    expect(body.causes.map(({ count }: { count: number }) => count)).toEqual([2, 1])
    expect(body.causes[0]).toMatchObject({
      ...{ handlers: ['dies'], sample_message: 'order 17 is lost' },
      ...{ first_died_at: expect.any(String), sample_id: expect.any(String) },
    })
    const { fingerprint } = body.causes[1]
    const alike = await http.get(
      `/dead-letters?queue=${queue}&fingerprint=${encodeURIComponent(fingerprint)}`,
    )
    expect(alike.body.dead_letters).toHaveLength(1)
  })

  test('returns a dead letter with its run and log', async () => {
    const [id] = await dead(name('queue'), 1, { why: 'this' })
    const { body } = await http.get(`/dead-letters/${id}`)
    expect(body).toMatchObject({
      ...{ id, checkpoint: null, log: [{ message: 'about to die' }] },
      run: { id, state: 'dead', payload: { why: 'this' }, attempts: [{ outcome: 'failed' }] },
    })
  })

  test.for([
    ['/dead-letters?state=asleep', 'invalid_request', '/state'],
    ['/dead-letters?limit=0', 'invalid_request', '/limit'],
    ['/dead-letters?cursor=x', 'invalid_cursor', '/cursor'],
    ['/dead-letters?died_from=x', 'invalid_option', '/died_from'],
    ['/dead-letters?colour=red', 'invalid_request', '/colour'],
    ['/dead-letters/not-a-run', 'invalid_option', '/id'],
  ] as const)('refuses %s', async ([path, code, pointer]) => {
    const { status, body } = await http.get(path)
    expect([status, body.code, body.pointer]).toEqual([400, code, pointer])
  })
})

describe('a dead letter', () => {
  test('is replayed once, with a note', async () => {
    const [id] = await dead(name('queue'), 1)
    const done = await http.post(`/dead-letters/${id}/replay`, { payload: { why: 'x' }, note: 'n' })
    expect([done.status, done.body]).toEqual([201, { id, run_id: expect.any(String) }])
    expect((await http.get(`/dead-letters/${id}`)).body.handled).toMatchObject({
      ...{ as: 'replayed', replayed_as: done.body.run_id, note: 'n', by: 'acme-admin' },
    })
    const again = await http.post(`/dead-letters/${id}/replay`)
    expect([again.status, again.body.code]).toEqual([409, 'already_handled'])
    const gone = await http.post(`/dead-letters/${id}/discard`, { reason: 'late' })
    expect([gone.status, gone.body.code]).toEqual([409, 'already_handled'])
  })

  test('is discarded with a reason', async () => {
    const [id] = await dead(name('queue'), 1)
    expect((await http.post(`/dead-letters/${id}/discard`)).body.pointer).toBe('/reason')
    const done = await http.post(`/dead-letters/${id}/discard`, { reason: 'of no use' })
    expect([done.status, done.body]).toEqual([200, { id, result: 'discarded' }])
    const { body } = await http.post(`/runs/${id}/retry`)
    expect(body.code).toBe('already_handled')
  })

  test('stays open while a live run has its key', async () => {
    const queue = name('queue')
    const key = name('key')
    const [id] = await dead(queue, 1, null, key)
    const live = await http.post('/runs', { handler: 'nobody', queue, key })
    const { status, body } = await http.post(`/dead-letters/${id}/replay`)
    expect([status, body.code]).toEqual([409, 'key_conflict'])
    expect(body.detail).toContain(live.body.id)
    expect((await http.get(`/dead-letters/${id}`)).body.handled).toBeNull()
  })

  test.for([
    ['GET', '', undefined],
    ['POST', '/replay', {}],
    ['POST', '/discard', { reason: 'x' }],
  ] as const)('does not exist for another tenant: %s %s', async ([method, path, body]) => {
    const [id] = await dead(name('queue'), 1)
    for (const target of [id, NOBODY]) {
      const answer = await http.call(method, `/dead-letters/${target}${path}`, body, { key: rival })
      expect([answer.status, answer.body.code]).toEqual([404, 'dead_letter_not_found'])
    }
    expect((await http.get(`/dead-letters/${id}`)).body.handled).toBeNull()
  })
})

describe('many dead letters', () => {
  test('are counted in a dry run, and replayed up to the limit', async () => {
    const queue = name('queue')
    await dead(queue, 3)
    const filter = { queue }
    const dry = await http.post('/dead-letters/replay', { filter, dry_run: true })
    expect(dry.body).toMatchObject({ dry_run: true, matched: 3, complete: true, replayed: 0 })
    const some = await http.post('/dead-letters/replay', { filter, limit: 2, note: 'again' })
    expect(some.body).toMatchObject({ matched: 2, complete: false, replayed: 2, key_busy: 0 })
    expect(some.body.run_ids).toHaveLength(2)
  })

  test('are discarded by filter', async () => {
    const queue = name('queue')
    await dead(queue, 2)
    const filter = { queue, died_from: '2020-01-01T00:00:00Z' }
    const done = await http.post('/dead-letters/discard', { filter, reason: 'old' })
    expect(done.body).toEqual({ dry_run: false, matched: 2, complete: true, discarded: 2 })
    expect((await http.get(`/dead-letters?queue=${queue}`)).body.dead_letters).toEqual([])
  })

  test('are replayed all or none under one idempotency key', async () => {
    const queue = name('queue')
    await dead(queue, 2)
    const headers = { 'idempotency-key': name('replay') }
    const body = { filter: { queue } }
    const [first, again] = [
      await http.post('/dead-letters/replay', body, { headers }),
      await http.post('/dead-letters/replay', body, { headers }),
    ]
    expect(first.body.replayed).toBe(2)
    expect(again.body).toEqual(first.body)
  })

  test.for([
    ['/dead-letters/replay', {}, '/filter'],
    ['/dead-letters/replay', { filter: {} }, '/filter'],
    ['/dead-letters/replay', { filter: { queue: 'q' }, limit: 100_000 }, '/limit'],
    ['/dead-letters/replay', { filter: { queue: 'q' }, per_second: 5 }, '/per_second'],
    ['/dead-letters/discard', { filter: { queue: 'q' } }, '/reason'],
    ['/dead-letters/discard', { filter: { tenant: 1 }, reason: 'x' }, '/filter/tenant'],
  ] as const)('refuses %s with %j', async ([path, body, pointer]) => {
    const answer = await http.post(path, body)
    expect([answer.status, answer.body.pointer]).toEqual([400, pointer])
  })

  test('are limited to the tenant of the caller, and to keys with the scope', async () => {
    const queue = name('queue')
    const [id] = await dead(queue, 1)
    for (const body of [{ filter: { queue } }, { all: true }]) {
      const replayed = await http.post('/dead-letters/replay', body, { key: rival })
      expect(replayed.body).toMatchObject({ matched: 0, replayed: 0 })
      const given = { ...body, reason: 'x' }
      const discarded = await http.post('/dead-letters/discard', given, { key: rival })
      expect(discarded.body).toMatchObject({ matched: 0, discarded: 0 })
    }
    const list = await http.get(`/dead-letters?cursor=${id}`, { key: rival })
    expect(list.body.dead_letters).toEqual([])
    const reader = await http.keyFor('acme', 'read')
    expect((await http.post('/dead-letters/replay', { all: true }, { key: reader })).status).toBe(
      403,
    )
    expect((await http.get(`/dead-letters/${id}`, { key: reader })).status).toBe(200)
  })
})
