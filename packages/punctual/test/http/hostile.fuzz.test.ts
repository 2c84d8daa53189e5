/**
 * Hostile values in every member of every body and in every parameter of the document, and requests
 * that are invalid as HTTP. Each is answered with a problem that has a code, never with a server
 * error, reveals no internals, and the next request is answered.
 */
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { belongingsOf } from '../kit/http-belongings.ts'
import { HttpKit } from '../kit/http-kit.ts'
import {
  ask,
  exchange,
  fitting,
  forEachOf,
  type Operation,
  operationsOf,
  type Reply,
  type Request,
  readDocument,
  type Schema,
} from '../kit/http-operations.ts'

let http: HttpKit
let operations: readonly Operation[]

beforeAll(async () => {
  http = await HttpKit.open({ roles: ['worker'] })
  operations = operationsOf(await readDocument(http))
  await belongingsOf(http, 'acme')
})
afterAll(() => http.close())

const TEXTS = [
  ...["'; drop table punctual.runs; --", '" or 1=1 --', '$1', '%', '_', '\\', "''", '{{ x }}'],
  ...['\u0000', 'a\u0000b', '\r\nSet-Cookie: a=b', '\u001b[31m', '<script>alert(1)</script>'],
  ...['\ud800', '\u202e', '\u200b', '😀', 'e\u0301', '', ' ', 'x'.repeat(10_000)],
  ...['__proto__', 'constructor', 'toString', '../../etc/passwd', 'NaN', '1e400', '-1', 'null'],
]
const NUMBERS = [-1, 0, 0.5, -0.5, 1e300, 2 ** 31, 2 ** 53, 2 ** 63, -(2 ** 63)]
const OTHERS = [null, true, [], {}, [[]], [null], ['x'], [1], { a: 1 }]
const VALUES: readonly unknown[] = [...TEXTS, ...NUMBERS, ...OTHERS]

/** Internals that an answer must not reveal. */
const INSIDES =
  /syntax error at|pg_|punctual\.[a-z_]+ |node_modules|\.ts:\d|at async|\bSQL\b|\b22(P0|0[0-9])\d\b/

function faultOf({ status, body, headers, text }: Reply): string | false {
  if (status >= 500) return 'a server error'
  if (status < 400) return false
  if (!/^application\/problem\+json/.test(String(headers['content-type'])))
    return 'not a problem document'
  if (typeof body?.code !== 'string' || body.status !== status) return 'a problem without a code'
  if (body.request_id !== headers['x-request-id']) return 'a problem without its request id'
  return INSIDES.test(text) && 'reveals internals'
}

async function faultsOf(operation: Operation, all: readonly Request[]): Promise<string[]> {
  const found: string[] = []
  for (const request of all) {
    const key =
      operation.scope === 'system' || operation.scope === 'worker' ? http.system : http.admin
    const headers =
      key === http.system ? { 'x-punctual-tenant': 'acme', ...request.headers } : request.headers
    const reply = await ask(http, operation, { ...request, key, ...(headers && { headers }) })
    const fault = faultOf(reply)
    if (fault !== false)
      found.push(
        `${operation.title} ${JSON.stringify(request).slice(0, 300)}: ${fault} (${reply.status} ${reply.text.slice(0, 300)})`,
      )
  }
  return found
}

async function everywhere(requestsFor: (operation: Operation) => Request[]): Promise<void> {
  const found: string[] = []
  await forEachOf(operations, 6, async (operation) => {
    found.push(...(await faultsOf(operation, requestsFor(operation))))
  })
  expect(found).toEqual([])
  expect((await http.get('/jobs?limit=1')).status).toBe(200)
}

/** Each place gets the next few values in turn: all are used, and no test takes minutes. */
const AT_EACH_PLACE = 3
let place = 0

function valuesHere<T>(values: readonly T[]): T[] {
  place++
  return Array.from(
    { length: Math.min(AT_EACH_PLACE, values.length) },
    (_, i) => values[(place * AT_EACH_PLACE + i) % values.length] as T,
  )
}

/** Bodies with a hostile value at one place of the schema each. */
function hostileBodies(schema: Schema): unknown[] {
  const whole = fitting(schema) as object
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const inside = property.properties ? hostileBodies(property) : []
    return [...valuesHere(VALUES), ...inside].map((member) => ({ ...whole, [name]: member }))
  })
}

