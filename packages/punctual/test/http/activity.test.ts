/** The activity stream over HTTP: events to new and to resuming clients, and the end of streams. */
import { connect } from 'node:net'
import { OpenStreams } from '@punctual/api'
import { eventually } from '@punctual/testkit'
import { NonRetryableError } from 'punctual'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { HttpKit } from '../kit/http-kit.ts'
import { EventReader, type ReadEvent } from '../kit/read-activity.ts'

let http: HttpKit
let n = 0
const name = (what: string) => `${what}_${++n}`
const open: EventReader[] = []
const streams = new OpenStreams({ heartbeatMs: 200, stallMs: 300, recheckMs: 100 })

beforeAll(async () => {
  http = await HttpKit.open({ roles: ['worker'] }, streams)
  http.punctual.handler('dies', () => {
    throw new NonRetryableError('no luck')
  })
  http.punctual.handler('chatters', async (_, ctx) => {
    for (let i = 0; i < 600; i++) ctx.log.info('x'.repeat(16_000))
  })
})
afterEach(() => {
  for (const reader of open.splice(0)) reader.leave()
})
afterAll(() => http.close())

async function listen(
  query = '',
  options: { key?: string; lastEventId?: string; headers?: Record<string, string> } = {},
): Promise<EventReader> {
  const reader = await EventReader.open(`${http.url}/v1/activity${query}`, {
    key: http.admin,
    ...options,
  })
  expect(reader.status).toBe(200)
  open.push(reader)
  return reader
}

const submit = async (body: object, key = http.admin): Promise<string> =>
  (await http.post('/runs', body, { key })).body.id

async function cancelled(queue: string): Promise<string> {
  const id = await submit({ handler: 'nobody', queue })
  await http.post(`/runs/${id}/cancel`, { reason: 'enough' })
  return id
}

const runsOf = (events: readonly ReadEvent[]) => events.map(({ data }) => data.run_id)
const hears = (reader: EventReader, id: string) =>
  eventually(`the event of ${id} arrives`, () => runsOf(reader.messages).includes(id))

