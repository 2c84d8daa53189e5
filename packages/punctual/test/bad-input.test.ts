/** RELIABILITY.md section 3.8, by number: what must be refused at submit, and what must survive as data. */
import { migratedDatabase, type TestDatabase } from '@punctual/testkit'
import pg from 'pg'
import { Punctual, PunctualError, type SubmitCallOptions } from 'punctual'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const MIB = 1_048_576

let database: TestDatabase
let client: Punctual
let sql: pg.Client
beforeAll(async () => {
  database = await migratedDatabase()
  client = await Punctual.start({ databaseUrl: database.url, roles: [] })
  sql = new pg.Client({ connectionString: database.url })
  await sql.connect()
  await client.submit('good', 'the first makes the lane')
})
afterAll(async () => {
  await sql.end()
  await client.stop()
  await database.drop()
})

/** How many rows each table has that a submission writes to. */
async function stored(): Promise<Record<string, number>> {
  const tables = ['runs', 'queue', 'later', 'live_keys', 'lanes']
  const counts = tables.map((table) => `(select count(*)::int from punctual.${table}) as ${table}`)
  return (await sql.query(`select ${counts.join(', ')}`)).rows[0]
}

/** The bad call is refused, stores nothing, and does not disturb those before, beside and after it. */
async function refuses(bad: () => Promise<unknown>, expected: object): Promise<PunctualError> {
  const before = await stored()
  const [first, refused, ...others] = await Promise.allSettled([
    client.submit('good', 'before'),
    bad(),
    client.submit('good', 'beside'),
    client.submitMany('good', ['beside', 'beside']),
  ])
  await client.submit('good', 'after')
  expect([first, ...others].map(({ status }) => status)).toEqual(new Array(3).fill('fulfilled'))
  const error = refused.status === 'rejected' ? refused.reason : refused.value
  expect(error).toBeInstanceOf(PunctualError)
  expect(error).toMatchObject(expected)
  const { runs = 0, queue = 0, ...rest } = before
  expect(await stored()).toEqual({ runs: runs + 5, queue: queue + 5, ...rest })
  return error
}

const submit = (payload: unknown, options?: object) => () =>
  client.submit('bad', payload, options as SubmitCallOptions)

/** Stores it, and reads it back as a person would. */
async function accepted(payload: unknown, options: SubmitCallOptions = {}, handler = 'fine') {
  const { id } = await client.submit(handler, payload, options)
  const run = await client.runs.get(id)
  if (run === null) throw new Error(`run ${id} is not found`)
  return run
}

async function storedPayload(id: string): Promise<string> {
  const { rows } = await sql.query('select payload from punctual.runs where id = $1', [id])
  return rows[0].payload
}

function nested(levels: number, wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = 1
  for (let i = 0; i < levels; i++) value = wrap(value)
  return value
}

