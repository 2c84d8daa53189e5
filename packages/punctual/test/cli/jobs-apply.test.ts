import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTestDatabase, type TestDatabase } from '@punctual/testkit'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { readJobsFile } from '../../src/cli/jobs-file/jobs-file.ts'
import { Punctual } from '../../src/index.ts'
import { aTemporaryFolder, both, cli } from '../kit/cli-process.ts'

let database: TestDatabase
let punctual: Punctual
let env: Record<string, string>

beforeAll(async () => {
  database = await createTestDatabase()
  env = { DATABASE_URL: database.url }
  punctual = await Punctual.start({ databaseUrl: database.url, roles: [] })
})

afterAll(async () => {
  await punctual.stop()
  await database.drop()
})

/** Runs a command on a file with this text. */
function withFile(text: string, name = 'jobs.yaml') {
  const cwd = aTemporaryFolder()
  writeFileSync(join(cwd, name), text)
  return (...args: string[]) => cli([...args, '-f', name], { env, cwd })
}

async function apply(text: string, ...flags: string[]) {
  const { code, stdout, stderr } = await withFile(text)('jobs', 'apply', ...flags, '--json')
  if (code !== 0) throw new Error(`apply exited with ${code}: ${stderr}`)
  return JSON.parse(stdout)
}

const file = (source: string, ...names: string[]) =>
  JSON.stringify({
    source,
    jobs: names.map((name) => ({ name, handler: 'h', cron: '0 2 * * *' })),
  })

describe('jobs apply', () => {
  const yaml = `
source: billing
calendars:
  holidays:
    exclude: [12-25, 2026-01-01]
jobs:
  - name: invoices
    handler: send-invoices
    cron: "0 9 * * MON-FRI"
    timezone: Europe/Berlin
    calendars: [holidays]
    payload: { batch: 100 }
  - name: reminders
    handler: send-reminders
    every: 15m
`

  test('--diff shows what would change and changes nothing', async () => {
    const { stdout, code } = await withFile(yaml)('jobs', 'apply', '--diff')
    expect(code).toBe(0)
    expect(stdout).toBe(
      'source billing: would be 2 created\n+ calendar holidays\n+ invoices\n+ reminders\n',
    )
    expect(await punctual.jobs.list({ source: 'billing' })).toEqual([])
    expect(await punctual.jobs.calendars.list()).toEqual([])
  })

  test('creates the declared jobs, changes nothing when repeated, and reports edited fields', async () => {
    expect(await apply(yaml)).toMatchObject({
      source: 'billing',
      created: ['invoices', 'reminders'],
      calendars: { created: ['holidays'] },
    })
    expect(await punctual.jobs.get('invoices')).toMatchObject({
      source: 'billing',
      payload: { batch: 100 },
      rules: { timezone: 'Europe/Berlin', calendars: ['holidays'] },
    })
    expect(await apply(yaml)).toMatchObject({
      created: [],
      updated: [],
      unchanged: ['invoices', 'reminders'],
      calendars: { unchanged: ['holidays'] },
    })
    const edited = yaml.replace('batch: 100', 'batch: 200').replace('15m', '20m')
    const { stdout } = await withFile(edited)('jobs', 'apply', '--diff')
    expect(stdout).toContain('~ invoices\n    payload: {"batch":100} → {"batch":200}\n')
    expect(stdout).toContain('~ reminders\n    every: "15m" → "20m"\n')
    expect(await apply(edited)).toMatchObject({ updated: ['invoices', 'reminders'] })
    expect(await apply(edited, '--diff')).toMatchObject({ updated: [] })
  })

  test('only --prune deletes, and only jobs of the same source', async () => {
    await apply(file('one', 'one-a', 'one-b'))
    await apply(file('two', 'two-a'))
    const kept = await withFile(file('one', 'one-a'))('jobs', 'apply')
    expect(kept.stdout).toContain('not in the file, kept without --prune: one-b')
    const would = await apply(file('one', 'one-a'), '--prune', '--diff')
    expect(would).toMatchObject({ removed: ['one-b'], unchanged: ['one-a'] })
    expect(await punctual.jobs.get('one-b')).not.toBeNull()
    expect(await apply(file('one', 'one-a'), '--prune')).toMatchObject({ removed: ['one-b'] })
    expect(await punctual.jobs.get('one-b')).toBeNull()
    expect(await punctual.jobs.get('two-a')).not.toBeNull()
  })

  test('a name of another source is refused, and nothing changes', async () => {
    await apply(file('mine', 'shared'))
    const both = `${file('other', 'fresh')}\n---\n${file('theirs', 'shared')}`
    const { code, stderr } = await withFile(both)('jobs', 'apply')
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^error\[job_of_other_source\]/)])
    expect(await punctual.jobs.get('fresh')).toBeNull()
  })

  test('without a source only the named jobs are touched, and --prune is refused', async () => {
    const text = 'jobs: [{ name: unowned, handler: h, cron: "@daily" }]'
    expect(await apply(text)).toMatchObject({ source: null, created: ['unowned'] })
    expect(await apply(text)).toMatchObject({ unchanged: ['unowned'] })
    const pruned = await withFile(text)('jobs', 'apply', '--prune')
    expect([pruned.code, pruned.stderr]).toEqual([2, expect.stringContaining('Add a `source`')])
    const foreign = await withFile(text.replace('unowned', 'two-a'))('jobs', 'apply')
    expect(foreign.code).toBe(1)
  })

  test('reads standard input', async () => {
    const args = ['jobs', 'apply', '-f', '-', '--diff', '--json']
    const { stdout } = await cli(args, { env, input: file('piped', 'from-pipe') })
    expect(JSON.parse(stdout)).toMatchObject({ source: 'piped', created: ['from-pipe'] })
  })
})

