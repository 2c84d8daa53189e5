/**
 * `Idempotency-Key` with hostile and concurrent clients: one effect, and one answer per request.
 */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HttpKit } from '../kit/http-kit.ts'
import { exchange } from '../kit/http-operations.ts'

let http: HttpKit

beforeAll(async () => {
  http = await HttpKit.open({ roles: [] })
})
afterAll(() => http.close())

const submit = (key: string, body: object = { handler: 'h' }, path = '/runs') =>
  http.post(path, body, { headers: { 'idempotency-key': key } })
const runs = async (handler: string, tenant = 'acme') => {
  const { id } = (await http.punctual.tenants.get(tenant)) as { id: number }
  return (await http.punctual.tenant(id).runs.list({ handler, limit: 1_000 })).length
}

describe('a key', () => {
  test.for([
    ['empty', ''],
    ['an empty pair of quotes', '""'],
    ['8 kB long', 'x'.repeat(8_192)],
    ['a list', 'a,b'],
    ['two words', 'a b'],
    ['an unclosed quote', '"a'],
  ] as const)('a key that is %s is refused, and nothing is done (case 120)', async ([, key]) => {
    const answer = await submit(key, { handler: 'refused' })
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_option'])
    expect(answer.body.field).toBe('Idempotency-Key')
    expect(await runs('refused')).toBe(0)
  })

  test('a key beyond ASCII is refused (case 120)', async () => {
    const headers = { authorization: `Bearer ${http.admin}`, 'content-type': 'application/json' }
    const key = Buffer.from('ключ-😀').toString('latin1')
    const reply = await exchange(`${http.url}/v1/runs`, 'POST', '{"handler":"h"}', {
      ...headers,
      'idempotency-key': key,
    })
    expect([reply.status, reply.body.code]).toEqual([400, 'invalid_option'])
  })

  test('a key that is sent twice is refused (case 120)', async () => {
    const reply = await exchange(`${http.url}/v1/runs`, 'POST', '{"handler":"h"}', {
      ...{ authorization: `Bearer ${http.admin}`, 'content-type': 'application/json' },
      'idempotency-key': ['a', 'b'],
    })
    expect([reply.status, reply.body.code]).toEqual([400, 'invalid_option'])
  })

  test('a key refuses another body, address or method (case 120)', async () => {
    const key = randomUUID()
    expect((await submit(key, { handler: 'one' })).status).toBe(201)
    for (const [path, body] of [
      ['/runs', { handler: 'two' }],
      ['/runs', { handler: 'one', payload: 1 }],
      ['/jobs', { name: 'one', schedule: '@daily' }],
    ] as const) {
      const answer = await submit(key, body, path)
      expect([answer.status, answer.body.code]).toEqual([422, 'idempotency_key_reused'])
    }
    const headers = { 'idempotency-key': key }
    const put = await http.call('PUT', '/jobs/one', { schedule: '@daily' }, { headers })
    expect([put.status, put.body.code]).toEqual([422, 'idempotency_key_reused'])
    expect(await runs('one')).toBe(1)
  })

  test('two tenants can use the same key (cases 120, 155)', async () => {
    const key = randomUUID()
    const first = await submit(key, { handler: 'both' })
    const rival = await http.keyFor('rival', 'admin')
    const headers = { 'idempotency-key': key }
    const second = await http.post('/runs', { handler: 'both' }, { key: rival, headers })
    expect([second.status, second.headers.get('idempotent-replayed')]).toEqual([201, null])
    expect(second.body.id).not.toBe(first.body.id)
    expect(await runs('both', 'rival')).toBe(1)
  })

  test('the key of a failed request may be used again', async () => {
    const key = randomUUID()
    expect((await submit(key, { handler: 'again', priority: 99 })).status).toBe(400)
    expect((await submit(key, { handler: 'again' })).status).toBe(201)
  })

  test('a repeated change of a job returns its first ETag', async () => {
    const job = (await http.post('/jobs', { name: 'tagged', schedule: '@daily' })).body.id
    const headers = { 'idempotency-key': randomUUID() }
    const change = () => http.call('PATCH', `/jobs/${job}`, { priority: 7 }, { headers })
    const first = await change()
    expect(first.headers.get('etag')).toBe('"2"')
    await http.call('PATCH', `/jobs/${job}`, { priority: 8 })
    const again = await change()
    expect([again.status, again.body]).toEqual([first.status, first.body])
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(again.headers.get('etag')).toBe('"2"')
    const late = await http.call(
      ...(['PATCH', `/jobs/${job}`, { priority: 9 }] as const),
      ...[{ headers: { 'if-match': '"2"' } }],
    )
    expect([late.status, late.body.code]).toEqual([412, 'version_changed'])
  })

  test('a key may be used again when its stored answer has expired', async () => {
    const key = randomUUID()
    const first = await submit(key, { handler: 'anew' })
    expect((await submit(key, { handler: 'anew' })).body.id).toBe(first.body.id)
    const client = await http.punctual.store.database.connect()
    const aged = "update punctual.requests set answered_at = answered_at - interval '25 hours'"
    await client.query(`${aged} where key = $1`, [key]).finally(() => client.end())
    await http.punctual.store.upkeep.sweep(90)
    const later = await submit(key, { handler: 'anew', payload: 'another' })
    expect([later.status, later.headers.get('idempotent-replayed')]).toEqual([201, null])
    expect(later.body.id).not.toBe(first.body.id)
    expect(await runs('anew')).toBe(2)
  })

  test('a hundred concurrent requests under one key have one effect and one answer (case 120)', async () => {
    const key = randomUUID()
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => submit(key, { handler: 'hundred' })),
    )
    const done = answers.filter(({ status }) => status === 201)
    const busy = answers.filter(({ status }) => status === 409)
    expect(done.length).toBeGreaterThanOrEqual(1)
    expect(done.length + busy.length).toBe(100)
    expect(new Set(done.map(({ body }) => body.id)).size).toBe(1)
    expect(new Set(busy.map(({ body }) => body.code))).toEqual(
      new Set(busy.length > 0 ? ['idempotency_key_in_use'] : []),
    )
    expect(await runs('hundred')).toBe(1)
    const after = await submit(key, { handler: 'hundred' })
    expect(after.headers.get('idempotent-replayed')).toBe('true')
    expect(after.body.id).toBe(done[0]?.body.id)
  })
})