describe('payloads', () => {
  it.for([
    ['111: a NUL in a text', 'a\u0000b', 'invalid_payload', 'payload'],
    ['111: a NUL in a name', { 'a\u0000': 1 }, 'invalid_payload', 'payload'],
    ['111: a NUL behind a backslash', ['\\\u0000'], 'invalid_payload', 'payload'],
    ['112: half of a surrogate pair', '\ud800', 'invalid_payload', 'payload'],
    ['112: the other half, in a name', { a: { '\udfff': 1 } }, 'invalid_payload', 'payload'],
    [
      '113: a numeric bomb as JavaScript reads it',
      JSON.parse(`{"a":[${new Array(100).fill('1e100000').join(',')}]}`),
      'invalid_payload',
      'payload.a[0]',
    ],
    ['114: NaN', { a: Number.NaN }, 'invalid_payload', 'payload.a'],
    ['114: Infinity', [1, Number.POSITIVE_INFINITY], 'invalid_payload', 'payload[1]'],
    ['114: a bigint', { a: [{ b: 2n ** 64n }] }, 'invalid_payload', 'payload.a[0].b'],
    [
      '116: arrays 100,000 deep',
      nested(100_000, (a) => [a]),
      'payload_too_deep',
      /^payload(\[0\])+/,
    ],
    [
      '116: objects 100,000 deep',
      nested(100_000, (a) => ({ a })),
      'payload_too_deep',
      /^payload(\.a)+/,
    ],
    ['116: a value that contains itself', ring(), 'invalid_payload', 'payload.self'],
    ['117: 1 MiB and one byte', 'x'.repeat(MIB - 1), 'payload_too_large', 'payload'],
    ['117: 1 MiB of two-byte characters', 'é'.repeat(MIB / 2), 'payload_too_large', 'payload'],
    ['117: 10 MB', 'x'.repeat(10_000_000), 'payload_too_large', 'payload'],
    ['117: 100 MB', 'x'.repeat(100_000_000), 'payload_too_large', 'payload'],
    ['117: a little that unfolds', nested(90, (a) => [a, a]), 'payload_too_large', 'payload'],
    ['122: a function', { a: () => 1 }, 'invalid_payload', 'payload.a'],
    ['122: a symbol', Symbol('s'), 'invalid_payload', 'payload'],
    ['122: a Map', { a: new Map() }, 'invalid_payload', 'payload.a'],
    ['122: an Error', new Error('x'), 'invalid_payload', 'payload'],
    ['122: an invalid Date', { at: new Date('tomorrow') }, 'invalid_payload', 'payload.at'],
    ['122: a promise that was not awaited', Promise.resolve(1), 'invalid_payload', 'payload'],
    [
      '122: a getter that throws',
      {
        get a() {
          throw new Error('no')
        },
      },
      'invalid_payload',
      'payload.a',
    ],
    [
      '122: a toJSON that throws',
      {
        a: {
          toJSON() {
            throw new Error('no')
          },
        },
      },
      'invalid_payload',
      'payload.a',
    ],
  ] as [string, unknown, string, string | RegExp][])(
    '%s is refused, and names the field',
    async ([, payload, code, path]) => {
      const field = typeof path === 'string' ? path : expect.stringMatching(path)
      const error = await refuses(submit(payload), { code, field })
      expect(error.message.startsWith(error.field ?? '?')).toBe(true)
      await refuses(() => client.submitMany('bad', [1, 2, payload, 4]), {
        code,
        field: expect.stringMatching(/^\[2\]\.payload/),
        message: expect.stringMatching(/^Item 2: payload/),
      })
    },
  )

  it('115: what is stored is the text as it was written, to the byte', async () => {
    const payload = { z: 1, a: [1e21, 0.1, -5e-324, '€'], '10': true, '9': null, '': {} }
    const run = await accepted(payload)
    expect(await storedPayload(run.id)).toBe(JSON.stringify(payload))
    expect(run.payload).toEqual(payload)
  })

  it('111, 114, 117-119, 121, 124: what is only unusual survives as data', async () => {
    const payloads = [
      '\\u0000 and \\ud800 as six characters each',
      [2 ** 53, 2 ** 53 + 2, Number.MAX_VALUE, Number.MIN_VALUE, 1e21, -1e-7],
      JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'),
      { emoji: '👩‍👩‍👧‍👦😀', 'עברית \u202e': '\u202egnp.exe', zeroWidth: 'a\u200b\u200d\ufeffb' },
      { nfc: '\u00e9', nfd: 'e\u0301', nonCharacter: '\uffff', max: '\u{10ffff}' },
      { sql: `'; drop table runs; -- $1 %s \\' "` },
      { template: '{{ constructor }} ${1} <%= 1 %>', html: '<script>alert(1)</script>' },
      { lines: 'a\r\nb', ansi: '\u001b[31mred\u009b0m', csv: '=cmd|x' },
      nested(100, (a) => [a]),
      ['', ' ', [], {}, [[]], null, false, 0],
    ]
    for (const payload of payloads) expect((await accepted(payload)).payload).toEqual(payload)
    expect(({} as { polluted?: number }).polluted).toBe(undefined)
    for (const nothing of [undefined, null]) expect((await accepted(nothing)).payload).toBe(null)
  })

  it('117: 1 B, 64 kB and 1 MiB exactly pass, one byte or many bytes a character', async () => {
    for (const text of [
      '',
      'x'.repeat(64_000),
      'x'.repeat(MIB - 2),
      'é'.repeat((MIB - 2) / 2),
      `xx${'😀'.repeat((MIB - 4) / 4)}`,
    ]) {
      const run = await accepted(text)
      expect(run.payload === text).toBe(true)
      expect(Buffer.byteLength(await storedPayload(run.id))).toBeLessThanOrEqual(MIB)
    }
  })
})

