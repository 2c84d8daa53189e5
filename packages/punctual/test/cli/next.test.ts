import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { nextFires, previewFires } from '../../src/index.ts'
import { aTemporaryFolder, cli } from '../kit/cli-process.ts'

describe('next --json', () => {
  test('prints the instants as one array, and creates no database', async () => {
    const cwd = aTemporaryFolder()
    const flags = ['--tz', 'Europe/Berlin', '--from', '2026-03-27T00:00:00Z', '--count', '4']
    const { code, stdout, stderr } = await cli(['next', '30 2 * * *', ...flags, '--json'], { cwd })
    expect([code, stderr]).toEqual([0, ''])
    expect(JSON.parse(stdout)).toEqual([
      '2026-03-27T01:30:00.000Z',
      '2026-03-28T01:30:00.000Z',
      '2026-03-29T01:00:00.000Z',
      '2026-03-30T00:30:00.000Z',
    ])
    expect(existsSync(join(cwd, '.punctual'))).toBe(false)
  })

  test('connects to no database even when one is configured', async () => {
    const env = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nowhere' }
    const { code, stdout } = await cli(['next', '@hourly', '--count', '1', '--json'], { env })
    expect([code, JSON.parse(stdout)]).toEqual([0, [expect.stringMatching(/:00:00\.000Z$/)]])
  })

  test.for([
    [['--dst-gap', 'skip'], ['2026-03-30T00:30:00.000Z']],
    [['--dst-gap', 'shift'], ['2026-03-29T01:30:00.000Z']],
    [['--dst-gap', 'run-after'], ['2026-03-29T01:00:00.000Z']],
  ] as const)('%j decides when a local time that does not exist fires', async ([flags, fires]) => {
    const args = ['--tz', 'Europe/Berlin', '--from', '2026-03-29', '--count', '1', '--json']
    const { stdout } = await cli(['next', '30 2 * * *', ...args, ...flags])
    expect(JSON.parse(stdout)).toEqual(fires)
  })

  test('--dst-fold both fires in each pass, and --day-rule and requires both days', async () => {
    const [overlap, days] = await Promise.all([
      cli([
        ...['next', '30 2 * * *', '--tz', 'Europe/Berlin', '--from', '2026-10-25'],
        ...['--count', '2', '--dst-fold', 'both', '--json'],
      ]),
      cli([
        ...['next', '0 0 13 * FRI', '--from', '2026-01-01', '--count', '2'],
        ...['--day-rule', 'and', '--json'],
      ]),
    ])
    expect(JSON.parse(overlap.stdout)).toEqual([
      '2026-10-25T00:30:00.000Z',
      '2026-10-25T01:30:00.000Z',
    ])
    expect(JSON.parse(days.stdout)).toEqual([
      '2026-02-13T00:00:00.000Z',
      '2026-03-13T00:00:00.000Z',
    ])
  })

  test.for([
    [['0 61 * * *'], 'invalid_schedule', '  0 61 * * *\n    ^^'],
    [['every day'], 'invalid_schedule', '^'],
    [['0 0 30 2 *'], 'never_fires', 'never fires'],
    [['0 0 0 1 1 ? 2020'], 'never_fires', 'no fire after'],
    [['@daily', '--tz', 'Europe/Brlin'], 'invalid_timezone', 'Did you mean Europe/Berlin?'],
    [['@daily', '--count', '0'], 'invalid_option', '--count must be an integer'],
    [['@daily', '--from', 'soon'], 'invalid_option', '--from must be a time such as'],
    [['@daily', '--dst-gap', 'jump'], 'invalid_option', 'run-after, shift, skip'],
  ] as const)('refuses %j with 2 and a code', async ([args, code, text]) => {
    const { code: exited, stdout, stderr } = await cli(['next', ...args, '--json'])
    expect([exited, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(new RegExp(`^error\\[${code}\\]: `))
    expect(stderr).toContain(text)
  })
})

describe('next', () => {
  test('prints local time and UTC, with a note at each clock change', async () => {
    const flags = ['--tz', 'Europe/Berlin', '--from', '2026-03-28', '--count', '2']
    const { stdout } = await cli(['next', '30 2 * * *', ...flags, '--around-dst'])
    expect(stdout).toMatch(/^LOCAL TIME \(Europe\/Berlin\) +UTC/)
    expect(stdout).toContain(
      'Sun 2026-03-29 03:00:00 +02:00  2026-03-29T01:00:00Z  moved: 02:30 does not exist on this day',
    )
    expect(stdout).toContain('Around the clock change on Sun 2026-10-25 02:00:00 +01:00:')
    expect(stdout).toMatch(/Sun 2026-10-25 02:30:00 \+02:00 .*repeated hour, first pass/)
  })

  test('takes the zone from the expression, the flag or the setting, in this order', async () => {
    const env = { PUNCTUAL_TIMEZONE: 'Asia/Tokyo' }
    const args = ['--from', '2026-01-01T00:00:00Z', '--count', '1']
    const [setting, flag, own] = await Promise.all([
      cli(['next', '0 9 * * *', ...args], { env }),
      cli(['next', '0 9 * * *', ...args, '--tz', 'Europe/Berlin'], { env }),
      cli(['next', 'CRON_TZ=America/New_York 0 9 * * *', ...args, '--tz', 'UTC'], { env }),
    ])
    expect(setting.stdout).toMatch(/Asia\/Tokyo.*\n.*09:00:00 \+09:00 +2026-01-02T00:00:00Z/)
    expect(flag.stdout).toMatch(/Europe\/Berlin.*\n.*09:00:00 \+01:00 +2026-01-01T08:00:00Z/)
    expect(own.stdout).toMatch(/America\/New_York.*\n.*09:00:00 -05:00 +2026-01-01T14:00:00Z/)
  })
})

describe('in the library', () => {
  test('nextFires starts from now by default', () => {
    const [first] = nextFires('* * * * *', { count: 1 })
    const aheadMs = (first as Date).getTime() - Date.now()
    expect(aheadMs).toBeGreaterThan(-1_000)
    expect(aheadMs).toBeLessThanOrEqual(60_000)
  })

  test('nextFires accepts every policy, and reads an instant without an offset as local time', () => {
    const at = { tz: 'Europe/Berlin', from: '2026-10-25T00:00', count: 2 } as const
    expect(nextFires('30 2 * * *', { ...at, fold: 'both' })).toEqual([
      new Date('2026-10-25T00:30:00Z'),
      new Date('2026-10-25T01:30:00Z'),
    ])
    const and = { from: new Date('2026-01-01T00:00:00Z'), count: 1, dayRule: 'and' } as const
    expect(nextFires('0 0 13 * 5', and)).toEqual([new Date('2026-02-13T00:00:00Z')])
    expect(() => nextFires('@daily', { from: 'soon' })).toThrow(/from must be a Date/)
  })

  test('previewFires returns local times and notes', () => {
    const from = '2026-03-28T12:00'
    const [fire] = previewFires('30 2 * * *', { tz: 'Europe/Berlin', from, count: 1, gap: 'shift' })
    expect(fire).toEqual({
      at: new Date('2026-03-29T01:30:00Z'),
      local: '2026-03-29T03:30:00+02:00',
      note: 'moved: 02:30 does not exist on this day',
    })
  })
})