describe('an invalid file is refused with the position of the mistake', () => {
  const job = 'source: s\njobs:\n  - name: a\n    handler: h\n'
  const read = (text: string) => readJobsFile('jobs.yaml', text, { timezone: 'UTC', jitterMs: 0 })

  test.for([
    ['an expression', `${job}    cron: "0 61 * * *"`, 'jobs.yaml:5:11: job "a": Expected an hour'],
    [
      'an option',
      `${job}    cron: "@daily"\n    priority: 99`,
      'jobs.yaml:6:15: job "a": priority',
    ],
    [
      'an entry of an option',
      `${job}    every: 5m\n    misfire:\n      maxCount: -1`,
      'jobs.yaml:7:17',
    ],
    [
      'an unknown option',
      `${job}    cron: "@daily"\n    speed: 1`,
      'jobs.yaml:6:12: job "a": "speed"',
    ],
    ['no schedule', job, 'jobs.yaml:3:5: job "a": A job needs one of'],
    ['no name', 'jobs:\n  - handler: h', 'jobs.yaml:2:5: job number 1: The job has no name'],
    ['a delay', `${job}    delayMs: 5`, 'jobs.yaml:5:14: job "a": A delay would start anew'],
    ['a source of a job', `${job}    source: x`, 'The source belongs at the top'],
    ['a name twice', `${job}    cron: "@daily"\n  - { name: a, handler: h, every: 5m }`, ':6:'],
    ['an unknown entry', 'source: s\nwork: []', 'jobs.yaml:2:7: Expected source, jobs, calendars'],
    ['no list', 'jobs: {}', 'jobs.yaml:1:7: The jobs must be a list'],
    ['a star without quotes', 'jobs:\n  - cron: * * * * *', 'jobs.yaml:2:11'],
    [
      'a calendar',
      'calendars:\n  c:\n    exclude: [13-40]',
      'jobs.yaml:3:15: calendar "c": exclude[0]',
    ],
    [
      'a source twice',
      'source: s\n---\nsource: s',
      'jobs.yaml:3:9: The source "s" occurs twice in this file',
    ],
    [
      'a number',
      `${job}    cron: "@daily"\n    payload: 12345678901234567890`,
      ':6:14: This integer',
    ],
    ['nothing', '', 'jobs.yaml is empty'],
  ] as const)('%s', ([, text, message]) => {
    expect(() => read(text)).toThrow(message)
  })

  test('an instant without an offset is local time in the zone of the job', () => {
    const [{ jobs } = { jobs: [] }] = read(
      'jobs: [{ name: a, handler: h, at: 2030-01-31T12:00, timezone: Asia/Tokyo }]',
    )
    expect(jobs[0]?.compiled.onceMs).toBe(Date.parse('2030-01-31T03:00:00Z'))
  })

  test('keeps the code and the caret of the mistake, and exits with 2', async () => {
    const { code, stderr } = await withFile(`${job}    cron: "0 61 * * *"`)('jobs', 'apply')
    expect(code).toBe(2)
    expect(stderr).toMatch(/^error\[invalid_schedule\]: jobs\.yaml:5:11: job "a": .*\n.*\n {4}\^\^/)
  })

  test('an unknown calendar is reported with the position of the job', async () => {
    const text = `${job}    cron: "@daily"\n    calendars: [none]`
    const { code, stderr } = await withFile(text)('jobs', 'apply', '--diff')
    expect([code, stderr]).toEqual([
      4,
      expect.stringMatching(/^error\[calendar_not_found\]: jobs\.yaml:6:16: job "a"/),
    ])
  })
})