describe('GET /activity', () => {
  test('sends runs that die and runs that are cancelled as they end', async () => {
    const queue = name('queue')
    const reader = await listen()
    expect(reader.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(reader.headers.get('cache-control')).toBe('no-store')
    expect(reader.headers.get('x-request-id')).not.toBeNull()
    const dead = await submit({ handler: 'dies', queue })
    await hears(reader, dead)
    const gone = await cancelled(queue)
    await hears(reader, gone)
    expect(reader.messages).toMatchObject([
      {
        event: 'run.dead',
        data: { type: 'run.dead', run_id: dead, queue, attempt: 1, job_id: null },
      },
      { event: 'run.cancelled', data: { run_id: gone, reason: 'enough', at: expect.any(String) } },
    ])
    expect(reader.messages[0]?.data.error.message).toBe('no luck')
  })

  test('sends only events of the requested types', async () => {
    const queue = name('queue')
    const reader = await listen('?types=run.cancelled&types=run.skipped')
    await submit({ handler: 'dies', queue })
    const gone = await cancelled(queue)
    await hears(reader, gone)
    expect(reader.messages.map(({ event }) => event)).toEqual(['run.cancelled'])
  })

  test('resumes after the last event received', async () => {
    const queue = name('queue')
    const first = await listen()
    const seenFirst = await cancelled(queue)
    await hears(first, seenFirst)
    first.leave()
    const missed = [await cancelled(queue), await cancelled(queue)]
    const again = await listen('', { lastEventId: first.lastId as string })
    for (const id of missed) await hears(again, id)
    const seen = runsOf(again.messages).filter((id) => missed.includes(id))
    expect(seen).toEqual(missed)
  })

  test('resumes from its start when no event has arrived yet', async () => {
    const first = await listen()
    await eventually('it has begun', () => first.lastId !== undefined)
    first.leave()
    const missed = await cancelled(name('queue'))
    await hears(await listen('', { lastEventId: first.lastId as string }), missed)
  })

  test('moves the position to resume from while nothing happens', async () => {
    const reader = await listen()
    await eventually('it has begun', () => reader.lastId !== undefined)
    const began = Number(reader.lastId)
    await eventually('a heartbeat moves the position', () => Number(reader.lastId) > began)
    expect(reader.events.some(({ comments }) => comments.includes(': alive'))).toBe(true)
  })

  test('sends thousands of missed events in pages, each once', async () => {
    const queue = name('queue')
    const from = await listen()
    await eventually('it has begun', () => from.lastId !== undefined)
    from.leave()
    const lines = Array.from({ length: 2_500 }, () => JSON.stringify({ handler: 'nobody', queue }))
    await http.post('/runs/bulk', undefined, {
      raw: lines.join('\n'),
      headers: { 'content-type': 'application/x-ndjson' },
    })
    const bulk = await http.post('/runs/cancel', { filter: { queue }, limit: 10_000 })
    expect(bulk.body.matched).toBe(2_500)
    const reader = await listen('', { lastEventId: from.lastId as string })
    const received = () =>
      new Set(runsOf(reader.messages.filter(({ data }) => data.queue === queue)))
    await eventually('all events arrive', () => received().size === 2_500)
    expect(reader.messages.filter(({ data }) => data.queue === queue)).toHaveLength(2_500)
  })

  test('sends a gap when the position to resume from is too old', async () => {
    const reader = await listen('', { lastEventId: '1600000000000' })
    await eventually('the gap arrives', () => reader.messages.length > 0)
    expect(reader.messages[0]).toMatchObject({
      ...{ event: 'gap', data: { from: '2020-09-13T12:26:40.000Z', to: expect.any(String) } },
    })
  })

  test.for([
    ['?types=run.exploded', {}, 'invalid_option'],
    ['?types=run.succeeded', {}, 'invalid_option'],
    ['?colour=red', {}, 'invalid_request'],
    ['', { 'last-event-id': 'x' }, 'invalid_cursor'],
    ['', { 'last-event-id': '-1' }, 'invalid_cursor'],
    ['', { 'last-event-id': '99999999999999' }, 'invalid_cursor'],
  ] as const)('refuses %s %j', async ([query, headers, code]) => {
    const { status, body } = await http.get(`/activity${query}`, { headers: { ...headers } })
    expect([status, body.code]).toEqual([400, code])
  })
})

describe('who receives which events', () => {
  test('a tenant receives only the events of its runs, and none of workers', async () => {
    const queue = name('queue')
    const rival = await http.keyFor('rival', 'admin')
    const reader = await listen('', { key: rival })
    await cancelled(queue)
    const own = await submit({ handler: 'nobody', queue }, rival)
    await http.post(`/runs/${own}/cancel`, {}, { key: rival })
    await hears(reader, own)
    expect(runsOf(reader.messages)).toEqual([own])
    const lost = await http.get('/activity?types=worker.lost', { key: rival })
    expect([lost.status, lost.body.code]).toEqual([403, 'forbidden'])
  })

  test('a system key receives events of the tenant that it names, and of workers', async () => {
    const headers = { 'x-punctual-tenant': 'acme' }
    const reader = await listen('?types=run.cancelled&types=worker.lost', {
      ...{ key: http.system, headers },
    })
    await hears(reader, await cancelled(name('queue')))
  })

  test('a key without the scope read is refused', async () => {
    const key = await http.keyFor('acme', 'submit')
    expect((await http.get('/activity', { key })).status).toBe(403)
    expect((await http.get('/activity', { key: null })).status).toBe(401)
  })

  test('revoking a key ends its stream within seconds', async () => {
    const { key, id } = await http.punctual.apiKeys.create({
      ...{ name: name('short'), tenant: 'acme', scopes: ['read'] },
    })
    const reader = await listen('', { key })
    await http.punctual.apiKeys.revoke(id)
    await reader.ended
    expect((await http.get('/runs', { key })).status).toBe(401)
  })

  test('a key has a limit of streams, and a closed one makes place for another', async () => {
    const key = await http.keyFor('acme', 'read')
    const readers = await Promise.all(Array.from({ length: 20 }, () => listen('', { key })))
    const refused = await http.get('/activity', { key })
    expect([refused.status, refused.body.code]).toEqual([429, 'too_many_streams'])
    expect(refused.headers.get('retry-after')).toBe('1')
    readers[0]?.leave()
    await eventually('another stream is accepted', async () => {
      const reader = await EventReader.open(`${http.url}/v1/activity`, { key })
      reader.leave()
      return reader.status === 200
    })
  })
})

describe('the end of a stream', () => {
  test('a client that reads nothing is disconnected', async () => {
    const id = await submit({ handler: 'chatters' })
    const { port } = new URL(http.url)
    const socket = connect(Number(port), '127.0.0.1')
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
    socket.on('error', () => undefined)
    socket.write(
      `GET /v1/runs/${id}/logs HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${http.admin}\r\naccept: text/event-stream\r\n\r\n`,
    )
    socket.pause()
    await eventually('the stream is open', () => streams.size === 1)
    await eventually('the stream is closed', () => streams.size === 0)
    expect((await http.get(`/runs/${id}`)).body.state).toBe('succeeded')
    socket.resume()
    await closed
  })

  test('a closing server ends its streams at once', async () => {
    const other = await HttpKit.open({ roles: [] })
    const reader = await EventReader.open(`${other.url}/v1/activity`, { key: other.admin })
    expect(reader.status).toBe(200)
    await other.close()
    await reader.ended
  })
})
