/**
 * Dead letters through the library: shown, replayed one by one or many at once, discarded; and
 * unknown runs.
 */
import { eventually, migratedDatabase } from '@punctual/testkit'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { NonRetryableError, Punctual, type ReplayProgress } from '../../src/index.ts'

let database: Awaited<ReturnType<typeof migratedDatabase>>
let punctual: Punctual
/** Decides whether the handler `repair` refuses an order or succeeds. */
let refuses: (order: number) => boolean = () => true
let queues = 0

beforeAll(async () => {
  database = await migratedDatabase()
  punctual = await Punctual.start({ databaseUrl: database.url, roles: ['worker'] })
  punctual.handler('repair', async ({ order }: { order: number }, { log }) => {
    log.info('trying', { order })
    if (refuses(order)) throw new NonRetryableError(`order ${order} is refused`)
    return order
  })
  punctual.handler('stepwise', async (_, ctx) => {
    if (ctx.lastCheckpoint !== null) return ctx.lastCheckpoint
    await ctx.checkpoint({ done: 3 })
    throw new NonRetryableError('stopped half way')
  })
})
afterAll(async () => {
  await punctual.stop()
  await database.drop()
})
beforeEach(() => {
  refuses = () => true
})

/** Creates dead runs in a separate queue and returns them oldest first. */
async function dead(count: number): Promise<{ queue: string; ids: string[] }> {
  const queue = `queue ${++queues}`
  const orders = Array.from({ length: count }, (_, order) => ({ order }))
  const runs = await punctual.submitMany('repair', orders, { queue })
  await Promise.all(runs.map(({ id }) => punctual.runs.waitFor(id)))
  const page = await punctual.deadLetters.list({ queue, limit: 1_000 })
  return { queue, ids: page.map(({ id }) => id).reverse() }
}

const open = async (queue: string) => (await punctual.deadLetters.list({ queue })).length

describe('one dead letter', () => {
  it('a dead letter is shown with its run, its log and its checkpoint', async () => {
    const { id } = await punctual.submit('stepwise', { a: 1 })
    await punctual.runs.waitFor(id)
    expect(await punctual.deadLetters.get(id)).toMatchObject({
      ...{ id, handler: 'stepwise', reason: 'non_retryable', handled: null },
      run: { state: 'dead', payload: { a: 1 }, attempts: [{ outcome: 'failed' }] },
      checkpoint: { done: 3 },
    })
    const { ids } = await dead(1)
    const shown = await punctual.deadLetters.get({ id: ids[0] as string })
    await eventually('the log is stored', async () => {
      return (await punctual.deadLetters.get(ids[0] as string))?.log.length === 1
    })
    expect(shown).toMatchObject({ checkpoint: null, error: { message: 'order 0 is refused' } })
    expect(await punctual.deadLetters.get('00000000-0000-7000-8000-000000000000')).toBeNull()
  })

  it('a dead letter is replayed with another payload and succeeds', async () => {
    const { ids } = await dead(1)
    refuses = (order) => order !== 7
    const payload = { order: 7 }
    const answer = await punctual.deadLetters.replay(ids[0] as string, { payload, by: 'ann' })
    if (answer.result !== 'replayed') throw new Error(answer.result)
    const run = await punctual.runs.waitFor(answer)
    expect(run).toMatchObject({ state: 'succeeded', output: 7, replayOf: ids[0] })
    expect(await punctual.runs.get(ids[0] as string)).toMatchObject({
      ...{ state: 'dead', payload: { order: 0 }, replayedAs: answer.id },
    })
    expect(await punctual.deadLetters.replay(ids[0] as string)).toMatchObject({
      result: 'already_handled',
      handled: { as: 'replayed', replayedAs: answer.id, by: 'ann' },
    })
  })

  it('a replay continues from the last checkpoint on request', async () => {
    const { id } = await punctual.submit('stepwise')
    await punctual.runs.waitFor(id)
    const answer = await punctual.deadLetters.replay(id, { fromCheckpoint: true })
    if (answer.result !== 'replayed') throw new Error(answer.result)
    expect(await punctual.runs.waitFor(answer)).toMatchObject({ output: { done: 3 } })
  })

  it('a dead letter is discarded once, with a reason', async () => {
    const { queue, ids } = await dead(1)
    const id = ids[0] as string
    expect(await punctual.deadLetters.discard(id, { reason: 'a test order' })).toBe('discarded')
    expect(await punctual.deadLetters.discard(id, { reason: 'again' })).toBe('already_handled')
    expect(await punctual.deadLetters.list({ queue, state: 'handled' })).toMatchObject([
      { id, handled: { as: 'discarded', note: 'a test order', replayedAs: null } },
    ])
  })

  it('the error distinguishes a missing run from a run that is not dead', async () => {
    refuses = () => false
    const { id } = await punctual.submit('repair', { order: 1 })
    await punctual.runs.waitFor(id)
    const none = '00000000-0000-7000-8000-000000000000'
    for (const [runId, message] of [
      [id, /is succeeded, not a dead letter/],
      [none, /No run has the id/],
    ] as const) {
      const error = { code: 'dead_letter_not_found', message: expect.stringMatching(message) }
      await expect(punctual.deadLetters.replay(runId)).rejects.toMatchObject(error)
      await expect(punctual.deadLetters.discard(runId, { reason: 'x' })).rejects.toMatchObject(
        error,
      )
    }
  })
})

