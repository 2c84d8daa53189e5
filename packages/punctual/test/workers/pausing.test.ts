/** Pausing and resuming queues, through the library and the command line, next to a worker. */
import { eventually, gate, migratedDatabase, type TestDatabase } from '@punctual/testkit'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { Punctual } from '../../src/index.ts'
import { both, cli } from '../kit/cli-process.ts'

let database: TestDatabase
let worker: Punctual
let client: Punctual
let env: Record<string, string>

beforeAll(async () => {
  database = await migratedDatabase()
  env = { DATABASE_URL: database.url }
  worker = await Punctual.start({ databaseUrl: database.url, roles: ['worker'] })
  worker.handler('work', () => 'done')
  client = await Punctual.start({ databaseUrl: database.url, roles: [] })
})
afterAll(async () => {
  await worker.stop()
  await client.stop()
  await database.drop()
})
afterEach(async () => {
  for (const { queue } of await client.queues.pauses())
    await (queue === null ? client.queues.resumeAll() : client.queues.resume(queue))
})

const submit = async (queue: string) => (await client.submit('work', null, { queue })).id
const stateOf = async (id: string) => (await client.runs.get(id))?.state

describe('a paused queue', () => {
  it('a paused queue starts nothing while others run, and everything at once when resumed', async () => {
    await client.runs.waitFor(await submit('mail'))
    expect(await client.queues.pause('mail', { note: 'the provider is down', by: 'ada' })).toBe(
      true,
    )
    const held = await submit('mail')
    await client.runs.waitFor(await submit('reports'))
    expect(await stateOf(held)).toBe('queued')
    expect(await client.queues.resume('mail')).toBe(true)
    expect((await client.runs.waitFor(held)).state).toBe('succeeded')
  })

  it('a paused queue lets running runs finish', async () => {
    const [started, proceed] = [gate(), gate()]
    worker.handler('slow', () => {
      started.open()
      return proceed.opened
    })
    const { id } = await client.submit('slow', null, { queue: 'mail' })
    await started.opened
    await client.queues.pause('mail')
    proceed.open()
    expect((await client.runs.waitFor(id)).state).toBe('succeeded')
  })

  it('a waiting run shows that its queue is paused, by whom, and the note', async () => {
    await client.queues.pause('mail', { note: 'the provider is down', by: 'ada' })
    const run = await client.runs.get(await submit('mail'))
    const later = await client.runs.get(
      (await client.submit('work', null, { queue: 'mail', delayMs: 3_600_000 })).id,
    )
    if (!run || !later) throw new Error('the runs were not submitted')
    expect((await client.runs.explain(run)).reasons[0]).toMatchObject({
      code: 'paused',
      detail: expect.stringMatching(/^The queue mail is paused since .* by ada: the provider/),
    })
    expect((await client.runs.explain(later)).reasons.slice(0, 2)).toMatchObject([
      { code: 'not_due' },
      { code: 'paused', queue: 'mail' },
    ])
  })

  it('a paused queue is a metric from the first read on', async () => {
    await submit('mail')
    await client.queues.pause('mail')
    const fresh = await Punctual.start({ databaseUrl: database.url, roles: [] })
    const text = await fresh.metrics.text()
    await fresh.stop()
    expect(text).toContain('punctual_queue_paused{queue="mail"} 1')
    expect(text).toContain('punctual_up 1')
  })
})

it('after a pause of everything is resumed, a separately paused queue stays paused', async () => {
  await client.queues.pause('mail')
  expect(await client.queues.pauseAll({ note: 'maintenance' })).toBe(true)
  expect(await client.queues.pauseAll()).toBe(false)
  const [mail, reports] = [await submit('mail'), await submit('reports')]
  const run = await client.runs.get(reports)
  if (!run) throw new Error('the run was not submitted')
  expect((await client.runs.explain(run)).reasons[0]?.detail).toMatch(
    /^Every queue is paused .*mainten/,
  )
  expect(await client.queues.resumeAll()).toBe(true)
  await client.runs.waitFor(reports)
  expect(await stateOf(mail)).toBe('queued')
  expect(await client.queues.resumeAll()).toBe(false)
})