describe('jobs export', () => {
  async function anInstallation(): Promise<{ punctual: Punctual; env: Record<string, string> }> {
    const own = await createTestDatabase()
    onTestFinished(() => own.drop())
    const started = await Punctual.start({ databaseUrl: own.url, roles: [] })
    onTestFinished(() => started.stop())
    return { punctual: started, env: { DATABASE_URL: own.url } }
  }

  async function fill({ jobs }: Punctual): Promise<void> {
    await jobs.calendars.set('quiet', { windows: [{ days: '1-5', from: '22:00', to: '06:00' }] })
    await jobs.upsertMany([
      { name: 'plain', handler: 'h', cron: '* * * * *' },
      { name: 'text', handler: 'h', cron: '@daily', payload: 'yes', description: 'no: yes # x' },
      { name: 'rate', handler: 'h', every: 90_000, startAt: '2030-01-01T00:00:00.123Z' },
      { name: 'iso', handler: 'h', every: 'R5/2030-01-01T00:00:00Z/PT1H', maxRuns: 3 },
      { name: 'once', handler: 'h', at: '2031-01-01T00:00:00Z', source: 'b' },
      { name: 'delayed', handler: 'h', delayMs: 3_600_000, source: 'b' },
      {
        ...{
          name: 'full',
          handler: 'h',
          everyAfterEnd: '5m',
          source: 'a',
          queue: 'q',
          priority: 9,
        },
        ...{ timezone: 'Asia/Tokyo', endAt: '2040-01-01T00:00:00Z', jitterMs: 5_000, owner: 'me' },
        ...{ calendars: ['quiet'], dst: { gap: 'skip' }, dayRule: 'or', misfire: 'none' },
        ...{ overlap: 'allow', pauseAfterFailures: 2, labels: { b: '1', a: '' }, maxAttempts: 1 },
        ...{ timeoutMs: 1_000, retry: { backoff: { kind: 'fixed', delayMs: 5 } } },
        payload: { '2': [1.5, null, '2026-01-01', 'line\nbreak', ' lead'], a: { b: '007' } },
      },
      { name: 'part', handler: 'h', cron: '@daily', source: 'a', misfire: { dripMs: 1_000 } },
      { name: 'most', handler: 'h', every: '1h', source: 'a', delivery: 'at-most-once' },
      {
        ...{ name: 'atomic', handler: 'h', every: '1h', source: 'a', delivery: 'transactional' },
        ...{ heartbeatMs: 5_000, retry: { retryOn: ['timed_out'], abortOn: ['EBAD'] } },
      },
    ])
  }

  test('prints a file that apply accepts without changes, in YAML and in JSON', async () => {
    const here = await anInstallation()
    await fill(here.punctual)
    const { table, json } = await both(['jobs', 'export'], here)
    for (const input of [table.stdout, json.stdout]) {
      const args = ['jobs', 'apply', '-f', '-', '--diff', '--json']
      const { stdout, stderr } = await cli(args, { ...here, input })
      expect(stderr).toBe('')
      const results = JSON.parse(stdout)
      expect(results.map(({ source }: { source: string }) => source)).toEqual(['a', 'b', null])
      for (const result of results)
        expect(result).toMatchObject({ created: [], updated: [], removed: [], changes: {} })
    }
  })

  test('creates the same jobs in another installation', async () => {
    const [here, there] = [await anInstallation(), await anInstallation()]
    await fill(here.punctual)
    const exported = await cli(['jobs', 'export'], here)
    await cli(['jobs', 'apply', '-f', '-'], { ...there, input: exported.stdout })
    const again = await cli(['jobs', 'export'], there)
    expect(again.stdout).toBe(exported.stdout)
  })

  test('--source exports only the jobs of a source', async () => {
    const here = await anInstallation()
    await fill(here.punctual)
    const { stdout } = await cli(['jobs', 'export', '--source', 'a', '--json'], here)
    expect(JSON.parse(stdout)).toMatchObject({
      source: 'a',
      calendars: { quiet: {} },
      jobs: [
        {
          ...{ name: 'atomic', delivery: 'transactional', heartbeatMs: 5_000 },
          retry: { retryOn: ['timed_out'], abortOn: ['EBAD'] },
        },
        { name: 'full' },
        { name: 'most', delivery: 'at-most-once' },
        { name: 'part' },
      ],
    })
  })
})