function ring(): object {
  const value: { self?: object } = {}
  value.self = value
  return value
}

describe('times', () => {
  it.for([
    ['an invalid Date', { runAt: new Date('tomorrow') }, 'runAt'],
    ['NaN', { runAt: Number.NaN }, 'runAt'],
    ['a text that is no time', { runAt: 'tomorrow' }, 'runAt'],
    ['February 30', { runAt: '2026-02-30T00:00:00Z' }, 'runAt'],
    ['the year 294277, where PostgreSQL ends', { runAt: '294277-01-01T00:00:00Z' }, 'runAt'],
    ['the last date that JavaScript has', { runAt: new Date(8.64e15) }, 'runAt'],
    ['the year 10000', { runAt: new Date('+010000-01-01T00:00:00Z') }, 'runAt'],
    ['a time before 1970', { runAt: new Date(-1) }, 'runAt'],
    ['null', { runAt: null }, 'runAt'],
    ['a bigint', { runAt: 5n }, 'runAt'],
    ['both', { runAt: new Date(), delayMs: 5 }, 'runAt'],
    ['a negative delay', { delayMs: -1 }, 'delayMs'],
    ['a delay of NaN', { delayMs: Number.NaN }, 'delayMs'],
    ['an infinite delay', { delayMs: Number.POSITIVE_INFINITY }, 'delayMs'],
    ['a delay as text', { delayMs: '1000' }, 'delayMs'],
    ['a delay beyond a hundred years', { delayMs: 1e13 }, 'delayMs'],
  ] as [string, object, string][])('122: %s is refused', async ([, options, field]) => {
    await refuses(submit(1, options), { code: 'invalid_option', field })
  })

  it('122: the first and the last time that are accepted come back as they were', async () => {
    for (const runAt of [new Date(0), new Date('9999-12-31T23:59:59.999Z')]) {
      const run = await accepted(1, { runAt })
      expect(run.dueAt).toEqual(runAt)
      expect(run.state).toBe(runAt.getTime() === 0 ? 'queued' : 'scheduled')
    }
    const run = await accepted(1, { delayMs: 100 * 366 * 86_400_000 })
    expect(run).toMatchObject({ state: 'scheduled' })
    expect(run.dueAt.getUTCFullYear()).toBeGreaterThan(2_120)
  })
})

