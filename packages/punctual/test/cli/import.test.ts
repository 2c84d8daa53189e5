import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTestDatabase } from '@punctual/testkit'
import { describe, expect, onTestFinished, test } from 'vitest'
import { nameEntries } from '../../src/cli/crontab/name-entries.ts'
import {
  type CrontabEntry,
  type CrontabLine,
  readCrontab,
} from '../../src/cli/crontab/read-crontab.ts'
import { Punctual } from '../../src/index.ts'
import { aTemporaryFolder, cli } from '../kit/cli-process.ts'

function read(text: string, options: { userColumn?: boolean; timezone?: string } = {}) {
  return readCrontab(text, { userColumn: false, timezone: 'UTC', ...options })
}

function entries(lines: readonly CrontabLine[]): CrontabEntry[] {
  return lines.flatMap((line) => (line.kind === 'job' ? [line.entry] : []))
}

function entry(text: string, options?: Parameters<typeof read>[1]): CrontabEntry {
  const [first] = entries(read(text, options))
  if (!first)
    throw new Error(`no job was created from ${text}: ${JSON.stringify(read(text, options))}`)
  return first
}

function refusal(text: string) {
  const refused = read(text).find((line) => line.kind === 'refused')
  if (refused?.kind !== 'refused') throw new Error(`nothing was refused in ${text}`)
  return refused
}

describe('reading a crontab', () => {
  test('comments and blank lines are ignored', () => {
    expect(read('# a comment\n\n   \t\n  # another\n')).toEqual([])
  })

  test('a line is five fields and a command, with any spacing', () => {
    expect(entry('  */5\t0-23/2 *   JAN-MAR  mon,WED   /bin/date -u  ')).toMatchObject({
      cron: '*/5 0-23/2 * JAN-MAR mon,WED',
      command: '/bin/date -u',
      timezone: 'UTC',
      user: null,
      stdin: null,
    })
  })

  test('variables apply to the lines that follow, with and without quotes and spaces', () => {
    const text = [
      '0 1 * * * first',
      'SHELL=/bin/bash',
      'PATH = "/usr/bin:/bin"',
      "NOTE='a b'",
      '0 2 * * * second',
      'PATH=/opt',
      '0 3 * * * third',
    ].join('\n')
    expect(entries(read(text)).map(({ env }) => env)).toEqual([
      {},
      { SHELL: '/bin/bash', PATH: '/usr/bin:/bin', NOTE: 'a b' },
      { SHELL: '/bin/bash', PATH: '/opt', NOTE: 'a b' },
    ])
  })

  test('an assignment in a command is part of the command', () => {
    expect(entry('0 1 * * * LANG=C sort x')).toMatchObject({ command: 'LANG=C sort x', env: {} })
  })

  test('CRON_TZ and TZ set the zone of the lines that follow, and CRON_TZ wins', () => {
    const text = [
      '0 1 * * * a',
      'TZ=Asia/Tokyo',
      '0 1 * * * b',
      'CRON_TZ=Europe/Berlin',
      '0 1 * * * c',
      'CRON_TZ=',
      '0 1 * * * d',
    ].join('\n')
    const imported = entries(read(text, { timezone: 'America/New_York' }))
    expect(imported.map(({ timezone }) => timezone)).toEqual([
      'America/New_York',
      'Asia/Tokyo',
      'Europe/Berlin',
      'Asia/Tokyo',
    ])
    expect(imported[2]?.env).toEqual({ TZ: 'Asia/Tokyo' })
  })

  test('lines after an unknown zone are refused instead of imported in another zone', () => {
    const lines = read('CRON_TZ=Mars/Base\n0 1 * * * a\nCRON_TZ=UTC\n0 1 * * * b')
    expect(lines.map(({ kind }) => kind)).toEqual(['refused', 'refused', 'variable', 'job'])
    expect(lines[1]).toMatchObject({ why: 'The time zone set in line 1 is unknown.' })
  })

  test.for([
    ['@daily', '@daily'],
    ['@Midnight', '@midnight'],
    ['@annually', '@annually'],
    ['@every_minute', '* * * * *'],
    ['@every 90s', '@every 90s'],
    ['-*/10 * * * *', '*/10 * * * *'],
    ['0~30 ~ * * *', 'H(0-30) H * * *'],
  ] as const)('imports %s as %s', ([written, cron]) => {
    expect(entry(`${written} command`)).toMatchObject({ cron, command: 'command' })
  })

  test('@reboot is reported as unsupported, not as a mistake', () => {
    expect(refusal('@reboot /usr/bin/start')).toMatchObject({
      line: 1,
      wrong: false,
      why: expect.stringContaining('machine restarts'),
    })
  })

  test.for([
    ['0 61 * * * x', 'Expected an hour from 0 to 23; got "61"'],
    ['@fortnightly x', '@fortnightly'],
    ['0 0 30 2 * x', 'never fires'],
    ['1 2 3', 'expected five fields and a command; got 3 words'],
    ['* * * * *', 'expected five fields and a command'],
    ['@daily', 'expected a command after the schedule'],
    ['hello', 'expected five fields and a command; got 1 word'],
  ] as const)('reports the mistake in %j', ([text, why]) => {
    expect(refusal(text)).toMatchObject({ wrong: true, why: expect.stringContaining(why) })
  })

  test('the first % begins standard input, each further one is a line break, \\% is a %', () => {
    expect(entry('0 9 * * * mail -s 10\\% joe%Dear Joe,%%Yours%')).toMatchObject({
      command: 'mail -s 10% joe',
      stdin: 'Dear Joe,\n\nYours\n',
    })
    expect(entry('0 9 * * * cat%one')).toMatchObject({ command: 'cat', stdin: 'one\n' })
  })

  test('/etc/crontab has a user before the command', () => {
    const line = '17 * * * * root cd / && run-parts /etc/cron.hourly'
    expect(entry(line, { userColumn: true })).toMatchObject({
      user: 'root',
      command: 'cd / && run-parts /etc/cron.hourly',
    })
    expect(read(line)[0]?.notes).toEqual([expect.stringContaining('--user-column')])
    expect(read('17 * * * * root', { userColumn: true })[0]).toMatchObject({
      kind: 'refused',
      why: expect.stringContaining('expected a user and a command'),
    })
  })

  test('a random delay becomes jitter', () => {
    expect(entry('RANDOM_DELAY=6\n0 1 * * * x')).toMatchObject({ jitterMs: 360_000, env: {} })
  })

  test('a Windows line ending is not part of the command', () => {
    expect(entry('0 1 * * * x\r\n').command).toBe('x')
  })
})