describe('many dead letters', () => {
  it('dead letters are grouped by cause, and a cause is replayed by its fingerprint', async () => {
    const { queue } = await dead(3)
    const [group] = await punctual.deadLetters.causes({ queue })
    expect(group).toMatchObject({
      ...{ fingerprint: 'NonRetryableError: order <n> is refused', count: 3, handlers: ['repair'] },
      sampleMessage: 'order 2 is refused',
    })
    refuses = () => false
    const fingerprint = group?.fingerprint as string
    const result = await punctual.deadLetters.replayMany({ queue, fingerprint })
    expect(result).toMatchObject({ matching: 3, wanted: 3, replayed: 3, stopped: null })
    for (const id of result.runIds)
      expect(await punctual.runs.waitFor(id)).toMatchObject({ state: 'succeeded' })
    expect(await open(queue)).toBe(0)
  })

  it('a dry run only counts dead letters', async () => {
    const { queue } = await dead(2)
    const result = await punctual.deadLetters.replayMany({ queue }, { dryRun: true, limit: 1 })
    expect(result).toMatchObject({ matching: 2, wanted: 1, replayed: 0, runIds: [] })
    expect(
      await punctual.deadLetters.discardMany({ queue }, { dryRun: true, reason: 'x' }),
    ).toEqual({ matching: 2, discarded: 0 })
    expect(await open(queue)).toBe(2)
  })

  it('dead letters are replayed oldest first up to the limit, and the rest by the next call', async () => {
    const { queue, ids } = await dead(5)
    refuses = () => false
    const first = await punctual.deadLetters.replayMany({ queue }, { limit: 2 })
    const origins = await Promise.all(first.runIds.map((id) => punctual.runs.get(id)))
    expect(origins.map((run) => run?.replayOf)).toEqual(ids.slice(0, 2))
    expect(await open(queue)).toBe(3)
    expect(await punctual.deadLetters.replayMany({ queue })).toMatchObject({ replayed: 3 })
  })

  it('dead letters that die again are not replayed again by the same call', async () => {
    const { queue } = await dead(4)
    const reports: ReplayProgress[] = []
    const result = await punctual.deadLetters.replayMany(
      { queue },
      {
        perSecond: 20,
        canary: 1,
        stopAtFailureRate: 1,
        onProgress: (report) => void reports.push(report),
      },
    )
    expect(result).toMatchObject({ matching: 4, replayed: 4, stopped: null })
    expect(reports.at(-1)).toMatchObject({ wanted: 4, replayed: 4 })
    await Promise.all(result.runIds.map((id) => punctual.runs.waitFor(id)))
    expect(await open(queue)).toBe(4)
  })

  it('a replay stops when a canary fails, and the other dead letters stay open', async () => {
    const { queue } = await dead(6)
    const result = await punctual.deadLetters.replayMany({ queue }, { canary: 2 })
    expect(result).toMatchObject({ replayed: 2, ended: 2, failed: 2, stopped: 'failure_rate' })
    // Two of the six have died again.
    expect(await open(queue)).toBe(6)
  })

  it('a replay continues after a canary that succeeds', async () => {
    const { queue } = await dead(6)
    refuses = () => false
    const result = await punctual.deadLetters.replayMany({ queue }, { canary: 2 })
    expect(result).toMatchObject({ replayed: 6, failed: 0, stopped: null })
  })

  it('a replay stops once too many of the ended runs have failed', async () => {
    const { queue } = await dead(30)
    const pace = { perSecond: 4, stopAtFailureRate: 0.4, minEnded: 3 }
    const result = await punctual.deadLetters.replayMany({ queue }, pace)
    expect(result.stopped).toBe('failure_rate')
    expect(result.replayed).toBeLessThan(30)
    expect(result.ended).toBeGreaterThanOrEqual(3)
  })

  it('a replay stops on request and loses nothing', async () => {
    const { queue } = await dead(5)
    refuses = () => false
    const controller = new AbortController()
    const result = await punctual.deadLetters.replayMany(
      { queue },
      { perSecond: 1, signal: controller.signal, onProgress: () => controller.abort() },
    )
    expect(result).toMatchObject({ replayed: 1, stopped: 'aborted' })
    expect(await open(queue)).toBe(4)
  })

  it('two concurrent replays of the same dead letters replay each once', async () => {
    const { queue, ids } = await dead(60)
    refuses = () => false
    const both = await Promise.all([
      punctual.deadLetters.replayMany({ queue }, { perSecond: 1_000 }),
      punctual.deadLetters.replayMany({ queue }, { perSecond: 1_000 }),
    ])
    const runIds = both.flatMap((result) => result.runIds)
    const origins = await Promise.all(runIds.map((id) => punctual.runs.get(id)))
    expect(origins.map((run) => run?.replayOf).sort()).toEqual([...ids].sort())
  })

  it('dead letters are discarded by filter', async () => {
    const { queue } = await dead(3)
    const options = { reason: 'the shop is closed', by: 'ann' }
    expect(await punctual.deadLetters.discardMany({ queue }, { ...options, limit: 2 })).toEqual({
      matching: 3,
      discarded: 2,
    })
    expect(await open(queue)).toBe(1)
  })

  it('open dead letters count in the metrics', async () => {
    const { queue } = await dead(2)
    // The database's figures are read at most every five seconds; this is the first read.
    const own = await Punctual.start({ databaseUrl: database.url, roles: [] })
    const text = await own.metrics.text()
    await own.stop()
    expect(text).toContain(`punctual_dead_letters_open{queue="${queue}"} 2`)
  })
})

