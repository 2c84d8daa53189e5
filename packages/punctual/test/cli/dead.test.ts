/** Dead letters and unknown runs on the command line. */
import { migratedDatabase } from '@punctual/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NonRetryableError, Punctual } from '../../src/index.ts'
import { both, CliProcess, cli } from '../kit/cli-process.ts'

let database: Awaited<ReturnType<typeof migratedDatabase>>
let punctual: Punctual
let env: Record<string, string>
let repaired = false

beforeAll(async () => {
  database = await migratedDatabase()
  env = { DATABASE_URL: database.url }
  punctual = await Punctual.start({ databaseUrl: database.url, roles: ['worker'] })
  punctual.handler('ship', async (order: { n: number }, { log }) => {
    log.info('shipping', order)
    if (!repaired && order.n !== 99) throw new NonRetryableError(`no truck for order ${order.n}`)
    return order.n
  })
})
afterAll(async () => {
  await punctual.stop()
  await database.drop()
})

async function dead(queue: string, count = 1): Promise<string[]> {
  repaired = false
  const orders = Array.from({ length: count }, (_, n) => ({ n }))
  const runs = await punctual.submitMany('ship', orders, { queue })
  await Promise.all(runs.map(({ id }) => punctual.runs.waitFor(id)))
  return runs.map(({ id }) => id)
}

describe('dead', () => {
  test('list and causes show dead letters and their causes', async () => {
    const [id] = await dead('seen', 2)
    const list = await both(['dead', 'list', '--queue', 'seen'], { env })
    expect(list.table.stdout).toMatch(/^ID +HANDLER +QUEUE +DIED +REASON +HANDLED +MESSAGE/)
    expect(list.table.stdout).toMatch(
      new RegExp(`${id} +ship +seen .*non_retryable +- +NonRetryableError: no truck for order 0`),
    )
    expect(list.value).toHaveLength(2)
    const causes = await both(['dead', 'causes', '--queue', 'seen'], { env })
    expect(causes.table.stdout).toMatch(/\n2 .* ship .*NonRetryableError: no truck for order <n>/)
    expect(causes.value).toMatchObject([{ count: 2, handlers: ['ship'] }])
    const none = await both(['dead', 'list', '--queue', 'unheard-of'], { env })
    expect([none.table.stdout, none.value]).toEqual(['No dead letters.\n', []])
  })

  test('show prints the run and how its dead letter was handled', async () => {
    const [id = ''] = await dead('shown')
    const { table, value } = await both(['dead', 'show', id], { env })
    expect(table.stdout).toMatch(new RegExp(`handled +no; .punctual dead replay ${id}`))
    expect(table.stdout).toMatch(/cause +NonRetryableError: no truck for order <n>/)
    expect(table.stdout).toMatch(/NonRetryableError: no truck for order 0\n +at /)
    expect(value).toMatchObject({ id, handled: null, run: { payload: { n: 0 } } })
    const args = ['dead', 'discard', id, '--reason', 'a test order']
    const discarded = await cli(args, { env })
    expect([discarded.code, discarded.stdout]).toEqual([0, 'Discarded.\n'])
    const again = await both(args, { env })
    expect([again.table.code, again.value]).toEqual([1, { id, result: 'already_handled' }])
    const after = await cli(['dead', 'show', id], { env })
    expect(after.stdout).toMatch(/handled +discarded, .* by cli:.*\nnote +a test order\n/)
  })

  test('replay runs one dead letter again, with another payload, at most once', async () => {
    const [id = ''] = await dead('one')
    const first = await cli(['dead', 'replay', id, '--payload', '{"n":99}'], { env })
    expect(first.code).toBe(0)
    const [, again = ''] = /^Submitted (\S+)\n$/.exec(first.stdout) ?? []
    expect(await punctual.runs.waitFor(again)).toMatchObject({ output: 99, replayOf: id })
    const second = await both(['dead', 'replay', id], { env })
    expect([second.table.code, second.table.stdout]).toEqual([
      1,
      expect.stringMatching(new RegExp(`^Already replayed as ${again} at `)),
    ])
    expect(second.value).toMatchObject({ result: 'already_handled' })
    const shown = await cli(['runs', 'show', again], { env })
    expect(shown.stdout).toMatch(new RegExp(`replay of +${id}`))
  })

  test('replay of many counts first, then runs a canary, then the rest', async () => {
    const [id = ''] = await dead('many', 4)
    const filter = ['--queue', 'many', '--like', id]
    const dry = await cli(['dead', 'replay', ...filter, '--dry-run', '--limit', '3'], { env })
    expect([dry.code, dry.stdout]).toEqual([0, '3 of 4 would be replayed.\n'])
    const failing = await cli(['dead', 'replay', ...filter, '--canary', '1'], { env })
    expect(failing.code).toBe(1)
    expect(failing.stdout).toContain('Stopped: too many replays failed.')
    repaired = true
    const pace = ['--canary', '1', '--per-second', '100', '--stop-at-failure-rate', '0.5']
    const good = await cli(['dead', 'replay', ...filter, ...pace], { env })
    expect([good.code, good.stdout]).toEqual([
      0,
      expect.stringMatching(/^Replayed 4 of 4; \d ended, 0 of them dead\.\n$/),
    ])
  })

  test('an interrupted replay leaves the rest open', async () => {
    await dead('slow', 3)
    repaired = true
    const args = ['dead', 'replay', '--queue', 'slow', '--per-second', '0.01', '--json']
    const process = new CliProcess(args, { env })
    await expect
      .poll(async () => (await punctual.deadLetters.list({ queue: 'slow' })).length, {
        timeout: 30_000,
      })
      .toBe(2)
    process.signal('SIGINT')
    const { code, stdout } = await process.exited
    expect([code, JSON.parse(stdout)]).toMatchObject([130, { replayed: 1, stopped: 'aborted' }])
  })

  test('a killed replay leaves each dead letter replayed or open, and the next one continues', async () => {
    const ids = await dead('killed', 40)
    repaired = true
    const args = ['dead', 'replay', '--queue', 'killed']
    const process = new CliProcess([...args, '--per-second', '4'], { env })
    const open = async () => (await punctual.deadLetters.list({ queue: 'killed' })).length
    await expect.poll(open, { timeout: 30_000, interval: 20 }).toBeLessThan(38)
    process.signal('SIGKILL')
    await process.exited
    expect(await open()).toBeGreaterThan(0)
    const rest = await cli([...args, '--per-second', '1000', '--json'], { env })
    expect([rest.code, await open()]).toEqual([0, 0])
    const deadLetters = await punctual.deadLetters.list({
      queue: 'killed',
      state: 'all',
      limit: 100,
    })
    expect(deadLetters.map(({ id }) => id).sort()).toEqual(ids.sort())
    const replays = deadLetters.map(({ handled }) => handled?.replayedAs as string)
    for (const id of replays) expect((await punctual.runs.waitFor(id)).state).toBe('succeeded')
    expect(new Set(replays).size).toBe(40)
  })

  test('discard closes many', async () => {
    await dead('closed', 3)
    const args = ['dead', 'discard', '--queue', 'closed', '--reason', 'the shop is closed']
    const dry = await cli([...args, '--dry-run'], { env })
    expect(dry.stdout).toBe('3 would be discarded.\n')
    const done = await cli(args, { env })
    expect(done.stdout).toBe('Discarded 3 of 3.\n')
    const none = await cli([...args, '--json'], { env })
    expect(JSON.parse(none.stdout)).toEqual({ matching: 0, discarded: 0 })
  })

  test.for([
    [['replay'], 2, 'invalid_option', 'The filter is empty'],
    [['replay', '--payload', '1', '--all'], 2, 'invalid_option', '--payload needs the id'],
    [['replay', 'x', '--queue', 'q'], 2, 'invalid_option', '--queue cannot be combined'],
    [['discard', 'x'], 2, 'invalid_option', '--reason'],
    [['discard', 'x', '--all', '--reason', 'r'], 2, 'invalid_option', '--all cannot be combined'],
    [['list', '--from', 'soon'], 2, 'invalid_option', '--from must be a time'],
    [['replay', '--all', '--per-second', 'fast'], 2, 'invalid_option', '--per-second'],
    [
      ['show', '00000000-0000-7000-8000-000000000000'],
      4,
      'dead_letter_not_found',
      'is not a dead letter',
    ],
  ] as const)('refuses %j with %i and %s', async ([args, exitCode, code, message]) => {
    const { code: exited, stdout, stderr } = await cli(['dead', ...args], { env })
    expect([exited, stdout]).toEqual([exitCode, ''])
    expect(stderr).toMatch(new RegExp(`^error\\[${code}\\]: `))
    expect(stderr).toContain(message)
  })
})

