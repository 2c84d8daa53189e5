/**
 * Values that nobody should send, in every member of every body and in every parameter of the document; and requests that
 * are wrong as HTTP. Each is answered with a problem that has a code, never with an error of the server, tells nothing of
 * its inside, and the next request is answered.
 */
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { belongingsOf } from '../kit/http-belongings.ts'
import { HttpKit } from '../kit/http-kit.ts'
import {
  type Asked,
  ask,
  exchange,
  fitting,
  forEachOf,
  type Operation,
  operationsOf,
  readDocument,
  type Schema,
  type Told,
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

/** What an answer must not say: where it comes from. */
const INSIDES =
  /syntax error at|pg_|punctual\.[a-z_]+ |node_modules|\.ts:\d|at async|\bSQL\b|\b22(P0|0[0-9])\d\b/

function faultOf({ status, body, headers, text }: Told): string | false {
  if (status >= 500) return 'an error of the server'
  if (status < 400) return false
  if (!/^application\/problem\+json/.test(String(headers['content-type']))) return 'no problem'
  if (typeof body?.code !== 'string' || body.status !== status) return 'a problem without a code'
  if (body.request_id !== headers['x-request-id']) return 'a problem without its request'
  return INSIDES.test(text) && 'tells of its inside'
}

async function faultsOf(operation: Operation, all: readonly Asked[]): Promise<string[]> {
  const found: string[] = []
  for (const asked of all) {
    const key =
      operation.scope === 'system' || operation.scope === 'worker' ? http.system : http.admin
    const headers =
      key === http.system ? { 'x-punctual-tenant': 'acme', ...asked.headers } : asked.headers
    const told = await ask(http, operation, { ...asked, key, ...(headers && { headers }) })
    const fault = faultOf(told)
    if (fault !== false)
      found.push(
        `${operation.title} ${JSON.stringify(asked).slice(0, 300)}: ${fault} (${told.status} ${told.text.slice(0, 300)})`,
      )
  }
  return found
}

async function everywhere(asking: (operation: Operation) => Asked[]): Promise<void> {
  const found: string[] = []
  await forEachOf(operations, 6, async (operation) => {
    found.push(...(await faultsOf(operation, asking(operation))))
  })
  expect(found).toEqual([])
  expect((await http.get('/jobs?limit=1')).status).toBe(200)
}

/** Of all values some for each place, other ones for the next: all are in use, and no test takes minutes. */
const AT_EACH_PLACE = 3
let place = 0

function valuesHere<T>(values: readonly T[]): T[] {
  place++
  return Array.from(
    { length: Math.min(AT_EACH_PLACE, values.length) },
    (_, i) => values[(place * AT_EACH_PLACE + i) % values.length] as T,
  )
}

/** Bodies with a value that nobody should send at every place of the schema, one at a time. */
function hostileBodies(schema: Schema): unknown[] {
  const whole = fitting(schema) as object
  return Object.entries(schema.properties ?? {}).flatMap(([name, of]) => {
    const inside = of.properties ? hostileBodies(of) : []
    return [...valuesHere(VALUES), ...inside].map((member) => ({ ...whole, [name]: member }))
  })
}

const objectOf = ({ body }: Operation) => (body?.type === 'object' ? body : null)

describe('everywhere', () => {
  test('members of bodies take their values, and no others (cases 111-114, 118-122, 124)', async () => {
    await everywhere((operation) => {
      const body = objectOf(operation)
      return body ? hostileBodies(body).map((it) => ({ body: it })) : []
    })
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })

  test('names that objects have by nature are members like others (case 118)', async () => {
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

  test('parameters take their values, and no others (cases 112, 119-122)', async () => {
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

  test('addresses that cannot be decoded, or go up, are none (case 121)', async () => {
    for (const path of ['%', '%zz', '%c0%af', '%00', '..%2f..%2fetc', 'x'.repeat(8_000), '%ff'])
      for (const prefix of ['/v1/jobs/', '/v1/', '/']) {
        const authorization = `Bearer ${http.admin}`
        const told = await exchange(`${http.url}${prefix}${path}`, 'GET', undefined, {
          authorization,
        })
        expect(told.status, `${prefix}${path.slice(0, 20)}`).toBeLessThan(500)
        expect(told.status).toBeGreaterThanOrEqual(400)
        expect(faultOf(told)).toBe(false)
      }
  })

  test('bodies that are wrong as bodies are refused (cases 111-117, 119)', async () => {
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

  test('that is compressed is refused: nothing is unpacked here (case 117)', async () => {
    const raw = gzipSync(JSON.stringify({ name: 'x' }))
    for (const encoding of ['gzip', 'deflate', 'br', 'gzip, gzip']) {
      const told = await ask(http, create(), { raw, headers: { 'content-encoding': encoding } })
      expect([told.status, told.body.code]).toEqual([415, 'media_type_unsupported'])
    }
  })

  test('over the limit is refused, whether or not it says how long it is (case 117)', async () => {
    const raw = JSON.stringify({ name: 'x', payload: 'x'.repeat(2_200_000) })
    const told = await ask(http, create(), { raw })
    expect([told.status, told.body.code]).toEqual([413, 'request_too_large'])
    const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`
    const answer = await byHand(`transfer-encoding: chunked\r\n\r\n${chunk.repeat(40)}0\r\n\r\n`)
    expect(answer).toMatch(/^HTTP\/1.1 413 /)
  })

  test('in chunks is read like any other (case 117)', async () => {
    const body = JSON.stringify({ name: 'chunked', schedule: '@daily' })
    const chunks = [...body].map((char) => `1\r\n${char}\r\n`).join('')
    expect(await byHand(`transfer-encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`)).toMatch(
      /^HTTP\/1.1 201 /,
    )
  })

  test.for([
    ['shorter than it is', 'content-length: 1\r\n\r\n{}'],
    ['negative', 'content-length: -1\r\n\r\n{}'],
    ['no number', 'content-length: two\r\n\r\n{}'],
    ['two of them', 'content-length: 2\r\ncontent-length: 3\r\n\r\n{}'],
    ['beside chunks', 'content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n'],
  ] as const)('whose length is %s is refused (case 117)', async ([, rest]) => {
    expect(await byHand(rest)).toMatch(/^HTTP\/1.1 400 /)
    expect((await http.get('/jobs?limit=1')).status).toBe(200)
  })

  test('behind ten thousand headers is refused (case 117)', async () => {
    const headers = Array.from({ length: 10_000 }, (_, i) => `x-${i}: ${i}\r\n`).join('')
    expect(await byHand(`${headers}content-length: 2\r\n\r\n{}`)).toMatch(/^HTTP\/1.1 431 /)
    expect((await http.get('/jobs?limit=1')).status).toBe(200)
  })

  /** What is answered to a request whose head and body are written by hand. */
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
      // What is refused half way is not read to its end: the answer came before that.
      socket.on('error', (error) => (answer === '' ? reject(error) : resolve(answer)))
    })
  }
})

describe('a cursor', () => {
  test('that was altered, cut, extended, or made for another tenant, is refused (case 123)', async () => {
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
      const told = await http.get(`/jobs?name=paged&limit=2&cursor=${encodeURIComponent(wrong)}`)
      expect([told.status, told.body.code], wrong).toEqual([400, 'invalid_cursor'])
    }
    const key = await http.keyFor('rival', 'read')
    const theirs = await http.get(`/jobs?name=paged&limit=2&cursor=${cursor}`, { key })
    expect([theirs.status, theirs.body.code]).toEqual([400, 'invalid_cursor'])
    const elsewhere = await http.get(`/jobs?name=page&limit=2&cursor=${cursor}`)
    expect([elsewhere.status, elsewhere.body.code]).toEqual([400, 'invalid_cursor'])
  })
})

test('a moment that is none is told under the name that it came with, on every list', async () => {
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