describe('concurrent requests with different keys', () => {
  const SENT = 150
  const handler = 'beside'

  test('share transactions, and each gets its own answer, refusal or stored answer', async () => {
    await submit('beside-held', { handler, key: 'held', delay: 600 })
    const old = await submit('beside-old', { handler })
    await submit('beside-other', { handler })
    const rival = await http.keyFor('rival', 'admin')
    const ask = (n: number) => {
      if (n === 40) return submit(`beside-${n}`, { handler, key: 'held', on_conflict: 'error' })
      if (n === 50) return submit(`beside-${n}`, { handler, key: 'held' })
      if (n === 60) return submit('beside-old', { handler })
      if (n === 70) return submit('beside-other', { handler, payload: 'another' })
      const headers = { 'idempotency-key': `beside-${n}` }
      const key = n % 3 === 0 ? rival : http.admin
      return http.post('/runs', { handler, payload: n }, { key, headers })
    }
    const answers = await Promise.all(Array.from({ length: SENT }, (_, n) => ask(n)))
    const outcomes = answers.map(({ status, body }) => (status < 300 ? status : body.code))
    expect(outcomes).toEqual(
      outcomes.map((_, n) => {
        if (n === 40) return 'key_conflict'
        if (n === 70) return 'idempotency_key_reused'
        return n === 50 ? 200 : 201
      }),
    )
    expect(answers[60]?.body).toEqual(old.body)
    expect(answers[60]?.headers.get('idempotent-replayed')).toBe('true')
    const again = await Promise.all(Array.from({ length: SENT }, (_, n) => ask(n)))
    expect(again.map(({ body }) => body.id)).toEqual(answers.map(({ body }) => body.id))
    const rivals = Array.from({ length: SENT }, (_, n) => n).filter((n) => n % 3 === 0 && n !== 60)
    expect(await runs(handler, 'rival')).toBe(rivals.length)
    expect(await runs(handler)).toBe(SENT - rivals.length - 4 + 3)
    const sql = new pg.Client({ connectionString: http.database.url })
    await sql.connect()
    const { rows } = await sql.query(
      `select count(*)::int as keys, count(distinct xmin::text)::int as transactions
       from punctual.requests where key like 'beside-%'`,
    )
    await sql.end()
    expect(rows[0].transactions).toBeLessThan(rows[0].keys)
  })

  test('that repeat a key get the first answer or a refusal to retry', async () => {
    const keys = Array.from({ length: 60 }, (_, n) => `twice-${n % 40}`)
    const answers = await Promise.all(keys.map((key) => submit(key, { handler: 'twice' })))
    for (const { status, body } of answers)
      expect(status === 201 || body.code === 'idempotency_key_in_use').toBe(true)
    expect(await runs('twice')).toBe(40)
  })
})

test('a repeated bulk request gets its first answer, complete or partial', async () => {
  const line = (n: number) => JSON.stringify({ handler: 'packed', payload: n })
  const taken = JSON.stringify({ handler: 'packed', key: 'packed', delay: 600 })
  for (const [key, raw, path] of [
    ['packed-1', [line(1), line(2), line(3)].join('\n'), '/runs/bulk'],
    ['packed-2', [line(4), taken].join('\n'), '/runs/bulk'],
    ['packed-3', [line(5), taken].join('\n'), '/runs/bulk'],
    ['packed-4', [line(6), '{"handler":7}'].join('\n'), '/runs/bulk?mode=each'],
  ] as const) {
    const headers = { 'content-type': 'application/x-ndjson', 'idempotency-key': key }
    const first = await http.post(path, undefined, { raw, headers })
    const again = await http.post(path, undefined, { raw, headers })
    expect(again.headers.get('idempotent-replayed'), key).toBe('true')
    expect([again.status, again.body], key).toEqual([first.status, first.body])
    expect(first.body.items, key).toHaveLength(raw.split('\n').length)
  }
  expect(await runs('packed')).toBe(7)
})