describe('runs resolve', () => {
  /** A run in the state in which the reaper leaves an at-most-once run whose worker was lost. */
  async function anUnknownRun(): Promise<string> {
    const { id } = await punctual.submit('ship', { n: 99 })
    await punctual.runs.waitFor(id)
    const client = await punctual.store.database.connect()
    await client.query(
      `update punctual.outcomes set state = 5, attempt_outcome = 4, reason = 'worker_lost' where run_id = '${id}'`,
    )
    await client.end()
    return id
  }

  test('records the outcome of an unknown run once', async () => {
    const id = await anUnknownRun()
    const args = ['runs', 'resolve', id, 'failed', '--note', 'the bank says so']
    const first = await cli(args, { env })
    expect([first.code, first.stdout]).toEqual([0, 'Resolved. The run is a dead letter now.\n'])
    const second = await both(args, { env })
    expect([second.table.code, second.table.stdout]).toEqual([
      1,
      expect.stringMatching(/^Already resolved as failed at .* by cli:.*\.\n$/),
    ])
    expect(second.value).toMatchObject({ id, result: 'already_resolved' })
    const shown = await cli(['runs', 'show', id], { env })
    expect(shown.stdout).toMatch(/resolved +failed, .* by cli:.*: the bank says so\n/)
  })

  test('run-again submits a new run', async () => {
    const id = await anUnknownRun()
    const { code, stdout } = await cli(['runs', 'resolve', id, 'run-again'], { env })
    const [, again = ''] = /^Submitted (\S+)\n$/.exec(stdout) ?? []
    expect(code).toBe(0)
    expect(await punctual.runs.waitFor(again)).toMatchObject({ output: 99, replayOf: id })
    expect(await punctual.runs.get(id)).toMatchObject({ state: 'unknown', replayedAs: again })
  })

  test('refuses a run that is not unknown, a missing run and an invalid outcome', async () => {
    const { id } = await punctual.submit('ship', { n: 99 })
    await punctual.runs.waitFor(id)
    const [ended, none, answer] = await Promise.all([
      cli(['runs', 'resolve', id, 'failed'], { env }),
      cli(['runs', 'resolve', '00000000-0000-7000-8000-000000000000', 'failed'], { env }),
      cli(['runs', 'resolve', id, 'perhaps'], { env }),
    ])
    expect([ended.code, ended.stdout]).toEqual([
      1,
      'The run is succeeded. Only an unknown run can be resolved.\n',
    ])
    expect([none.code, answer.code]).toEqual([4, 2])
    expect(answer.stderr).toContain('succeeded or failed or run-again')
  })
})