it.each([
  ['', {}, 'queue'],
  [7, {}, 'queue'],
  ['mail', { note: '' }, 'note'],
  ['mail', { note: 'x'.repeat(2_000) }, 'note'],
  ['mail', { by: 7 }, 'by'],
  ['mail', { reason: 'x' }, 'options'],
  ['mail', null, 'options'],
])('pausing %j with %j is refused', async (queue, options, field) => {
  await expect(client.queues.pause(queue as string, options as object)).rejects.toMatchObject({
    ...{ code: 'invalid_option', field },
  })
  expect(await client.queues.pauses()).toEqual([])
})

describe('the command line', () => {
  it('the command line pauses a queue, shows it, and resumes it', async () => {
    const held = await submit('mail').finally(() => client.queues.pause('unused'))
    await client.runs.waitFor(held)
    const paused = await cli(['queues', 'pause', 'mail', '--note', 'not now'], { env })
    expect([paused.code, paused.stdout, paused.stderr]).toEqual([
      ...[0, expect.stringContaining('Paused the queue mail'), ''],
    ])
    const again = await cli(['queues', 'pause', 'mail', '--json'], { env })
    expect(JSON.parse(again.stdout)).toMatchObject({
      ...{ queue: 'mail', result: 'already_paused' },
      pause: { note: 'not now', pausedBy: expect.stringMatching(/^cli:/) },
    })
    const { table, value } = await both(['queues'], { env })
    expect(table.stdout).toMatch(/mail \(paused\) +0 /)
    expect(table.stdout).toMatch(/The queue mail is paused since .*: not now/)
    expect(value.find((row: { queue: string }) => row.queue === 'mail')).toMatchObject({
      ...{ paused: true, pause: { note: 'not now' } },
    })
    const run = await submit('mail')
    const shown = await cli(['runs', 'show', run], { env })
    expect(shown.stdout).toMatch(/why +The queue mail is paused/)
    const resumed = await cli(['queues', 'resume', 'mail'], { env })
    expect([resumed.code, resumed.stdout]).toEqual([0, 'Resumed the queue mail.\n'])
    await client.runs.waitFor(run)
  })

  it('the command line pauses everything, and shows what still holds a queue back', async () => {
    const paused = await cli(['queues', 'pause', '--all'], { env })
    expect(paused.stdout).toContain('Paused all queues')
    const one = await cli(['queues', 'resume', 'mail'], { env })
    expect([one.code, one.stdout]).toEqual([0, 'The queue mail was not paused.\n'])
    expect(one.stderr).toContain('Everything is paused')
    const all = await cli(['queues', 'resume', '--all', '--json'], { env })
    expect(JSON.parse(all.stdout)).toEqual({ queue: null, result: 'resumed', pauses: [] })
  })

  it('the command line notes an unused queue, and refuses to pause neither or both', async () => {
    const typo = await cli(['queues', 'pause', 'mial'], { env })
    expect([typo.code, typo.stderr]).toEqual([0, expect.stringContaining('No run was ever')])
    for (const args of [[], ['mail', '--all']]) {
      const refused = await cli(['queues', 'pause', ...args], { env })
      expect([refused.code, refused.stderr]).toEqual([
        ...[2, expect.stringContaining('Give either a queue or --all')],
      ])
    }
    const unknown = await cli(['queues', 'stop', 'mail'], { env })
    expect(unknown.code).toBe(2)
  })
})

it('a lost resume hint only delays a worker until it polls', async () => {
  await client.queues.pause('mail')
  const id = await submit('mail')
  const connection = await client.store.database.connect()
  await connection.query('delete from punctual.pauses').finally(() => connection.end())
  await eventually('the run has succeeded', async () => (await stateOf(id)) === 'succeeded')
})