const objectOf = ({ body }: Operation) => (body?.type === 'object' ? body : null)

describe('everywhere', () => {
  test('every member of a body accepts only valid values (cases 111-114, 118-122, 124)', async () => {
    await everywhere((operation) => {
      const body = objectOf(operation)
      return body ? hostileBodies(body).map((hostile) => ({ body: hostile })) : []
    })
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })

  test('names of Object.prototype are treated like any unknown member (case 118)', async () => {
    const names = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty']
    await everywhere((operation) => {
      const whole = JSON.stringify(objectOf(operation) ? fitting(operation.body as Schema) : {})
      const rest = whole.length > 2 ? `,${whole.slice(1)}` : '}'
      return operation.body === null
        ? []
        : names.map((name) => ({ raw: `{"${name}":{"polluted":true}${rest}` }))
    })
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })

  test('every parameter accepts only valid values (cases 112, 119-122)', async () => {
    const texts = [...TEXTS, ...NUMBERS.map(String)].map((text) => text.toWellFormed())
    await everywhere(({ params, query }) => [
      ...params.flatMap(({ name }) =>
        valuesHere(texts).map((text) => ({ params: { [name]: text } })),
      ),
      ...query.flatMap(({ name }) =>
        valuesHere(texts).map((text) => ({ query: { [name]: text } })),
      ),
    ])
  })

  test('undecodable and parent paths are refused (case 121)', async () => {
    for (const path of ['%', '%zz', '%c0%af', '%00', '..%2f..%2fetc', 'x'.repeat(8_000), '%ff'])
      for (const prefix of ['/v1/jobs/', '/v1/', '/']) {
        const authorization = `Bearer ${http.admin}`
        const reply = await exchange(`${http.url}${prefix}${path}`, 'GET', undefined, {
          authorization,
        })
        expect(reply.status, `${prefix}${path.slice(0, 20)}`).toBeLessThan(500)
        expect(reply.status).toBeGreaterThanOrEqual(400)
        expect(faultOf(reply)).toBe(false)
      }
  })

  test('malformed bodies are refused (cases 111-117, 119)', async () => {
    const bodies: [string | Buffer, Record<string, string>?][] = [
      ['x'],
      ['null'],
      ['[]'],
      ['"text"'],
      ['{'],
      ['{"a":1,"a":2}'],
      [`{"payload":1e100000}`],
      [`{"payload":${'['.repeat(100_000)}`],
      [`{"payload":"${'x'.repeat(65_536)}"}`],
      [`{"payload":"${'x'.repeat(3_000_000)}"}`],
      [Buffer.from([0x7b, 0xff, 0xfe, 0x7d])],
      [gzipSync('{}'), { 'content-encoding': 'gzip' }],
      ['{}', { 'content-type': 'text/plain' }],
      ['{}', { 'content-type': 'application/xml' }],
      ['a=b', { 'content-type': 'application/x-www-form-urlencoded' }],
      ['{}', { 'content-type': 'application/json; charset=utf-16' }],
    ]
    await everywhere(({ body }) =>
      body === null ? [] : bodies.map(([raw, headers = {}]) => ({ raw, headers })),
    )
  })
})

