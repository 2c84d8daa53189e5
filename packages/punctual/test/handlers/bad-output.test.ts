/** The output cases by number: any value that a handler may return, throw, log or report. */
import { eventually, gate, migratedDatabase, type TestDatabase } from '@punctual/testkit'
import { type FinishedRun, Punctual } from 'punctual'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const MIB = 1_048_576
const CONCURRENCY = 2

let database: TestDatabase
let punctual: Punctual
/** The worker's own faults: it could not claim, run, settle or log. */
const faults: string[] = []
let n = 0
beforeAll(async () => {
  database = await migratedDatabase()
  const note = (_: object, message: string) => void faults.push(message)
  punctual = await Punctual.start({
    databaseUrl: database.url,
    roles: ['worker'],
    worker: { concurrency: CONCURRENCY },
    logger: { debug: () => undefined, info: () => undefined, warn: note, error: note },
  })
})
afterAll(async () => {
  await punctual.stop()
  await database.drop()
})

const angry = () => {
  throw new Error('do not look at me')
}

function angryProxy(target: object = {}): object {
  const traps = Object.getOwnPropertyNames(Reflect).map((name) => [name, angry])
  return new Proxy(target, Object.fromEntries(traps))
}

/**
 * Runs the handler once more often than the worker's capacity, so that a lost permit would be
 * noticed, and then a good run. The worker itself must have no fault and hold nothing
 * afterwards.
 */
async function outcomes(handler: () => unknown): Promise<FinishedRun[]> {
  const bad = punctual.handler(`bad-${++n}`, handler)
  const good = punctual.handler(`good-${n}`, () => 'fine')
  const submitted = await bad.submitMany(new Array(CONCURRENCY + 1).fill(null), { maxAttempts: 1 })
  const after = await good.submit(null)
  const waiting = { timeoutMs: 20_000 }
  const runs = await Promise.all(submitted.map((run) => punctual.runs.waitFor(run, waiting)))
  expect(await punctual.runs.waitFor(after, waiting)).toMatchObject({ output: 'fine' })
  await eventually('every permit is free', () => punctual.running === 0)
  expect(faults.splice(0)).toEqual([])
  return runs
}

describe('an output that is not JSON fails the attempt with a clear error', () => {
  it.for([
    ['a bigint', () => 1n, 'invalid_payload', /^output is a bigint/],
    [
      'a deeply nested bigint',
      () => ({ a: [{ b: 1n }] }),
      'invalid_payload',
      /^output\.a\[0\]\.b is/,
    ],
    ['a function', () => () => 1, 'invalid_payload', /^output is a function/],
    ['a symbol', () => Symbol('s'), 'invalid_payload', /^output is a symbol/],
    ['NaN', () => Number.NaN, 'invalid_payload', /^output is NaN/],
    ['a Map', () => new Map(), 'invalid_payload', /^output is of type Map/],
    ['an Error', () => new Error('returned'), 'invalid_payload', /^output is of type Error/],
    ['a NUL', () => 'a\u0000b', 'invalid_payload', /^output contains a NUL/],
    ['half of a surrogate pair', () => ['\ud800'], 'invalid_payload', /^output contains a NUL/],
    ['a value that contains itself', ring, 'invalid_payload', /^output\.self contains itself/],
    ['2 MiB', () => 'x'.repeat(2 * MIB), 'payload_too_large', /^output has more than 1048576/],
    ['a byte too many', () => 'x'.repeat(MIB - 1), 'payload_too_large', /^output has/],
    ['100,000 levels', () => nested(100_000, (a) => [a]), 'payload_too_deep', /^output\[0\]\[0\]/],
    [
      'a small value that expands',
      () => nested(90, (a) => [a, a]),
      'payload_too_large',
      /^output has/,
    ],
    [
      'a getter that throws',
      () => ({
        get a() {
          return angry()
        },
      }),
      'invalid_payload',
      /^output\.a cannot be read: do not look at me/,
    ],
    ['a toJSON that throws', () => ({ a: { toJSON: angry } }), 'invalid_payload', /^output\.a/],
    ['an iterator', () => [1].values(), 'invalid_payload', /^output is of type Array Iterator/],
  ] as [string, () => unknown, string, RegExp][])(
    'returning %s fails the attempt',
    async ([, make, code, message]) => {
      for (const handler of [make, async () => make()])
        for (const run of await outcomes(handler))
          expect(run).toMatchObject({
            state: 'dead',
            reason: 'attempts_exhausted',
            output: null,
            error: { name: 'PunctualError', code, message: expect.stringMatching(message) },
            attempts: [{ outcome: 'failed' }],
          })
    },
  )

  it('an output of exactly 1 MiB is kept', async () => {
    const output = 'é'.repeat((MIB - 2) / 2)
    for (const run of await outcomes(() => output)) expect(run.output === output).toBe(true)
  })

  it.for([
    ['nothing', () => undefined, null],
    ['null', () => null, null],
    ['false', () => false, false],
    ['zero', () => 0, 0],
    ['an empty string', () => '', ''],
    ['holes', () => new Array(2), [null, null]],
    [
      'odd names',
      () => JSON.parse('{"__proto__":1,"constructor":2}'),
      JSON.parse('{"__proto__":1,"constructor":2}'),
    ],
    [
      'templates and terminal codes',
      () => '{{x}} \u001b[31m \r\n <b>',
      '{{x}} \u001b[31m \r\n <b>',
    ],
    // biome-ignore lint/suspicious/noThenProperty: query builders and similar objects are thenables
    ['a thenable', () => ({ then: (resolve: (value: number) => void) => resolve(5) }), 5],
  ] as [string, () => unknown, unknown][])('%s is kept as the output', async ([, make, output]) => {
    for (const run of await outcomes(make)) {
      expect(run).toMatchObject({ state: 'succeeded' })
      expect(run.output).toEqual(output)
    }
  })
})

