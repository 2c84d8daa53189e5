/** The input cases by number: what must be refused at submission, and what must survive as data. */
import { type Punctual, PunctualError, type SubmitCallOptions } from 'punctual'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { RefusingClient } from '../kit/refusing-client.ts'

const MIB = 1_048_576

let on: RefusingClient
let client: Punctual
beforeAll(async () => {
  on = await RefusingClient.open()
  client = on.client
})
afterAll(() => on.close())

const submit = (payload: unknown, options?: object) => () =>
  client.submit('bad', payload, options as SubmitCallOptions)

async function storedPayload(id: string): Promise<string> {
  const { rows } = await on.sql.query('select payload from punctual.runs where id = $1', [id])
  return rows[0].payload
}

function nested(levels: number, wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = 1
  for (let i = 0; i < levels; i++) value = wrap(value)
  return value
}

describe('payloads', () => {
  it.for([
    ['a NUL in a string (case 111)', 'a\u0000b', 'invalid_payload', 'payload'],
    ['a NUL in a name (case 111)', { 'a\u0000': 1 }, 'invalid_payload', 'payload'],
    ['a NUL behind a backslash (case 111)', ['\\\u0000'], 'invalid_payload', 'payload'],
    ['half of a surrogate pair (case 112)', '\ud800', 'invalid_payload', 'payload'],
    ['the other half, in a name (case 112)', { a: { '\udfff': 1 } }, 'invalid_payload', 'payload'],
    [
      'a number too large for JavaScript (case 113)',
      JSON.parse(`{"a":[${new Array(100).fill('1e100000').join(',')}]}`),
      'invalid_payload',
      'payload.a[0]',
    ],
    ['NaN (case 114)', { a: Number.NaN }, 'invalid_payload', 'payload.a'],
    ['Infinity (case 114)', [1, Number.POSITIVE_INFINITY], 'invalid_payload', 'payload[1]'],
    ['a bigint (case 114)', { a: [{ b: 2n ** 64n }] }, 'invalid_payload', 'payload.a[0].b'],
    [
      'arrays 100,000 deep (case 116)',
      nested(100_000, (a) => [a]),
      'payload_too_deep',
      /^payload(\[0\])+/,
    ],
    [
      'objects 100,000 deep (case 116)',
      nested(100_000, (a) => ({ a })),
      'payload_too_deep',
      /^payload(\.a)+/,
    ],
    ['a value that contains itself (case 116)', ring(), 'invalid_payload', 'payload.self'],
    ['1 MiB and one byte (case 117)', 'x'.repeat(MIB - 1), 'payload_too_large', 'payload'],
    [
      '1 MiB of two-byte characters (case 117)',
      'é'.repeat(MIB / 2),
      'payload_too_large',
      'payload',
    ],
    ['10 MB (case 117)', 'x'.repeat(10_000_000), 'payload_too_large', 'payload'],
    ['100 MB (case 117)', 'x'.repeat(100_000_000), 'payload_too_large', 'payload'],
    [
      'a small value that expands (case 117)',
      nested(90, (a) => [a, a]),
      'payload_too_large',
      'payload',
    ],
    ['a function (case 122)', { a: () => 1 }, 'invalid_payload', 'payload.a'],
    ['a symbol (case 122)', Symbol('s'), 'invalid_payload', 'payload'],
    ['a Map (case 122)', { a: new Map() }, 'invalid_payload', 'payload.a'],
    ['an Error (case 122)', new Error('x'), 'invalid_payload', 'payload'],
    ['an invalid Date (case 122)', { at: new Date('tomorrow') }, 'invalid_payload', 'payload.at'],
    ['a promise that was not awaited (case 122)', Promise.resolve(1), 'invalid_payload', 'payload'],
    [
      'a getter that throws (case 122)',
      {
        get a() {
          throw new Error('no')
        },
      },
      'invalid_payload',
      'payload.a',
    ],
    [
      'a toJSON that throws (case 122)',
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
    '%s is refused with the name of the field',
    async ([, payload, code, path]) => {
      const field = typeof path === 'string' ? path : expect.stringMatching(path)
      const error = await on.refuses(submit(payload), { code, field })
      expect(error.message.startsWith(error.field ?? '?')).toBe(true)
      await on.refuses(() => client.submitMany('bad', [1, 2, payload, 4]), {
        code,
        field: expect.stringMatching(/^\[2\]\.payload/),
        message: expect.stringMatching(/^Item 2: payload/),
      })
    },
  )

  it('the stored payload is the submitted JSON byte for byte (case 115)', async () => {
    const payload = { z: 1, a: [1e21, 0.1, -5e-324, '€'], '10': true, '9': null, '': {} }
    const run = await on.accepts(payload)
    expect(await storedPayload(run.id)).toBe(JSON.stringify(payload))
    expect(run.payload).toEqual(payload)
  })

  it('unusual values survive as data (cases 111, 114, 117-119, 121, 124)', async () => {
    const payloads = [
      '\\u0000 and \\ud800 as six characters each',
      [2 ** 53, 2 ** 53 + 2, Number.MAX_VALUE, Number.MIN_VALUE, 1e21, -1e-7],
      JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'),
      { emoji: '👩‍👩‍👧‍👦😀', 'עברית \u202e': '\u202egnp.exe', zeroWidth: 'a\u200b\u200d\ufeffb' },
      { nfc: '\u00e9', nfd: 'e\u0301', nonCharacter: '\uffff', max: '\u{10ffff}' },
      { sql: `'; drop table runs; -- $1 %s \\' "` },
      { template: '{{ constructor }} #{1} <%= 1 %>', html: '<script>alert(1)</script>' },
      { lines: 'a\r\nb', ansi: '\u001b[31mred\u009b0m', csv: '=cmd|x' },
      nested(100, (a) => [a]),
      ['', ' ', [], {}, [[]], null, false, 0],
    ]
    for (const payload of payloads) expect((await on.accepts(payload)).payload).toEqual(payload)
    expect(({} as { polluted?: number }).polluted).toBe(undefined)
    for (const nothing of [undefined, null]) expect((await on.accepts(nothing)).payload).toBe(null)
  })

  it('payloads of 1 B, 64 kB and exactly 1 MiB pass, also with multi-byte characters (case 117)', async () => {
    for (const text of [
      '',
      'x'.repeat(64_000),
      'x'.repeat(MIB - 2),
      'é'.repeat((MIB - 2) / 2),
      `xx${'😀'.repeat((MIB - 4) / 4)}`,
    ]) {
      const run = await on.accepts(text)
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
    ['a string that is no time', { runAt: 'tomorrow' }, 'runAt'],
    ['February 30', { runAt: '2026-02-30T00:00:00Z' }, 'runAt'],
    ['the year 294277, the end of PostgreSQL times', { runAt: '294277-01-01T00:00:00Z' }, 'runAt'],
    ['the last date of JavaScript', { runAt: new Date(8.64e15) }, 'runAt'],
    ['the year 10000', { runAt: new Date('+010000-01-01T00:00:00Z') }, 'runAt'],
    ['a time before 1970', { runAt: new Date(-1) }, 'runAt'],
    ['null', { runAt: null }, 'runAt'],
    ['a bigint', { runAt: 5n }, 'runAt'],
    ['both', { runAt: new Date(), delayMs: 5 }, 'runAt'],
    ['a negative delay', { delayMs: -1 }, 'delayMs'],
    ['a delay of NaN', { delayMs: Number.NaN }, 'delayMs'],
    ['an infinite delay', { delayMs: Number.POSITIVE_INFINITY }, 'delayMs'],
    ['a delay as a string', { delayMs: '1000' }, 'delayMs'],
    ['a delay beyond a hundred years', { delayMs: 1e13 }, 'delayMs'],
  ] as [string, object, string][])('%s is refused (case 122)', async ([, options, field]) => {
    await on.refuses(submit(1, options), { code: 'invalid_option', field })
  })

  it('the first and the last accepted time come back unchanged (case 122)', async () => {
    for (const runAt of [new Date(0), new Date('9999-12-31T23:59:59.999Z')]) {
      const run = await on.accepts(1, { runAt })
      expect(run.dueAt).toEqual(runAt)
      expect(run.state).toBe(runAt.getTime() === 0 ? 'queued' : 'scheduled')
    }
    const run = await on.accepts(1, { delayMs: 100 * 366 * 86_400_000 })
    expect(run).toMatchObject({ state: 'scheduled' })
    expect(run.dueAt.getUTCFullYear()).toBeGreaterThan(2_120)
  })
})

describe('a batch', () => {
  it.for([
    ['not an array', 'text'],
    ['no array at all', undefined],
    ['a Set', new Set([1])],
    ['more than 10,000', new Array(10_001).fill(1)],
  ] as [string, never[]][])('a batch that is %s is refused (case 122)', async ([, payloads]) => {
    await on.refuses(() => client.submitMany('bad', payloads), {
      code: 'invalid_option',
      field: 'payloads',
    })
  })

  it('a batch may be empty and may have 10,000 items', async () => {
    expect(await client.submitMany('fine', [])).toEqual([])
    const before = await on.stored()
    await client.submitMany('fine', new Array(10_000).fill('x'))
    expect((await on.stored()).runs).toBe((before.runs ?? 0) + 10_000)
  })

  it('a batch with one bad item among 10,000 stores nothing and names the item', async () => {
    const payloads: unknown[] = new Array(10_000).fill('x')
    payloads[9_999] = { deep: [1n] }
    await on.refuses(() => client.submitMany('bad', payloads), {
      code: 'invalid_payload',
      field: '[9999].payload.deep[0]',
      message: expect.stringMatching(/^Item 9999: payload\.deep\[0\] is a bigint/),
    })
  })
})

it("a refusal leaves the caller's transaction usable", async () => {
  await on.sql.query('create table if not exists ledger (note text)')
  await on.sql.query('begin')
  await on.sql.query(`insert into ledger values ('kept')`)
  await expect(client.submit('bad', '\u0000', { tx: on.sql })).rejects.toBeInstanceOf(PunctualError)
  await expect(client.submit('bad', 1, { tx: on.sql, priority: 11 })).rejects.toMatchObject({
    field: 'priority',
  })
  const { id } = await client.submit('fine', 'in the transaction', { tx: on.sql })
  await on.sql.query('commit')
  expect(await client.runs.get(id)).toMatchObject({ payload: 'in the transaction' })
  expect((await on.sql.query('select note from ledger')).rows).toEqual([{ note: 'kept' }])
})

it('an invalid id is refused by every method that takes one (case 123)', async () => {
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
      await on.refuses(call, { code: 'invalid_option', field: 'id' })
  expect(await client.runs.get(other)).toBe(null)
  await expect(client.runs.cancel(other)).rejects.toMatchObject({
    code: 'run_not_found',
    id: other,
  })
})