describe('calendars', () => {
  test('are set from a file, listed and deleted', async () => {
    const text = 'timezone: Europe/Berlin\nexclude: [12-24, 12-25, 12-26, 12-31]\n'
    const set = await withFile(text, 'c.yaml')('calendars', 'set', 'feasts')
    expect(set.stdout).toMatch(/^Set the calendar feasts\./)
    const { table, value } = await both(['calendars', 'list'], { env })
    expect(table.stdout).toMatch(/feasts +Europe\/Berlin +12-24, 12-25, 12-26 and 1 more/)
    expect(value).toContainEqual({
      name: 'feasts',
      calendar: { timezone: 'Europe/Berlin', exclude: ['12-24', '12-25', '12-26', '12-31'] },
    })
    const deleted = await cli(['calendars', 'delete', 'feasts'], { env })
    expect(deleted.stdout).toBe('Deleted the calendar feasts.\n')
    const again = await cli(['calendars', 'delete', 'feasts'], { env })
    expect([again.code, again.stderr]).toEqual([
      4,
      expect.stringMatching(/^error\[calendar_not_found\]/),
    ])
  })

  test('a calendar that jobs refer to is not deleted', async () => {
    await punctual.jobs.calendars.set('used', { exclude: ['01-01'] })
    await punctual.jobs.upsert({ name: 'u', handler: 'h', cron: '@daily', calendars: ['used'] })
    const { code, stderr } = await cli(['calendars', 'delete', 'used'], { env })
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^error\[calendar_in_use\]/)])
  })

  test('an invalid calendar is refused with the position of the mistake', async () => {
    const text = 'windows:\n  - { from: "09:00", to: "25:00" }'
    const { code, stderr } = await withFile(text, 'c.yaml')('calendars', 'set', 'bad')
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/^error\[invalid_calendar\]: c\.yaml:2:26: calendar "bad"/),
    ])
  })
})