describe('a body', () => {
  const create = () => operations.find(({ title }) => title === 'POST /v1/jobs') as Operation

  test('a compressed body is refused, because nothing is unpacked (case 117)', async () => {
    const raw = gzipSync(JSON.stringify({ name: 'x' }))
    for (const encoding of ['gzip', 'deflate', 'br', 'gzip, gzip']) {
      const reply = await ask(http, create(), { raw, headers: { 'content-encoding': encoding } })
      expect([reply.status, reply.body.code]).toEqual([415, 'media_type_unsupported'])
    }
  })

  test('a body over the limit is refused, with and without a length (case 117)', async () => {
    const raw = JSON.stringify({ name: 'x', payload: 'x'.repeat(2_200_000) })
    const reply = await ask(http, create(), { raw })
    expect([reply.status, reply.body.code]).toEqual([413, 'request_too_large'])
    const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`
    const answer = await byHand(`transfer-encoding: chunked\r\n\r\n${chunk.repeat(40)}0\r\n\r\n`)
    expect(answer).toMatch(/^HTTP\/1.1 413 /)
  })

  test('a chunked body is read like any other (case 117)', async () => {
    const body = JSON.stringify({ name: 'chunked', schedule: '@daily' })
    const chunks = [...body].map((char) => `1\r\n${char}\r\n`).join('')
    expect(await byHand(`transfer-encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`)).toMatch(
      /^HTTP\/1.1 201 /,
    )
  })

  test.for([
    ['too short', 'content-length: 1\r\n\r\n{}'],
    ['negative', 'content-length: -1\r\n\r\n{}'],
    ['not a number', 'content-length: two\r\n\r\n{}'],
    ['given twice', 'content-length: 2\r\ncontent-length: 3\r\n\r\n{}'],
    ['combined with chunks', 'content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n'],
  ] as const)('a body whose content-length is %s is refused (case 117)', async ([, rest]) => {
    expect(await byHand(rest)).toMatch(/^HTTP\/1.1 400 /)
    expect((await http.get('/jobs?limit=1')).status).toBe(200)
  })

  test('a request with ten thousand headers is refused (case 117)', async () => {
    const headers = Array.from({ length: 10_000 }, (_, i) => `x-${i}: ${i}\r\n`).join('')
    expect(await byHand(`${headers}content-length: 2\r\n\r\n{}`)).toMatch(/^HTTP\/1.1 431 /)
    expect((await http.get('/jobs?limit=1')).status).toBe(200)
  })

  /** Sends a raw request over a socket and returns the raw answer. */
  function byHand(rest: string): Promise<string> {
    const { hostname, port } = new URL(http.url)
    const head = `POST /v1/jobs HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${http.admin}\r\ncontent-type: application/json\r\nconnection: close\r\n`
    return new Promise((resolve, reject) => {
      let answer = ''
      const socket = connect(Number(port), hostname, () => socket.write(head + rest))
      socket.on('data', (chunk) => {
        answer += chunk.toString()
      })
      socket.on('close', () => resolve(answer))
      // A refused request is not read to its end: the answer arrives before the error.
      socket.on('error', (error) => (answer === '' ? reject(error) : resolve(answer)))
    })
  }
})

describe('a cursor', () => {
  test('an altered, cut, extended or foreign cursor is refused (case 123)', async () => {
    for (let n = 0; n < 5; n++) await http.call('PUT', `/jobs/paged-${n}`, { schedule: '@daily' })
    const { body } = await http.get('/jobs?name=paged&limit=2')
    const cursor = body.next_cursor as string
    expect((await http.get(`/jobs?name=paged&limit=2&cursor=${cursor}`)).status).toBe(200)
    const middle = cursor.length >> 1
    const other = cursor[middle] === 'A' ? 'B' : 'A'
    const altered = [
      ...[cursor.slice(0, middle) + other + cursor.slice(middle + 1), cursor.slice(0, -2)],
      ...[`${cursor}AAAA`, cursor.toUpperCase(), 'x', `${cursor}%00`, '..', "' or 1=1"],
    ]
    for (const wrong of altered) {
      const reply = await http.get(`/jobs?name=paged&limit=2&cursor=${encodeURIComponent(wrong)}`)
      expect([reply.status, reply.body.code], wrong).toEqual([400, 'invalid_cursor'])
    }
    const key = await http.keyFor('rival', 'read')
    const theirs = await http.get(`/jobs?name=paged&limit=2&cursor=${cursor}`, { key })
    expect([theirs.status, theirs.body.code]).toEqual([400, 'invalid_cursor'])
    const elsewhere = await http.get(`/jobs?name=page&limit=2&cursor=${cursor}`)
    expect([elsewhere.status, elsewhere.body.code]).toEqual([400, 'invalid_cursor'])
  })
})

test('every list reports an invalid instant under the name of its parameter', async () => {
  const lists = operations.filter(({ method, params }) => method === 'GET' && params.length === 0)
  const wrong: string[] = []
  let tried = 0
  for (const operation of lists)
    for (const { name } of operation.query) {
      if (!/(^|_)(from|to|before)$/.test(name)) continue
      const { body } = await ask(http, operation, { query: { [name]: 'soon' } })
      tried++
      if (body?.field !== name || body.pointer !== `/${name}`)
        wrong.push(`${operation.title} ${name}: ${JSON.stringify(body)}`)
    }
  expect(wrong).toEqual([])
  expect(tried).toBeGreaterThan(8)
})
