/** Changing runs on the command line: one by its id, many by ids or a filter. */
import { migratedDatabase, type TestDatabase } from '@punctual/testkit'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Punctual } from '../../src/index.ts'
import { cli } from '../kit/cli-process.ts'

let database: TestDatabase
let client: Punctual
let env: Record<string, string>
let queue = ''
let queues = 0

beforeAll(async () => {
  database = await migratedDatabase()
  env = { DATABASE_URL: database.url }
  client = await Punctual.start({ databaseUrl: database.url, roles: [] })
})
afterAll(async () => {
  await client.stop()
  await database.drop()
})
beforeEach(() => {
  queue = `queue-${++queues}`
})

const submit = async (options: object = {}) =>
  (await client.submit('none', { n: 1 }, { queue, ...options })).id
const json = async (args: string[]) => JSON.parse((await cli([...args, '--json'], { env })).stdout)

describe('one run', () => {
  test('is promoted, reprioritised and edited', async () => {
    const id = await submit({ delayMs: 3_600_000 })
    expect(await json(['runs', 'edit', id, '{"n":2}'])).toEqual({ id, result: 'edited' })
    const moved = await json(['runs', 'reprioritise', id, '--priority', '8'])
    expect(moved).toEqual({ id, result: 'reprioritised', priority: 8 })
    const promoted = await cli(['runs', 'promote', id], { env })
    expect([promoted.code, promoted.stdout]).toEqual([0, 'Promoted. The run is due now.\n'])
    expect(await client.runs.get(id)).toMatchObject({
      ...{ state: 'queued', priority: 8, payload: { n: 2 } },
    })
  })

  test('that has ended is not changed, and the output says so', async () => {
    const id = await submit()
    await client.runs.cancel(id)
    for (const args of [['promote'], ['reprioritise', '--priority', '1'], ['edit', '1']]) {
      const [verb, ...rest] = args as [string, ...string[]]
      const late = await cli(['runs', verb, id, ...rest], { env })
      expect([late.code, late.stdout]).toEqual([1, expect.stringContaining('already ended')])
    }
  })

  test('is not changed by invalid arguments', async () => {
    const id = await submit()
    const bad = [
      [['reprioritise', '--priority', 'high'], 'invalid_option'],
      [['reprioritise', '--priority', '11'], 'invalid_option'],
      [['reprioritise'], 'invalid_option'],
      [['edit', '{n'], 'invalid_payload'],
      [['edit'], 'invalid_option'],
      [['promote', '--limit', '0'], 'invalid_option'],
    ] as const
    const answers = await Promise.all(
      bad.map(([[verb, ...rest]]) => cli(['runs', verb, id, ...rest], { env })),
    )
    bad.forEach(([args, code], i) => {
      const refused = answers[i] as (typeof answers)[0]
      expect([refused.code, refused.stdout], args.join(' ')).toEqual([2, ''])
      expect(refused.stderr).toMatch(new RegExp(`^error\\[${code}\\]`))
    })
    expect(await client.runs.get(id)).toMatchObject({ editedAt: null })
  })
})