describe('names', () => {
  const named = (...texts: string[]) => nameEntries(entries(read(texts.join('\n'))), '')

  test.for([
    ['/usr/local/bin/backup.sh --all >/dev/null 2>&1', 'backup-sh-all'],
    ['cd /srv/app && /usr/bin/php artisan schedule:run', 'artisan-schedule-run'],
    ['test -x /usr/sbin/anacron || ( run-parts /etc/cron.daily )', 'run-parts-cron-daily'],
    ['[ -x /usr/bin/x ] && LANG=C nice /usr/bin/x --fast', 'x-fast'],
    ['///', 'job'],
  ] as const)('names %s %s', ([command, name]) => {
    expect(named(`0 1 * * * ${command}`)).toEqual([name])
  })

  test('are unique, and stay the same when lines are added', () => {
    const lines = ['0 1 * * * backup', '0 2 * * * backup', '0 2 * * * backup']
    const names = named(...lines)
    expect(new Set(names).size).toBe(3)
    expect(names[0]).toBe('backup')
    expect(named(...lines, '5 5 * * * other', '0 3 * * * backup').slice(0, 3)).toEqual(names)
  })
})

describe('import crontab', () => {
  const crontab = [
    'MAILTO=ops@example.com',
    '*/5 * * * * /usr/local/bin/backup.sh',
    '@reboot /usr/bin/start',
    'CRON_TZ=Europe/Berlin',
    '0 9 * * 1-5 mail joe%hello',
  ].join('\n')

  test('prints the file for apply, and reports on each line', async () => {
    const { code, stdout, stderr } = await cli(['import', 'crontab', '-'], { input: crontab })
    expect(code).toBe(0)
    expect(stdout).toMatch(/^source: crontab\njobs:\n {2}# line 2: .*\n {2}- name: backup-sh\n/)
    expect(stderr).toContain('line 2: backup-sh: */5 * * * * (UTC) /usr/local/bin/backup.sh')
    expect(stderr).toContain('line 3: not imported: @reboot /usr/bin/start')
    expect(stderr).toMatch(/line 5: mail-joe: .*\n {2}note: the text after the first %/)
    expect(stderr).toContain('2 jobs; 1 line not imported')
  })

  test('a mistake in one line exits with 1, and the other lines are imported', async () => {
    const input = '0 61 * * * bad\n0 1 * * * good'
    const { code, stdout } = await cli(['import', 'crontab', '-', '--json'], { input })
    expect(code).toBe(1)
    const { file, lines } = JSON.parse(stdout)
    const target = { kind: 'shell', shell: true, command: 'good', input: '' }
    expect(file.jobs).toMatchObject([{ name: 'good', target, cron: '0 1 * * *', maxAttempts: 1 }])
    expect(lines).toMatchObject([
      { line: 1, kind: 'refused', wrong: true },
      { line: 2, kind: 'job', job: 'good' },
    ])
  })

  test('the printed file and --apply create the same jobs', async () => {
    const database = await createTestDatabase()
    onTestFinished(() => database.drop())
    const env = { DATABASE_URL: database.url }
    const punctual = await Punctual.start({ databaseUrl: database.url, roles: [] })
    onTestFinished(() => punctual.stop())
    const cwd = aTemporaryFolder()
    writeFileSync(join(cwd, 'crontab'), crontab)
    const flags = ['--handler', 'run-command', '--source', 'host-a', '--prefix', 'a-']
    const args = ['import', 'crontab', 'crontab', ...flags]
    const { stdout } = await cli(args, { cwd, env })
    writeFileSync(join(cwd, 'jobs.yaml'), stdout)
    const applied = await cli(['jobs', 'apply', '-f', 'jobs.yaml', '--json'], { cwd, env })
    expect(JSON.parse(applied.stdout).created).toEqual(['a-backup-sh', 'a-mail-joe'])
    const again = await cli([...args, '--apply', '--prune', '--json'], { cwd, env })
    expect(JSON.parse(again.stdout).result).toMatchObject({
      created: [],
      updated: [],
      unchanged: ['a-backup-sh', 'a-mail-joe'],
    })
    expect(await punctual.jobs.get('a-mail-joe')).toMatchObject({
      handler: 'run-command',
      source: 'host-a',
      payload: { command: 'mail joe', env: { MAILTO: 'ops@example.com' }, stdin: 'hello\n' },
      rules: { timezone: 'Europe/Berlin', overlap: 'allow', misfire: { policy: 'none' } },
    })
  })

  test('--apply makes jobs whose commands run on a node that performs the kind shell', async () => {
    const database = await createTestDatabase()
    onTestFinished(() => database.drop())
    const env = { DATABASE_URL: database.url }
    const punctual = await Punctual.start({
      databaseUrl: database.url,
      worker: { targets: ['handler', 'shell'] },
    })
    onTestFinished(() => punctual.stop())
    const lines = [
      'GREETING=it is "me"',
      'HOME=/usr',
      `0 1 1 1 * echo "$GREETING" '{{.Names}}'; cat; pwd%first%second`,
      'SHELL=/bin/bash',
      '0 2 1 1 * test -n "$BASH_VERSION" && echo bash',
    ]
    const input = lines.join('\n')
    const applied = await cli(['import', 'crontab', '-', '--apply', '--json'], { input, env })
    const { created } = JSON.parse(applied.stdout).result
    const outputs: unknown[] = []
    for (const name of created) {
      const run = await punctual.runs.waitFor(await punctual.jobs.trigger(name))
      outputs.push(run.output)
    }
    expect(outputs).toEqual(['it is "me" {{.Names}}\nfirst\nsecond\n/usr', 'bash'])
  })

  test('an unreadable file exits with 4', async () => {
    const { code, stderr } = await cli(['import', 'crontab', 'none'])
    expect(code).toBe(4)
    expect(stderr).toMatch(/^error\[file_unreadable\]: The crontab cannot be read from none/)
  })
})