describe('an invalid argument', () => {
  const deadLetters = () => punctual.deadLetters
  const id = '00000000-0000-7000-8000-000000000000'
  it.each([
    ['an empty filter', () => deadLetters().replayMany({}), 'filter'],
    [
      'an empty filter to discard by',
      () => deadLetters().discardMany({}, { reason: 'x' }),
      'filter',
    ],
    ['an unknown filter', () => deadLetters().list({ handlers: 'x' } as never), 'filter'],
    ['a list as a filter', () => deadLetters().replayMany([] as never), 'filter'],
    ['an unknown state', () => deadLetters().list({ state: 'new' as never }), 'state'],
    ['an empty range', () => deadLetters().list({ diedFrom: 5, diedBefore: 5 }), 'diedBefore'],
    ['an invalid time', () => deadLetters().list({ diedFrom: 'soon' }), 'diedFrom'],
    ['a limit of zero', () => deadLetters().list({ limit: 0 }), 'limit'],
    ['an invalid cursor', () => deadLetters().list({ after: 'x' }), 'id'],
    ['an invalid id', () => deadLetters().replay('x'), 'id'],
    ['a discard without a reason', () => deadLetters().discard(id, {} as never), 'reason'],
    ['a discard with an empty reason', () => deadLetters().discard(id, { reason: '' }), 'reason'],
    [
      'a rate of zero',
      () => deadLetters().replayMany({}, { all: true, perSecond: 0 }),
      'perSecond',
    ],
    ['an excessive limit', () => deadLetters().replayMany({}, { all: true, limit: 1e9 }), 'limit'],
    ['an invalid note', () => deadLetters().replay(id, { note: 5 as never }), 'note'],
    ['an unknown resolution', () => punctual.runs.resolve(id, 'maybe' as never), 'as'],
  ] as const)('%s is refused', async (_, call, field) => {
    await expect(call()).rejects.toMatchObject({ code: 'invalid_option', field })
  })

  it('a payload that is not JSON and an unknown job are refused', async () => {
    await expect(deadLetters().replay(id, { payload: Number.NaN })).rejects.toMatchObject({
      code: 'invalid_payload',
    })
    await expect(deadLetters().list({ job: 'none' })).rejects.toMatchObject({
      code: 'job_not_found',
    })
  })
})