function ring(): object {
  const value: { self?: object } = {}
  value.self = value
  return value
}

function nested(levels: number, wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = 1
  for (let i = 0; i < levels; i++) value = wrap(value)
  return value
}

describe('any thrown value fails the attempt and nothing else', () => {
  it.for([
    ['undefined', undefined, { name: 'NonError', message: expect.stringMatching(/undefined$/) }],
    ['null', null, { name: 'NonError' }],
    ['a string', 'why', { name: 'NonError', message: expect.stringMatching(/: why$/) }],
    ['a bigint', 5n, { name: 'NonError' }],
    ['a symbol', Symbol('s'), { name: 'NonError', message: expect.stringContaining('Symbol(s)') }],
    ['a function', () => 1, { name: 'NonError' }],
    ['a frozen error', Object.freeze(new Error('cold')), { name: 'Error', message: 'cold' }],
    ['a NUL in the message', new Error('a\u0000b\ud800'), { message: 'a\ufffdb\ufffd' }],
    [
      'a NUL in the name',
      Object.assign(new Error('x'), { name: '\u0000', code: '\u0000' }),
      { name: '\ufffd', code: '\ufffd' },
    ],
    [
      'a message of a megabyte',
      new Error('x'.repeat(1_000_000)),
      { message: expect.stringMatching(/x… \(truncated\)$/) },
    ],
    [
      'a stack of a megabyte',
      Object.assign(new Error('x'), { stack: '\u0000'.repeat(1_000_000) }),
      { stack: expect.stringMatching(/^\ufffd+… \(truncated\)$/) },
    ],
    ['a message that is an object', { message: { a: 1n } }, { name: 'Error' }],
    [
      'an error with a message that throws',
      Object.defineProperty(new Error('x'), 'message', { get: angry }),
      { name: 'Error', message: '' },
    ],
  ] as [string, unknown, object][])(
    'throwing %s fails only its attempt',
    async ([, thrown, error]) => {
      const throwing = () => {
        throw thrown
      }
      for (const handler of [throwing, async () => throwing(), () => Promise.reject(thrown)])
        for (const run of await outcomes(handler))
          expect(run).toMatchObject({ state: 'dead', error, attempts: [{ outcome: 'failed' }] })
    },
  )

  it('throwing a proxy that throws on every access fails only its attempt', async () => {
    for (const thrown of [angryProxy(), angryProxy(new Error('x'))]) {
      const throwing = () => {
        throw thrown
      }
      for (const run of await outcomes(throwing))
        expect(run).toMatchObject({ state: 'dead', error: { name: 'NonError' } })
    }
  })

  it('throwing a promise fails only its attempt', async () => {
    const handler = () => {
      throw Promise.resolve(1)
    }
    for (const run of await outcomes(handler))
      expect(run).toMatchObject({
        state: 'dead',
        error: { message: expect.stringContaining('Promise') },
      })
  })

  it('a stack overflow fails only its attempt', async () => {
    const fall = (): never => fall()
    for (const run of await outcomes(fall))
      expect(run).toMatchObject({ state: 'dead', error: { name: 'RangeError' } })
  })
})

