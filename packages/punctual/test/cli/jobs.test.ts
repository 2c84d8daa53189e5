import { createTestDatabase, eventually, type TestDatabase } from '@punctual/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Punctual } from '../../src/index.ts'
import { both, cli } from '../kit/cli-process.ts'

let database: TestDatabase
let punctual: Punctual
let env: Record<string, string>
const ran: unknown[] = []

beforeAll(async () => {
  database = await createTestDatabase()
  env = { DATABASE_URL: database.url }
  punctual = await Punctual.start({ databaseUrl: database.url })
  punctual.handler('tick', (payload) => void ran.push(payload))
})

afterAll(async () => {
  await punctual.stop()
  await database.drop()
})

const run = (...args: string[]) => cli(['jobs', ...args], { env })

async function json(...args: string[]) {
  const { code, stdout, stderr } = await run(...args, '--json')
  if (code !== 0) throw new Error(`punctual jobs ${args.join(' ')} exited with ${code}: ${stderr}`)
  return JSON.parse(stdout)
}

describe('jobs create', () => {
  const flags = ['--handler', 'tick', '--cron', '30 2 * * *', '--tz', 'Europe/Berlin']

  test('creates a job, updates it or leaves it unchanged, and shows the next five fires', async () => {
    const created = await run('create', 'nightly', ...flags)
    expect([created.code, created.stderr]).toEqual([0, ''])
    expect(created.stdout).toMatch(
      /^Created nightly \([0-9a-f-]{36}\)\nLOCAL TIME \(Europe\/Berlin/,
    )
    expect(created.stdout.trim().split('\n')).toHaveLength(7)
    const again = await json('create', 'nightly', ...flags)
    expect(again).toMatchObject({ name: 'nightly', change: 'unchanged' })
    expect(again.next).toHaveLength(5)
    const changed = await json('create', 'nightly', ...flags, '--payload', '{"full":true}')
    expect(changed).toMatchObject({ id: again.id, change: 'updated' })
  })

  test('every option reaches the job', async () => {
    await punctual.jobs.calendars.set('workdays', {
      windows: [{ days: 'MON-FRI', from: '00:00', to: '24:00' }],
    })
    const more = [
      ['--start-at', '2099-01-01T00:00', '--end-at', '2100-01-01T00:00:00Z', '--max-runs', '7'],
      ['--jitter', '30s', '--calendar', 'workdays', '--dst-gap', 'shift', '--dst-fold', 'both'],
      ['--day-rule', 'and', '--misfire', 'latest', '--misfire-grace', '2m'],
      ['--misfire-max-age', '2h', '--misfire-max-count', '5', '--misfire-drip', '1s'],
      ['--overlap', 'queue-one', '--pause-after-failures', '3', '--description', 'all of it'],
      ['--owner', 'ops', '--label', 'a=1', 'b=x=y', '--source', 'hand', '--queue', 'slow'],
      ['--priority', '9', '--max-attempts', '4', '--timeout', '90s', '--payload', '[1]'],
      ['--delivery', 'transactional', '--heartbeat', '10s', '--backoff', 'linear:5s..1m'],
      ['--retry-on', 'failed', 'ECONNRESET', '--abort-on', 'TypeError'],
    ].flat()
    await json('create', 'full', ...flags, ...more)
    expect(await punctual.jobs.get('full')).toMatchObject({
      handler: 'tick',
      queue: 'slow',
      priority: 9,
      payload: [1],
      startAt: new Date('2098-12-31T23:00:00Z'),
      endAt: new Date('2100-01-01T00:00:00Z'),
      maxRuns: 7,
      maxAttempts: 4,
      timeoutMs: 90_000,
      delivery: 'transactional',
      heartbeatMs: 10_000,
      retry: {
        backoff: { kind: 'linear', stepMs: 5_000, capMs: 60_000, jitter: 0 },
        retryOn: ['failed', 'ECONNRESET'],
        abortOn: ['TypeError'],
      },
      labels: { a: '1', b: 'x=y' },
      description: 'all of it',
      owner: 'ops',
      source: 'hand',
      createdBy: expect.stringMatching(/^cli:/),
      rules: {
        when: { kind: 'cron', expression: '30 2 * * *' },
        timezone: 'Europe/Berlin',
        gap: 'shift',
        fold: 'both',
        dayRule: 'and',
        jitterMs: 30_000,
        calendars: ['workdays'],
        misfire: {
          policy: 'latest',
          graceMs: 120_000,
          maxAgeMs: 7_200_000,
          maxCount: 5,
          dripMs: 1_000,
        },
        overlap: 'queue-one',
        pauseAfterFailures: 3,
      },
    })
  })

  test('a time in the past means now, and the output says so', async () => {
    const args = ['create', 'overdue', '--handler', 'tick', '--at', '2026-01-01T00:00:00Z']
    const { stdout } = await run(...args, '--payload', '"overdue"')
    expect(stdout).toMatch(/^Created overdue .*\nThe time is in the past: the job runs now\.\n$/)
    await eventually('the job has run', () => ran.includes('overdue'))
    expect(await json(...args, '--payload', '"overdue"')).toMatchObject({
      change: 'unchanged',
      late: false,
    })
  })

  test('a job without zone and jitter takes those of the installation', async () => {
    const settings = { ...env, PUNCTUAL_TIMEZONE: 'Asia/Tokyo', PUNCTUAL_JITTER_MS: '5000' }
    const args = ['--handler', 'tick', '--cron', '0 9 * * *', '--json']
    await Promise.all([
      cli(['jobs', 'create', 'common', ...args], { env: settings }),
      cli(['jobs', 'create', 'exact', ...args, '--exact'], { env: settings }),
    ])
    const [common, exact] = await Promise.all(
      ['common', 'exact'].map((name) => punctual.jobs.get(name)),
    )
    expect(common?.rules).toMatchObject({ timezone: 'Asia/Tokyo', jitterMs: 5_000 })
    expect(exact?.rules).not.toHaveProperty('jitterMs')
    const bad = await cli(['jobs', 'list'], { env: { ...env, PUNCTUAL_TIMEZONE: 'Mars/Base' } })
    expect([bad.code, bad.stderr]).toEqual([
      2,
      expect.stringMatching(
        /^error\[invalid_config\]: PUNCTUAL_TIMEZONE must be an IANA time zone/,
      ),
    ])
  })

  test('preview starts at the start of the job and marks slots that a calendar skips', async () => {
    const { table, value } = await both(['jobs', 'preview', 'full', '--count', '3'], { env })
    expect(value.map(({ at }: { at: string }) => at.slice(0, 10))).toEqual([
      '2099-01-01',
      '2099-01-02',
      '2099-01-03',
    ])
    expect(table.stdout).toMatch(/Sat 2099-01-03 .*skipped: the calendar workdays excludes it/)
  })

  test('a job of a source cannot be changed without --source', async () => {
    const { code, stderr } = await run('create', 'full', ...flags)
    expect(code).toBe(1)
    expect(stderr).toMatch(/^error\[job_of_other_source\]: .*"hand".*--source hand/)
  })

  test.for([
    [['--cron', '0 61 * * *'], 'invalid_schedule', '  0 61 * * *\n    ^^'],
    [['--cron', '0 0 30 2 *'], 'never_fires', 'never fires'],
    [
      [],
      'invalid_option',
      'exactly one of --cron, --every, --every-after-end, --at, --delay; got none',
    ],
    [['--cron', '@daily', '--every', '5m'], 'invalid_option', 'got --cron and --every'],
    [['--every', '5 minutes'], 'invalid_schedule', '^'],
    [['--at', 'soon'], 'invalid_option', '--at must be a time'],
    [['--cron', '@daily', '--tz', 'Berlin'], 'invalid_timezone', 'Did you mean Europe/Berlin?'],
    [['--cron', '@daily', '--jitter', 'some'], 'invalid_option', '--jitter must be a duration'],
    [['--cron', '@daily', '--overlap', 'maybe'], 'invalid_option', 'queue-one'],
    [['--cron', '@daily', '--max-runs', 'x'], 'invalid_option', '--max-runs must be an integer'],
    [['--cron', '@daily', '--payload', '{a'], 'invalid_payload', ''],
  ] as const)('refuses %j with 2', async ([args, code, text]) => {
    const result = await run('create', 'bad', '--handler', 'tick', ...args)
    expect([result.code, result.stdout]).toEqual([2, ''])
    expect(result.stderr).toMatch(new RegExp(`^error\\[${code}\\]: `))
    expect(result.stderr).toContain(text)
  })

  test('an unknown calendar exits with 4', async () => {
    const result = await run('create', 'bad', ...flags, '--calendar', 'none')
    expect([result.code, result.stderr]).toEqual([
      4,
      expect.stringMatching(/^error\[calendar_not_found\]/),
    ])
  })
})

describe('reading jobs', () => {
  test('list shows name, state, schedule and next slot, and accepts filters', async () => {
    await punctual.jobs.upsert({ name: 'weekly', handler: 'tick', cron: '@weekly', source: 'team' })
    await punctual.jobs.upsert({ name: 'halted', handler: 'tick', every: '1h' })
    await punctual.jobs.pause('halted', 'being repaired')
    const { table, value } = await both(['jobs', 'list'], { env })
    expect(table.stdout).toMatch(/^NAME +STATE +SCHEDULE +ZONE +NEXT/)
    expect(table.stdout).toMatch(/weekly +active +@weekly +UTC +in \d+ \w+ +tick +team/)
    expect(table.stdout).toMatch(/halted +paused +every 1h .*being repaired/)
    const names = value.map(({ name }: { name: string }) => name)
    expect(names).toEqual([...names].sort())
    expect(value[0]).not.toHaveProperty('rulesText')
    const [paused, source, page] = await Promise.all([
      json('list', '--state', 'paused'),
      json('list', '--source', 'team'),
      run('list', '--limit', '1', '--after', 'halted'),
    ])
    expect(paused).toMatchObject([{ name: 'halted', state: 'paused' }])
    expect(source).toMatchObject([{ name: 'weekly', state: 'active', source: 'team' }])
    expect(page.stdout).toContain('nightly')
    expect(page.stderr).toContain('--after "nightly"')
  })

  test('show prints everything about one job', async () => {
    const { table, value } = await both(['jobs', 'show', 'full'], { env })
    expect(table.stdout).toMatch(/^job +full \(/)
    expect(table.stdout).toMatch(/schedule +30 2 \* \* \* \(Europe\/Berlin\)/)
    expect(table.stdout).toMatch(/DST +gap shift, fold both, day rule and/)
    expect(table.stdout).toMatch(/runs left +7 of 7/)
    expect(value).toMatchObject({ name: 'full', state: 'active', next: expect.any(Array) })
  })

  test('preview --around-dst marks fires that clock changes move or repeat', async () => {
    const args = ['--from', '2026-03-28', '--count', '1', '--around-dst']
    const { table, value } = await both(['jobs', 'preview', 'nightly', ...args], { env })
    expect(table.stdout).toContain('moved: 02:30 does not exist on this day')
    expect(table.stdout).toContain('repeated hour, first pass')
    expect(value[0]).toEqual({ at: '2026-03-28T01:30:00.000Z', local: expect.any(String) })
  })

  test.for([
    [['show', 'nobody'], 4, 'job_not_found'],
    [['delete', 'nobody'], 4, 'job_not_found'],
    [['pause', 'nobody'], 4, 'job_not_found'],
    [['trigger', 'nobody'], 4, 'job_not_found'],
    [['slots', 'nobody'], 4, 'job_not_found'],
    [['list', '--state', 'happy'], 2, 'invalid_option'],
    [['skip', 'nightly', '2099-01-01T00:00:00Z'], 4, 'slot_not_found'],
    [['skip', 'nightly', 'soon'], 2, 'invalid_option'],
    [['backfill', 'nightly', '--from', '2099-01-01', '--to', '2099-01-02'], 2, 'invalid_option'],
  ] as const)('%j exits with %i and %s', async ([args, exitCode, code]) => {
    const { code: exited, stderr } = await run(...args)
    expect([exited, stderr]).toEqual([
      exitCode,
      expect.stringMatching(new RegExp(`^error\\[${code}\\]: `)),
    ])
  })
})

describe('changing jobs', () => {
  test('pause keeps its note, resume ends it, and both may be repeated', async () => {
    await punctual.jobs.upsert({ name: 'steered', handler: 'tick', cron: '@hourly' })
    const paused = await run('pause', 'steered', '--note', 'on holiday')
    expect([paused.code, paused.stdout]).toEqual([0, 'Paused steered.\n'])
    expect(await json('show', 'steered')).toMatchObject({
      state: 'paused',
      pausedNote: 'on holiday',
    })
    expect(await json('pause', 'steered')).toMatchObject({ result: 'already_paused' })
    const resumed = await json('resume', 'steered')
    expect(resumed).toMatchObject({ result: 'resumed', next: expect.any(Array) })
    expect(await json('resume', 'steered')).toMatchObject({ result: 'not_paused' })
  })

  test('trigger runs a job now, with its own payload or another', async () => {
    await punctual.jobs.upsert({ name: 'pulled', handler: 'tick', cron: '@yearly', payload: 'own' })
    const [own, other] = await Promise.all([
      run('trigger', 'pulled'),
      json('trigger', 'pulled', '--payload', '"other"'),
    ])
    const id = /^Submitted ([0-9a-f-]{36})\n$/.exec(own.stdout)?.[1] as string
    for (const runId of [id, other.id])
      expect(await punctual.runs.waitFor(runId)).toMatchObject({ state: 'succeeded' })
    expect(ran).toEqual(expect.arrayContaining(['own', 'other']))
  })

  test('skip removes a future slot, and the ledger says why', async () => {
    await punctual.jobs.upsert({ name: 'skipping', handler: 'tick', cron: '* * * * * *' })
    const slotAt = new Date(Math.floor(Date.now() / 1_000 + 15) * 1_000)
    await eventually('the slot is planned', async () => {
      const [slot] = await punctual.jobs.slots('skipping', { from: slotAt, to: slotAt })
      return slot?.decision === 'run'
    })
    const skipped = await run('skip', 'skipping', slotAt.toISOString())
    expect(skipped.stdout).toMatch(/^skipping skips \w{3} \d{4}-.* \+00:00\.\n$/)
    const range = ['--from', slotAt.toISOString(), '--to', slotAt.toISOString()]
    expect(await json('slots', 'skipping', ...range)).toMatchObject([
      { decision: 'skip', reason: 'asked', runId: null, runState: null },
    ])
    const why = await run('explain', 'skipping', '--at', slotAt.toISOString())
    expect(why.stdout).toContain('it was skipped: an operator requested the skip')
    expect((await run('skip', 'skipping', '2026-01-01T00:00:00Z')).code).toBe(4)
    await punctual.jobs.delete('skipping')
  })

  test('backfill runs slots that have not run, and none of them twice', async () => {
    await punctual.jobs.upsert({ name: 'filled', handler: 'tick', cron: '0 0 * * *' })
    const range = ['--from', '2026-01-01T00:00:00Z', '--to', '2026-01-04T00:00:00Z']
    const first = await run('backfill', 'filled', ...range, '--pace', '1s')
    expect(first.stdout).toMatch(/^Created 3 runs of filled; 0 slots/)
    expect(await json('backfill', 'filled', ...range)).toMatchObject({ runs: 0, already: 3 })
  })

  test('delete removes the job', async () => {
    await punctual.jobs.upsert({ name: 'gone', handler: 'tick', cron: '@daily' })
    expect((await run('delete', 'gone')).stdout).toBe('Deleted gone.\n')
    expect((await run('show', 'gone')).code).toBe(4)
  })
})

describe('the ledger', () => {
  test('slots shows each decision and the state of the run; explain says it in words', async () => {
    await punctual.jobs.upsert({ name: 'each-second', handler: 'tick', cron: '* * * * * *' })
    await eventually('a slot has run', async () =>
      (await punctual.jobs.slots('each-second')).some(({ decision }) => decision === 'run'),
    )
    await eventually('its run has ended', async () => {
      const [slot] = await punctual.jobs.slots('each-second')
      const found = slot?.runId && (await punctual.runs.get(slot.runId))
      return found ? found.state === 'succeeded' : false
    })
    const { table, value } = await both(['jobs', 'slots', 'each-second'], { env })
    expect(table.stdout).toMatch(/^SLOT \(UTC\) +DECISION +REASON +RUN STATE +LATE +RUN\n/)
    expect(table.stdout).toMatch(/run +on-time +succeeded +\d+ ms +[0-9a-f-]{36}/)
    const [first] = value
    expect(first).toMatchObject({ decision: 'run', reason: 'on-time', runState: 'succeeded' })
    const at = ['--at', first.slotAt as string]
    const { table: words, value: explanation } = await both(
      ['jobs', 'explain', 'each-second', ...at],
      {
        env,
      },
    )
    expect(words.stdout).toMatch(/ UTC: it became a run, [0-9a-f-]{36}, which is succeeded/)
    expect(explanation).toMatchObject({ job: 'each-second', decision: 'run', slotAt: first.slotAt })
    await punctual.jobs.delete('each-second')
  })

  test('explain reads a time of day as its latest occurrence up to now', async () => {
    await punctual.jobs.upsert({ name: 'young', handler: 'tick', cron: '@yearly' })
    const { stdout } = await run('explain', 'young', '--at', '00:00')
    expect(stdout).toMatch(/^The job (was created on|had no slot)/)
  })
})