describe('an unknown run', () => {
  it('an unknown run is resolved once, and later calls get the first resolution', async () => {
    const { id } = await punctual.submit('elsewhere', { a: 1 }, { delivery: 'at-most-once' })
    await lose(id)
    const note = { note: 'the bank says so', by: 'ann' }
    expect(await punctual.runs.resolve(id, 'failed', note)).toEqual({
      ...{ result: 'resolved', replayedAs: null },
    })
    expect(await punctual.runs.resolve(id, 'succeeded')).toMatchObject({
      result: 'already_resolved',
      resolved: { as: 'failed', ...note },
    })
    expect(await punctual.deadLetters.get(id)).toMatchObject({ reason: 'resolved' })
  })

  it('the error distinguishes a live run, an ended run and a missing run', async () => {
    refuses = () => false
    const { id } = await punctual.submit('repair', { order: 1 })
    await punctual.runs.waitFor(id)
    const waiting = await punctual.submit('elsewhere')
    expect(await punctual.runs.resolve(id, 'failed')).toEqual({
      ...{ result: 'not_unknown', state: 'succeeded' },
    })
    expect(await punctual.runs.resolve(waiting, 'failed')).toEqual({
      ...{ result: 'not_unknown', state: 'queued' },
    })
    const none = '00000000-0000-7000-8000-000000000000'
    await expect(punctual.runs.resolve(none, 'failed')).rejects.toMatchObject({
      code: 'run_not_found',
    })
  })

  /** A worker claims the run, marks its start, and never sends a heartbeat again. */
  async function lose(id: string): Promise<void> {
    const { work, upkeep, database: db } = punctual.store
    const session = { id: '77', host: 'h', pid: 1, version: '0', labels: {}, capacity: 1 }
    const handlers = { handlers: ['elsewhere'], queues: [], leaseMs: 1 }
    await work.openSession({ ...session, ...handlers })
    const client = await db.connect()
    await client.query(
      "update punctual.sessions set expires_at = now() + interval '1 hour' where id = 77",
    )
    const lanes = await work.lanes(['elsewhere'], [])
    const { runs } = await work.claim({ sessionId: '77', fence: '1', limit: 10, lanes })
    expect(runs.map((run) => run.id)).toEqual([id])
    await work.markStarted(runs)
    await client.query('update punctual.sessions set expires_at = now() where id = 77')
    await client.end()
    await upkeep.reap(['77'], 3)
  }
})
