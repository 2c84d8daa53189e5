import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTestDatabase, type TestDatabase } from '@punctual/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NonRetryableError, Punctual } from '../../src/index.ts'
import { aTemporaryFolder, both, CliProcess, cli } from '../kit/cli-process.ts'

let database: TestDatabase
let punctual: Punctual
let env: Record<string, string>

beforeAll(async () => {
  database = await createTestDatabase()
  env = { DATABASE_URL: database.url }
  punctual = await Punctual.start({ databaseUrl: database.url })
  punctual.handler('greet', async (payload: { name?: string } | null, { log }) => {
    log.info('greeting', { name: payload?.name })
    return { hello: payload?.name ?? 'nobody' }
  })
  punctual.handler('give-up', () => {
    throw new NonRetryableError('no use')
  })
})

afterAll(async () => {
  await punctual.stop()
  await database.drop()
})

describe('submit', () => {
  test('prints the id of the run', async () => {
    const { table, value } = await both(['submit', 'greet', '{"name":"Ann"}'], { env })
    expect(table.stdout).toMatch(/^Submitted [0-9a-f-]{36}\n$/)
    expect(value).toMatchObject({ id: expect.stringMatching(/^[0-9a-f-]{36}$/), created: true })
  })

  test('--wait shows how the run ended and exits with 0 or 5', async () => {
    const [good, bad] = await Promise.all([
      cli(['submit', 'greet', '{"name":"Ann"}', '--wait'], { env }),
      cli(['submit', 'give-up', '--wait', '--json'], { env }),
    ])
    expect(good.code).toBe(0)
    expect(good.stdout).toMatch(/^succeeded after 1 attempt.*\n\{"hello":"Ann"\}/)
    expect(bad.code).toBe(5)
    expect(JSON.parse(bad.stdout).run).toMatchObject({
      state: 'dead',
      error: { message: 'no use' },
    })
  })

  test('every option reaches the run', async () => {
    const flags = [
      ['--delay', '2h'],
      ['--priority', '9'],
      ['--queue', 'slow'],
      ['--max-attempts', '7'],
      ['--timeout', '90s'],
      ['--key', 'only-once'],
      ['--label', 'a=1', 'b=x=y'],
      ['--delivery', 'transactional', '--heartbeat', '5s'],
      [
        '--backoff',
        'exponential:2s..1m',
        '--retry-on',
        'failed',
        '--abort-on',
        'EBAD',
        'TypeError',
      ],
    ].flat()
    const { stdout } = await cli(['submit', 'elsewhere', ...flags, '--json'], { env })
    const { id } = JSON.parse(stdout)
    const run = await punctual.runs.get(id)
    expect(run).toMatchObject({
      state: 'scheduled',
      queue: 'slow',
      priority: 9,
      maxAttempts: 7,
      timeoutMs: 90_000,
      key: 'only-once',
      labels: { a: '1', b: 'x=y' },
      createdBy: expect.stringMatching(/^cli:/),
      delivery: 'transactional',
      policy: {
        heartbeatMs: 5_000,
        backoff: { kind: 'exponential', baseMs: 2_000, factor: 2, capMs: 60_000, jitter: 0.3 },
        retryOn: ['failed'],
        abortOn: ['EBAD', 'TypeError'],
      },
    })
    const again = await cli(['submit', 'elsewhere', '--key', 'only-once', '--json'], { env })
    expect(JSON.parse(again.stdout)).toEqual({ id, created: false, outcome: 'existing' })
    const options = [
      '--key',
      'only-once',
      '--on-conflict',
      'debounce',
      '--window',
      '5s',
      '--max-wait',
      '1m',
    ]
    const replaced = await cli(['submit', 'elsewhere', '"new"', ...options], { env })
    expect(replaced.stdout).toBe(`Replaced ${id}\n`)
    const refused = await cli(['submit', 'x', '--key', 'only-once', '--on-conflict', 'error'], {
      env,
    })
    expect(refused.stderr).toContain(`is held by run ${id}`)
  })

  test('the payload may come from a file or standard input', async () => {
    const cwd = aTemporaryFolder()
    writeFileSync(join(cwd, 'payload.json'), '{"name":"file"}')
    const [file, input, missing] = await Promise.all([
      cli(['submit', 'greet', '@payload.json', '--wait'], { env, cwd }),
      cli(['submit', 'greet', '-', '--wait'], { env, input: '{"name":"input"}' }),
      cli(['submit', 'greet', '@none.json'], { env, cwd }),
    ])
    expect(file.stdout).toContain('{"hello":"file"}')
    expect(input.stdout).toContain('{"hello":"input"}')
    expect(missing.code).toBe(4)
    expect(missing.stderr).toMatch(/^error\[file_unreadable\]: .*none\.json/)
  })

  test.for([
    [['greet', '{a'], 2, 'invalid_payload'],
    [['greet', '12345678901234567890'], 2, 'invalid_payload'],
    [['greet', '"\\u0000"'], 2, 'invalid_payload'],
    [['greet', '--priority', '11'], 2, 'invalid_option'],
    [['greet', '--priority', 'high'], 2, 'invalid_option'],
    [['greet', '--delay', 'soon'], 2, 'invalid_option'],
    [['greet', '--delay', '1s', '--run-at', '2030-01-01'], 2, 'invalid_option'],
    [['greet', '--label', 'novalue'], 2, 'invalid_option'],
    [['greet', '--delivery', 'exactly-once'], 2, 'invalid_option'],
    [['greet', '--delivery', 'at-most-once', '--max-attempts', '2'], 2, 'invalid_option'],
    [['greet', '--heartbeat', '1ms'], 2, 'invalid_option'],
    [['greet', '--backoff', 'sometimes'], 2, 'invalid_option'],
    [['greet', '--backoff', 'fixed:1s..2s'], 2, 'invalid_option'],
    [['greet', '--backoff', 'list:'], 2, 'invalid_option'],
    [['greet', '--retry-on', 'succeeded'], 2, 'invalid_option'],
    [['unheard-of', '--strict'], 4, 'handler_unknown'],
    [[], 2, 'invalid_option'],
  ] as const)('refuses %j with %i and %s', async ([args, exitCode, code]) => {
    const { code: exited, stdout, stderr } = await cli(['submit', ...args], { env })
    expect([exited, stdout]).toEqual([exitCode, ''])
    expect(stderr).toMatch(new RegExp(`^error\\[${code}\\]: `))
  })
})