describe('options', () => {
  const numbers = [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, '5', null, {}, [5], 5n]
  const texts = ['', 5, null, {}, 'a\u0000b', '\ud800', 'a\nb', '\u001b[2J', 'x'.repeat(8_193)]
  it.for([
    ...['priority', 'maxAttempts', 'timeoutMs'].map((field) => [field, numbers]),
    ['priority', [11, -2_147_483_649]],
    ['maxAttempts', [0, 1_001, 32_768]],
    ['timeoutMs', [0, 2 ** 31]],
    ...['queue', 'key', 'createdBy', 'trace'].map((field) => [field, texts]),
    ['key', ['k'.repeat(256)]],
    ['labels', ['a', 5, ['a'], new Map([['a', 'b']])]],
    ['strict', ['yes', 1, null]],
    ['retry', [null, 'x', { backoff: null }]],
    ['priorty', [5]],
    ['tx2', [{}]],
  ] as [string, unknown[]][])(
    '112, 120-122: a bad %s is refused by name (%#)',
    async ([field, values]) => {
      for (const value of values) {
        const named =
          field === 'retry' && value !== null && typeof value === 'object'
            ? 'retry.backoff.kind'
            : field
        await refuses(submit(1, { [field]: value }), { code: 'invalid_option', field: named })
        await refuses(
          () => client.submitMany('bad', [1, 2], (_, i) => (i === 1 ? { [field]: value } : {})),
          { code: 'invalid_option', field: `[1].${named}` },
        )
      }
    },
  )

  it('112, 121: a bad name of a handler is refused, at submission and at registration', async () => {
    for (const name of texts) {
      await refuses(() => client.submit(name as string, 1), {
        code: 'invalid_option',
        field: 'handler',
      })
      expect(() => client.handler(name as string, () => 1)).toThrow(
        expect.objectContaining({ code: 'invalid_option', field: 'handler' }),
      )
    }
  })

  it('122: labels may be 16 of 64 and 256 characters, and no more', async () => {
    const labels = (count: number) =>
      Object.fromEntries(
        Array.from({ length: count }, (_, i) => [`${i}`.padEnd(64, 'é'), `${i}`.padEnd(256, '€')]),
      )
    expect((await accepted(1, { labels: labels(16) })).labels).toEqual(labels(16))
    await refuses(submit(1, { labels: labels(17) }), { field: 'labels' })
    await refuses(submit(1, { labels: { a: 5 } }), { field: 'labels.a' })
    await refuses(submit(1, { labels: { a: 'x\u0000' } }), { field: 'labels.a' })
    await refuses(submit(1, { labels: { ['n'.repeat(65)]: 'v' } }), {
      field: expect.stringMatching(/^labels key "nnn/),
    })
  })

  it('118, 119, 121, 124: odd texts survive as data in every field', async () => {
    for (const odd of [
      `'; drop table punctual.runs; --`,
      `"punctual"."runs" \\ $1 $$ %s {} [] () , {"a":1}`,
      `50%_off\\%`,
      `{a,"b",NULL}`,
      '👩‍👩‍👧‍👦 \u202eRTL\u202c \u200bzero\u200d',
      'e\u0301 is not \u00e9',
      '<img src=x onerror=alert(1)>{{7*7}}',
      '__proto__',
      'constructor',
      '../../etc/passwd',
      'NULL',
    ]) {
      const labels = { [odd]: odd }
      const options = { queue: odd, key: odd, createdBy: odd, trace: odd, labels }
      const run = await accepted(odd, options, odd)
      expect(run).toMatchObject({ ...options, handler: odd, payload: odd, state: 'queued' })
      expect(Object.keys(run.labels)).toEqual([odd])
      const listed = await client.runs.list({ queue: odd, handler: odd })
      expect(listed.map(({ id }) => id)).toEqual([run.id])
      expect(await client.submit(odd, 2, options)).toEqual({ id: run.id, created: false })
    }
    expect((await stored()).runs).toBeGreaterThan(0)
  })

  it('121: wildcards of LIKE in a filter match nothing but themselves', async () => {
    await accepted(1, { queue: 'wild' })
    for (const queue of ['%', 'w%', '____', 'WILD', 'wild '])
      expect(await client.runs.list({ queue })).toEqual([])
  })
})

describe('keys', () => {
  it('120: of 255 characters, four-byte ones too, are accepted', async () => {
    for (const key of ['k'.repeat(255), '€'.repeat(255), `x${'😀'.repeat(127)}`])
      expect((await accepted(1, { key })).key).toBe(key)
  })

  it('119: that differ only in their normal form are two', async () => {
    const [composed, decomposed] = await Promise.all(
      ['\u00e9', 'e\u0301'].map((key) => client.submit('fine', 1, { key })),
    )
    expect(composed).toMatchObject({ created: true })
    expect(decomposed).toMatchObject({ created: true })
  })

  it('120: submitted a hundred times at once with different payloads make one run', async () => {
    const before = await stored()
    const all = await Promise.all(
      Array.from({ length: 100 }, (_, i) => client.submit('fine', i, { key: 'same' })),
    )
    expect(new Set(all.map(({ id }) => id)).size).toBe(1)
    expect(all.filter(({ created }) => created)).toHaveLength(1)
    const after = await stored()
    expect(after.runs).toBe((before.runs ?? 0) + 1)
    expect(after.live_keys).toBe((before.live_keys ?? 0) + 1)
  })

  it('120: given twice in one batch make one run, and the others of the batch their own', async () => {
    const batch = await client.submitMany('fine', ['a', 'b', 'a', 'c'], (payload) => ({
      key: `twice ${payload}`,
    }))
    expect(batch.map(({ created }) => created)).toEqual([true, true, false, true])
    expect(batch[2]?.id).toBe(batch[0]?.id)
  })
})

describe('a batch', () => {
  it.for([
    ['not an array', 'text'],
    ['no array at all', undefined],
    ['a Set', new Set([1])],
    ['more than 10,000', new Array(10_001).fill(1)],
  ] as [string, never[]][])('122: that is %s is refused', async ([, payloads]) => {
    await refuses(() => client.submitMany('bad', payloads), {
      code: 'invalid_option',
      field: 'payloads',
    })
  })

  it('may be empty, and may have 10,000', async () => {
    expect(await client.submitMany('fine', [])).toEqual([])
    const before = await stored()
    await client.submitMany('fine', new Array(10_000).fill('x'))
    expect((await stored()).runs).toBe((before.runs ?? 0) + 10_000)
  })

  it('with one bad item among 10,000 stores nothing, and names the item', async () => {
    const payloads: unknown[] = new Array(10_000).fill('x')
    payloads[9_999] = { deep: [1n] }
    await refuses(() => client.submitMany('bad', payloads), {
      code: 'invalid_payload',
      field: '[9999].payload.deep[0]',
      message: expect.stringMatching(/^Item 9999: payload\.deep\[0\] is a bigint/),
    })
  })
})

it("a refusal leaves the caller's own transaction as it was", async () => {
  await sql.query('create table if not exists ledger (note text)')
  await sql.query('begin')
  await sql.query(`insert into ledger values ('kept')`)
  await expect(client.submit('bad', '\u0000', { tx: sql })).rejects.toBeInstanceOf(PunctualError)
  await expect(client.submit('bad', 1, { tx: sql, priority: 11 })).rejects.toMatchObject({
    field: 'priority',
  })
  const { id } = await client.submit('fine', 'in the transaction', { tx: sql })
  await sql.query('commit')
  expect(await client.runs.get(id)).toMatchObject({ payload: 'in the transaction' })
  expect((await sql.query('select note from ledger')).rows).toEqual([{ note: 'kept' }])
})

it('123: an id that is none is refused, wherever it is given', async () => {
  const other = '01999999-0000-7000-8000-000000000000'
  for (const id of [
    '',
    'x',
    `${other}0`,
    `${other}' or 1=1`,
    `{${other}}`,
    other.replaceAll('-', ''),
    '\u0000',
  ])
    for (const call of [
      async () => client.runs.get(id),
      async () => client.runs.logs(id),
      async () => client.runs.waitFor(id),
      async () => client.runs.cancel(id),
      async () => client.runs.reschedule(id, new Date()),
    ])
      await refuses(call, { code: 'invalid_option', field: 'id' })
  expect(await client.runs.get(other)).toBe(null)
  await expect(client.runs.cancel(other)).rejects.toMatchObject({
    code: 'run_not_found',
    id: other,
  })
})