describe('many runs', () => {
  test('are counted in a dry run, then cancelled', async () => {
    const ids = [await submit(), await submit({ delayMs: 3_600_000 })].sort()
    const dry = await cli(['runs', 'cancel', '--queue', queue, '--dry-run'], { env })
    expect(dry.stdout).toMatch(/^2 runs match: 1 queued, 1 scheduled\.\nNothing was changed/)
    for (const id of ids) expect(dry.stdout).toContain(id)
    const done = await json(['runs', 'cancel', '--queue', queue, '--reason', 'old'])
    expect(done).toEqual({
      ...{ dryRun: false, matched: 2, complete: true, sample: ids },
      states: { queued: 1, scheduled: 1 },
      answers: { cancelled: 2, cancelling: 0, already_finished: 0 },
    })
    expect(await client.runs.get(ids[0] as string)).toMatchObject({ reason: 'old' })
    const none = await cli(['runs', 'cancel', '--queue', queue], { env })
    expect([none.code, none.stdout]).toEqual([0, 'No run matches.\n'])
  })

  test('are selected by every filter flag, in changes and in lists', async () => {
    const job = `job-${queue}`
    const base = { handler: 'none', cron: '0 0 1 1 *', overlap: 'allow' as const, queue }
    await client.jobs.upsert({ ...base, name: job, labels: { tier: 'gold' } })
    await client.jobs.trigger(job)
    const id = await submit({ key: `${queue}/1`, labels: { tier: 'tin' }, delayMs: 7_200_000 })
    const choices = [
      [['--queue', queue], 2],
      [['--queue', queue, '--handler', 'none', '--state', 'scheduled,queued'], 2],
      [['--job', job], 1],
      [['--queue', queue, '--label', 'tier=tin'], 1],
      [['--key-prefix', `${queue}/`], 1],
      [['--queue', queue, '--due-from', '+1h'], 1],
      [['--queue', queue, '--due-to', '+1h'], 1],
      [['--queue', queue, '--created-from', '-1h', '--created-to', '+1h'], 2],
      [['--queue', queue, '--created-to', '2020-01-01T00:00:00Z'], 0],
    ] as const
    const matched = choices.map(async ([flags]) => {
      return (await json(['runs', 'cancel', ...flags, '--dry-run'])).matched
    })
    expect(await Promise.all(matched)).toEqual(choices.map(([, count]) => count))
    expect(await json(['runs', 'list', '--queue', queue, '--label', 'tier=tin'])).toMatchObject([
      { id },
    ])
    const moved = await json(['runs', 'reschedule', '--key-prefix', `${queue}/`, '--at', '+5h'])
    expect(moved.answers).toEqual({ rescheduled: 1, missed: 0 })
    const promoted = await json(['runs', 'promote', id, id, '--limit', '5'])
    expect(promoted.answers).toEqual({ promoted: 1, missed: 0 })
    const ranked = await json(['runs', 'reprioritise', '--queue', queue, '--priority', '0'])
    expect(ranked.answers).toEqual({ reprioritised: 2, missed: 0 })
  })

  test('with an invalid selection are refused', async () => {
    const bad = [
      [['cancel'], 'Select runs by ids'],
      [['cancel', '--all', '--queue', 'x'], '--all cannot be combined'],
      [['promote', '--state', 'running', '--queue', 'x'], 'states must be a list of scheduled'],
      [['cancel', '--state', 'happy'], '--state must be one or more of'],
      [['cancel', '--label', 'gold'], '--label must be name=value'],
      [['cancel', '--due-from', 'soon'], '--due-from must be a time'],
      [['cancel', 'not-an-id', 'neither'], 'ids must be a list of run ids'],
      [['list', '--created-to', '5'], '--created-to must be a time'],
    ] as const
    const answers = await Promise.all(bad.map(([args]) => cli(['runs', ...args], { env })))
    bad.forEach(([args, message], i) => {
      const { code, stdout, stderr } = answers[i] as (typeof answers)[0]
      expect([code, stdout], args.join(' ')).toEqual([2, ''])
      expect(stderr).toContain(message)
    })
  })

  test('of an unknown job are refused instead of matching nothing', async () => {
    for (const verb of ['list', 'cancel']) {
      const unknown = await cli(['runs', verb, '--job', 'nobody'], { env })
      expect([unknown.code, unknown.stderr]).toEqual([4, expect.stringContaining('job_not_found')])
    }
  })

  test('are all selected by --all', async () => {
    await submit()
    const all = await json(['runs', 'cancel', '--all', '--dry-run'])
    expect(all.matched).toBeGreaterThan(0)
    expect(await json(['runs', 'cancel', '--all'])).toMatchObject({ matched: all.matched })
  })
})

test('limits are set, shown and removed, and an invalid limit is refused', async () => {
  const set = ['limits', 'set', '--queue', queue, '--concurrency', '2', '--rate', '10/minute']
  const rate = { limit: 10, perMs: 60_000, burst: 1 }
  expect(await json([...set, '--ageing', '5m'])).toMatchObject([
    { queue, concurrency: 2, rate, ageingMs: 300_000, running: 0, setBy: expect.any(String) },
  ])
  const shown = await cli(['limits'], { env })
  expect(shown.stdout).toContain('0 of 2')
  expect(shown.stdout).toContain('10 per 1 m')
  const removed = await cli(['limits', 'remove', '--queue', queue], { env })
  expect(removed.stdout).toBe(`Removed the limits of the queue ${queue}.\n`)
  expect(await json(['limits', 'remove', '--queue', queue])).toEqual({
    queue,
    result: 'not_limited',
  })
  const bad = await cli(['limits', 'set', '--queue', queue, '--weight', '3'], { env })
  expect([bad.code, bad.stderr]).toEqual([2, expect.stringContaining('weight')])
})