describe('a log', () => {
  it('a log keeps unusual strings as data and reports what it cannot keep', async () => {
    const done = gate()
    const handler = punctual.handler(`logs-${++n}`, (_: null, { log }) => {
      log.info('nul \u0000 half \ud800 crlf \r\n ansi \u001b[31m')
      log.warn('x'.repeat(100_000))
      log.error('data', { sql: `'; drop table runs`, __proto__: null, emoji: '😀' })
      log.debug('bad', { a: 1n })
      log.debug('nul', '\u0000')
      log.debug('large', 'x'.repeat(100_000))
      log.debug('ring', ring())
      log.debug('proxy', angryProxy())
      log.debug('getter', {
        get a() {
          return angry()
        },
      })
      log.debug(Symbol('s') as unknown as string, undefined)
      log.debug(undefined as unknown as string, null)
      done.open()
    })
    const { id } = await handler.submit(null, { maxAttempts: 1 })
    await done.opened
    expect(await punctual.runs.waitFor(id)).toMatchObject({ state: 'succeeded' })
    const lines = await punctual.runs.logs(id)
    expect(lines.map(({ level, message }) => [level, message.slice(0, 40)])).toEqual([
      ['info', 'nul \ufffd half \ufffd crlf \r\n ansi \u001b[31m'],
      ['warn', 'x'.repeat(40)],
      ['error', 'data'],
      ['debug', 'bad'],
      ['debug', 'nul'],
      ['debug', 'large'],
      ['debug', 'ring'],
      ['debug', 'proxy'],
      ['debug', 'getter'],
      ['debug', 'Symbol(s)'],
      ['debug', 'undefined'],
    ])
    expect(lines[1]?.message).toMatch(/… \(truncated\)$/)
    expect(lines[2]?.data).toEqual({ sql: `'; drop table runs`, emoji: '😀' })
    expect(lines[3]?.data, 'a bigint is shown as a string').toEqual({ a: '1' })
    for (const line of lines.slice(4, 9))
      expect(line.data).toEqual({ unloggable: expect.any(String) })
    expect(faults.splice(0)).toEqual([])
  })
})

describe('progress', () => {
  it('progress that is not JSON is refused in the handler, which may continue', async () => {
    const proceed = gate()
    const codes: unknown[] = []
    const handler = punctual.handler(`progress-${++n}`, async (_: null, ctx) => {
      for (const value of [
        1n,
        Number.NaN,
        '\u0000',
        ring(),
        'x'.repeat(MIB),
        () => 1,
        angryProxy(),
      ])
        try {
          ctx.progress(value)
          codes.push('accepted')
        } catch (error) {
          codes.push((error as { code: unknown }).code)
        }
      ctx.progress({ '😀': `'; drop table leases; --` })
      await proceed.opened
    })
    const { id } = await handler.submit(null, { maxAttempts: 1 })
    await eventually('the progress is stored', async () => {
      const run = await punctual.runs.get(id)
      return run?.state === 'running' && run.progress !== null
    })
    expect(await punctual.runs.get(id)).toMatchObject({
      progress: { '😀': `'; drop table leases; --` },
    })
    proceed.open()
    expect(await punctual.runs.waitFor(id)).toMatchObject({ state: 'succeeded' })
    expect(codes).toEqual([
      'invalid_payload',
      'invalid_payload',
      'invalid_payload',
      'invalid_payload',
      'payload_too_large',
      'invalid_payload',
      'invalid_payload',
    ])
    expect(faults.splice(0)).toEqual([])
  })

  it('an uncaught refusal of progress fails the attempt with an error that names progress', async () => {
    const handler = punctual.handler(`progress-${++n}`, (_: null, ctx) => ctx.progress({ a: 1n }))
    const { id } = await handler.submit(null, { maxAttempts: 1 })
    expect(await punctual.runs.waitFor(id)).toMatchObject({
      state: 'dead',
      error: {
        code: 'invalid_payload',
        message: expect.stringMatching(/^progress\.a is a bigint/),
      },
    })
  })
})

it("a refused output rolls back the handler's transaction", async () => {
  const handler = punctual.handler(`transaction-${++n}`, (_: null, ctx) =>
    ctx.transaction(async (tx) => {
      await tx.query('create table never_there (id int)')
      return { at: new Map() }
    }),
  )
  const { id } = await handler.submit(null, { maxAttempts: 1 })
  expect(await punctual.runs.waitFor(id)).toMatchObject({
    state: 'dead',
    error: {
      code: 'invalid_payload',
      message: expect.stringMatching(/^output\.at is of type Map/),
    },
  })
  const there = punctual.handler(`transaction-${++n}`, (_: null, ctx) =>
    ctx.transaction(async (tx) => (await tx.query(`select to_regclass('never_there') as t`)).rows),
  )
  expect(await punctual.runs.waitFor(await there.submit(null))).toMatchObject({
    output: [{ t: null }],
  })
})