describe('runs', () => {
  test('list shows runs in a state, and their fields as JSON', async () => {
    const { id } = await punctual.submit('give-up')
    await punctual.runs.waitFor(id)
    const { table, value } = await both(['runs', 'list', '--state', 'dead'], { env })
    expect(table.stdout).toMatch(/^ID +STATE +HANDLER/)
    expect(table.stdout).toMatch(new RegExp(`${id} +dead +give-up +default +1 .*no use`))
    const states = value.map((run: { state: string }) => run.state)
    expect(new Set(states)).toEqual(new Set(['dead']))
  })

  test('list refuses unknown states and invalid limits', async () => {
    const [state, limit] = await Promise.all([
      cli(['runs', 'list', '--state', 'happy'], { env }),
      cli(['runs', 'list', '--limit', '0'], { env }),
    ])
    expect([state.code, limit.code]).toEqual([2, 2])
    expect(state.stderr).toContain('--state must be one or more of waiting, scheduled, queued')
    expect(limit.stderr).toContain('--limit must be an integer from 1 to 1000')
  })

  test('show prints everything about a dead run, including its stack', async () => {
    const { id } = await punctual.submit('give-up', { a: 1 }, { labels: { why: 'test' } })
    await punctual.runs.waitFor(id)
    const { table, value } = await both(['runs', 'show', id], { env })
    expect(table.stdout).toContain('payload    {"a":1}')
    expect(table.stdout).toContain('labels     why=test')
    expect(table.stdout).toMatch(/1 +failed .*NonRetryableError: no use/)
    expect(table.stdout).toMatch(/NonRetryableError: no use\n +at /)
    expect(value).toMatchObject({
      id,
      state: 'dead',
      reason: 'non_retryable',
      explanation: { running: false },
    })
  })

  test('show says why a run is not running', async () => {
    const { id } = await punctual.submit('unheard-of')
    const { table, value } = await both(['runs', 'show', id], { env })
    expect(table.stdout).toContain('No live worker has the handler unheard-of')
    expect(value.explanation.reasons[0].code).toBe('no_worker')
  })

  test.for([
    ['00000000-0000-7000-8000-000000000000', 4, 'run_not_found'],
    ['not-an-id', 2, 'invalid_option'],
  ] as const)('show %s exits with %i', async ([id, exitCode, code]) => {
    const { code: exited, stderr } = await cli(['runs', 'show', id], { env })
    expect(exited).toBe(exitCode)
    expect(stderr).toMatch(new RegExp(`^error\\[${code}\\]`))
  })

  test('logs prints what the handler logged', async () => {
    const { id } = await punctual.submit('greet', { name: 'Ann' })
    await punctual.runs.waitFor(id)
    const { table, value } = await both(['runs', 'logs', id], { env })
    expect(table.stdout).toMatch(/#1 info +greeting \{"name":"Ann"\}/)
    expect(value).toMatchObject([{ attempt: 1, level: 'info', message: 'greeting' }])
  })

  test('a scheduled run can be rescheduled and cancelled, an ended one cannot', async () => {
    const { id } = await punctual.submit('greet', null, { delayMs: 3_600_000 })
    const moved = await cli(['runs', 'reschedule', id, '--at', '+3h', '--json'], { env })
    expect(JSON.parse(moved.stdout)).toMatchObject({ id, result: 'rescheduled' })
    const cancelled = await cli(['runs', 'cancel', id, '--reason', 'a test'], { env })
    expect([cancelled.code, cancelled.stdout]).toEqual([0, 'Cancelled.\n'])
    expect(await punctual.runs.get(id)).toMatchObject({ state: 'cancelled', reason: 'a test' })
    const [again, late] = await Promise.all([
      cli(['runs', 'cancel', id, '--json'], { env }),
      cli(['runs', 'reschedule', id, '--at', '2099-01-01T00:00:00Z'], { env }),
    ])
    expect([again.code, late.code]).toEqual([0, 1])
    expect(JSON.parse(again.stdout)).toEqual({ id, result: 'cancelled', state: 'cancelled' })
  })
})

describe('runs tail', () => {
  test('follows the log of a run until it ends', async () => {
    let finish = () => {}
    const finished = new Promise<void>((resolve) => {
      finish = resolve
    })
    punctual.handler('slow', async (_, { log }) => {
      log.info('first')
      await finished
      log.info('last')
    })
    const { id } = await punctual.submit('slow')
    const tail = new CliProcess(['runs', 'tail', id], { env })
    await tail.saw(/info +first/)
    finish()
    const { code, stdout, stderr } = await tail.exited
    expect(code).toBe(0)
    expect(stdout).toMatch(/first\n.*last\n$/)
    expect(stderr).toContain(`Run ${id}: succeeded after 1 attempt.`)
  })

  test('without an id prints each ended run on one line, until Ctrl-C', async () => {
    const tail = new CliProcess(['runs', 'tail', '--json'], { env })
    const table = new CliProcess(['runs', 'tail'], { env })
    const ids: string[] = []
    const shows = (process: CliProcess) => ids.some((id) => process.stdout.includes(id))
    // When they start polling is unknown, so runs are submitted until both have printed one.
    await expect
      .poll(
        async () => {
          ids.push((await punctual.submit('greet')).id)
          return shows(tail) && shows(table)
        },
        { timeout: 30_000, interval: 500 },
      )
      .toBe(true)
    tail.signal('SIGINT')
    table.signal('SIGINT')
    const { code, stdout } = await tail.exited
    expect([code, (await table.exited).code]).toEqual([130, 130])
    const lines = stdout.trim().split('\n')
    expect(lines.map((line) => JSON.parse(line).state)).toContain('succeeded')
  })
})

describe('queues and workers', () => {
  test('queues shows the depth and the runs that ended in the last minute', async () => {
    const { id } = await punctual.submit('greet', null, { queue: 'bulk' })
    await punctual.runs.waitFor(id)
    await punctual.submit('unheard-of', null, { queue: 'bulk' })
    const { table, value } = await both(['queues'], { env })
    expect(table.stdout).toMatch(/^QUEUE +DUE +SCHEDULED +RUNNING/)
    expect(table.stdout).toMatch(/bulk +1 +0 +0 +.*1 succeeded/)
    expect(value.find((row: { queue: string }) => row.queue === 'bulk')).toMatchObject({
      due: 1,
      endedLastMinute: { succeeded: 1 },
    })
  })

  test('workers shows connected workers and their handlers', async () => {
    const { table, value } = await both(['workers'], { env })
    expect(table.stdout).toMatch(/active .* all +greet, give-up/)
    expect(value[0]).toMatchObject({ pid: process.pid, state: 'active', queues: [] })
    expect(value[0].handlers).toContain('greet')
  })
})
