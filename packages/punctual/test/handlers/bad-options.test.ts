/** The input cases by number: options and names, refused or kept as data. */
import type { HandlerOptions, Punctual, SubmitCallOptions } from 'punctual'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { RefusingClient } from '../kit/refusing-client.ts'

let on: RefusingClient
let client: Punctual
beforeAll(async () => {
  on = await RefusingClient.open()
  client = on.client
})
afterAll(() => on.close())

const submit = (payload: unknown, options?: object) => () =>
  client.submit('bad', payload, options as SubmitCallOptions)

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
    ['delivery', ['exactly-once', 'at_most_once', '', 1, null, {}]],
    ['heartbeatMs', [...numbers, 0, 99, 2 ** 31]],
    ['priorty', [5]],
    ['tx2', [{}]],
  ] as [string, unknown[]][])(
    'a bad %s is refused with its name (cases 112, 120-122) (%#)',
    async ([field, values]) => {
      for (const value of values) {
        const named =
          field === 'retry' && value !== null && typeof value === 'object'
            ? 'retry.backoff.kind'
            : field
        await on.refuses(submit(1, { [field]: value }), { code: 'invalid_option', field: named })
        await on.refuses(
          () => client.submitMany('bad', [1, 2], (_, i) => (i === 1 ? { [field]: value } : {})),
          { code: 'invalid_option', field: `[1].${named}` },
        )
      }
    },
  )

  it('a bad handler name is refused at submission and at registration (cases 112, 121)', async () => {
    for (const name of texts) {
      await on.refuses(() => client.submit(name as string, 1), {
        code: 'invalid_option',
        field: 'handler',
      })
      expect(() => client.handler(name as string, () => 1)).toThrow(
        expect.objectContaining({ code: 'invalid_option', field: 'handler' }),
      )
    }
  })

  it('more than one attempt is refused with at-most-once delivery', async () => {
    const once = { delivery: 'at-most-once', maxAttempts: 3 }
    await on.refuses(submit(1, once), { code: 'invalid_option', field: 'maxAttempts' })
    expect(await on.accepts(1, { delivery: 'at-most-once', maxAttempts: 1 })).toMatchObject({
      delivery: 'at-most-once',
      maxAttempts: 1,
      possibleDuplicate: false,
    })
  })

  it('a bad option of a handler is refused with its name', () => {
    const register = (options: unknown) => () =>
      client.handler('fine', () => 1, options as HandlerOptions)
    for (const [options, field] of [
      [{ onLeaseLoss: 'stop' }, 'onLeaseLoss'],
      [{ onLeaseLoss: null }, 'onLeaseLoss'],
      [{ onLeaseLost: 'abort' }, 'onLeaseLost'],
      [null, 'options'],
      ['abort', 'options'],
    ] as const)
      expect(register(options)).toThrow(expect.objectContaining({ code: 'invalid_option', field }))
  })

  it('at most 16 labels of 64 and 256 characters are accepted (case 122)', async () => {
    const labels = (count: number) =>
      Object.fromEntries(
        Array.from({ length: count }, (_, i) => [`${i}`.padEnd(64, 'é'), `${i}`.padEnd(256, '€')]),
      )
    expect((await on.accepts(1, { labels: labels(16) })).labels).toEqual(labels(16))
    await on.refuses(submit(1, { labels: labels(17) }), { field: 'labels' })
    await on.refuses(submit(1, { labels: { a: 5 } }), { field: 'labels.a' })
    await on.refuses(submit(1, { labels: { a: 'x\u0000' } }), { field: 'labels.a' })
    await on.refuses(submit(1, { labels: { ['n'.repeat(65)]: 'v' } }), {
      field: expect.stringMatching(/^labels key "nnn/),
    })
  })

  it('unusual strings survive as data in every field (cases 118, 119, 121, 124)', async () => {
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
      const run = await on.accepts(odd, options, odd)
      expect(run).toMatchObject({ ...options, handler: odd, payload: odd, state: 'queued' })
      expect(Object.keys(run.labels)).toEqual([odd])
      const listed = await client.runs.list({ queue: odd, handler: odd })
      expect(listed.map(({ id }) => id)).toEqual([run.id])
      expect(await client.submit(odd, 2, options)).toMatchObject({ id: run.id, created: false })
    }
    expect((await on.stored()).runs).toBeGreaterThan(0)
  })

  it('LIKE wildcards in a filter match only themselves (case 121)', async () => {
    await on.accepts(1, { queue: 'wild' })
    for (const queue of ['%', 'w%', '____', 'WILD', 'wild '])
      expect(await client.runs.list({ queue })).toEqual([])
  })
})

describe('keys', () => {
  it('keys of 255 characters, including four-byte ones, are accepted (case 120)', async () => {
    for (const key of ['k'.repeat(255), '€'.repeat(255), `x${'😀'.repeat(127)}`])
      expect((await on.accepts(1, { key })).key).toBe(key)
  })

  it('keys that differ only in their Unicode normal form are different (case 119)', async () => {
    const [composed, decomposed] = await Promise.all(
      ['\u00e9', 'e\u0301'].map((key) => client.submit('fine', 1, { key })),
    )
    expect(composed).toMatchObject({ created: true })
    expect(decomposed).toMatchObject({ created: true })
  })

  it('a key submitted a hundred times at once with different payloads makes one run (case 120)', async () => {
    const before = await on.stored()
    const all = await Promise.all(
      Array.from({ length: 100 }, (_, i) => client.submit('fine', i, { key: 'same' })),
    )
    expect(new Set(all.map(({ id }) => id)).size).toBe(1)
    expect(all.filter(({ created }) => created)).toHaveLength(1)
    const after = await on.stored()
    expect(after.runs).toBe((before.runs ?? 0) + 1)
    expect(after.live_keys).toBe((before.live_keys ?? 0) + 1)
  })

  it('a key given twice in a batch makes one run; the other runs are separate (case 120)', async () => {
    const batch = await client.submitMany('fine', ['a', 'b', 'a', 'c'], (payload) => ({
      key: `twice ${payload}`,
    }))
    expect(batch.map(({ created }) => created)).toEqual([true, true, false, true])
    expect(batch[2]?.id).toBe(batch[0]?.id)
  })
})
