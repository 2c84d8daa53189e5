/** Dead letters on the real database: lists, replays, and handling each one once. */
import { compileDeadLetterFilter, type DeadLetterFilter } from '@punctual/core/dead-letter'
import type { ClaimedRun, Settlement } from '@punctual/core/ports'
import type { SubmitOptions } from '@punctual/core/submit'
import { dead, succeeded, TestStore } from '@punctual/testkit'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

let t: TestStore
let session: string
beforeAll(async () => {
  t = await TestStore.open()
})
afterAll(() => t.close())
beforeEach(async () => {
  await t.sql.query(
    `truncate punctual.runs, punctual.later, punctual.queue, punctual.leases, punctual.outcomes, punctual.attempts,
     punctual.live_keys, punctual.sessions, punctual.dead_letters, punctual.parked, punctual.job_holds,
     punctual.triggers, punctual.checkpoints`,
  )
  session = await t.session()
})

type How = Parameters<TestStore['store']['deadLetterSteering']['replay']>[1]

const ANONYMOUS: How = { note: null, by: null, fromCheckpoint: false }
const find = (id: string) => t.store.runs.find(id)
const deadLetter = async (id: string) => (await t.store.deadLetters.find([id], 1))[0]
const replay = async (id: string, payload: string | null = null, how = ANONYMOUS) =>
  (await t.store.deadLetterSteering.replay([{ id, payload }], how, 1, null))[0]

function diedOf(run: ClaimedRun, message: string): Settlement {
  const settlement = dead(run)
  return { ...settlement, failure: { name: 'Error', message } } as Settlement
}

/** Creates a run that is dead. */
async function aDeadRun(
  options: Parameters<TestStore['running']>[1] = {},
  message = 'failed on purpose',
): Promise<string> {
  const run = await t.running(session, options)
  expect(await t.store.work.settle(session, [diedOf(run, message)])).toEqual([])
  return run.id
}

/** Replays a dead run and returns the id of the new one. */
async function replayed(
  id: string,
  payload: string | null = null,
  how = ANONYMOUS,
): Promise<string> {
  const answer = await replay(id, payload, how)
  if (answer?.result !== 'replayed') throw new Error(JSON.stringify(answer))
  return answer.id
}

describe('listing dead letters', () => {
  const list = async (filter: DeadLetterFilter = {}, page: object = {}) => {
    const whole = { state: 'open', after: null, limit: 50, ...page } as const
    const { deadLetters } = await t.store.deadLetters.page(
      compileDeadLetterFilter(filter),
      whole,
      1,
    )
    return deadLetters.map(({ id }) => id)
  }

  it('dead letters are listed newest first, with their error', async () => {
    const [first, last] = [await aDeadRun(), await aDeadRun({ queue: 'slow' }, 'no row 17')]
    expect(await list()).toEqual([last, first])
    expect(await deadLetter(last)).toMatchObject({
      ...{ handler: 'test', queue: 'slow', priority: 5, job: null, attempts: 1, handled: null },
      ...{ reason: 'attempts_exhausted', fingerprint: 'Error: no row <n>' },
      error: { name: 'Error', message: 'no row 17' },
    })
  })

  it('dead letters are filtered by queue, handler, job, fingerprint, reason and time', async () => {
    const plain = await aDeadRun()
    const slow = await aDeadRun({ queue: 'slow' }, 'timed out after 5 s')
    const job = await t.job({ name: 'j', cron: '0 0 1 1 *' })
    await t.store.schedules.steering.trigger('j', null, 1)
    const [ofJob] = (await t.claim(session, 1)).runs as [ClaimedRun]
    await t.store.work.settle(session, [dead(ofJob)])
    expect(await list({ queue: 'slow' })).toEqual([slow])
    expect(await list({ handler: 'other' })).toEqual([])
    expect(await list({ job })).toEqual([ofJob.id])
    expect(await list({ fingerprint: 'Error: timed out after <n> s' })).toEqual([slow])
    expect(await list({ reason: 'quarantined' })).toEqual([])
    const { diedAt } = (await deadLetter(slow)) as { diedAt: Date }
    expect(await list({ diedFrom: diedAt })).toEqual([ofJob.id, slow])
    expect(await list({ diedBefore: diedAt })).toEqual([plain])
    expect((await deadLetter(ofJob.id))?.job).toEqual({ id: job, name: 'j' })
  })

  it('pages of dead letters together list each one once', async () => {
    const ids: string[] = []
    for (let n = 0; n < 7; n++) ids.unshift(await aDeadRun())
    const pages: string[] = []
    for (let after: string | null = null, page = ['x']; page.length > 0; ) {
      page = await list({}, { after, limit: 3 })
      pages.push(...page)
      after = page.at(-1) ?? null
    }
    expect(pages).toEqual(ids)
  })

  it('a page whose errors would exceed its bytes is shorter, and the next ones list the rest', async () => {
    const dead: string[] = []
    for (let n = 0; n < 5; n++) dead.unshift(await aDeadRun({}, 'x'.repeat(1_000)))
    const range = { state: 'open', limit: 50, bytes: 2_500 } as const
    const pages: string[][] = []
    for (let after: string | null = null; after !== null || pages.length === 0; ) {
      const page = await t.store.deadLetters.page(
        compileDeadLetterFilter({}),
        { ...range, after },
        1,
      )
      for (const { error } of page.deadLetters) expect(error?.message).toHaveLength(1_000)
      pages.push(page.deadLetters.map(({ id }) => id))
      after = page.next
    }
    expect(pages).toEqual([dead.slice(0, 2), dead.slice(2, 4), dead.slice(4)])
  })

  it('one dead letter is listed whatever its error has, and no page follows the last', async () => {
    const id = await aDeadRun({}, 'x'.repeat(1_000))
    const range = { state: 'open', after: null, limit: 50, bytes: 1 } as const
    const page = await t.store.deadLetters.page(compileDeadLetterFilter({}), range, 1)
    expect(page).toMatchObject({ deadLetters: [{ id }], next: null })
  })

  it('dead letters are listed by state, open ones by default', async () => {
    const [open, done] = [await aDeadRun(), await aDeadRun()]
    await t.store.deadLetterSteering.discard([done], { note: 'stale', by: 'ann' }, 1, null)
    expect(await list()).toEqual([open])
    expect(await list({}, { state: 'handled' })).toEqual([done])
    expect(await list({}, { state: 'all' })).toEqual([done, open])
  })

  it('dead letters are grouped by cause, the largest first', async () => {
    const ids = [await aDeadRun({}, 'order 1'), await aDeadRun({ queue: 'b' }, 'order 2')]
    const single = await aDeadRun({}, 'something else')
    const page = { state: 'open', limit: 10 } as const
    const causes = await t.store.deadLetters.causes(compileDeadLetterFilter({}), page, 1)
    expect(causes).toMatchObject([
      { fingerprint: 'Error: order <n>', count: 2, sampleId: ids[1], sampleMessage: 'order 2' },
      { fingerprint: 'Error: something else', count: 1, sampleId: single, handlers: ['test'] },
    ])
    const [cause] = causes
    expect(cause?.firstDiedAt.getTime()).toBeLessThanOrEqual(cause?.lastDiedAt.getTime() ?? 0)
  })

  it('open dead letters are counted by queue', async () => {
    const first = await aDeadRun()
    await aDeadRun()
    await aDeadRun({ queue: 'slow', priority: 9 })
    await replayed(first)
    expect(await t.store.deadLetters.countOpen()).toEqual(
      new Map([
        ['default', 1],
        ['slow', 1],
      ]),
    )
  })
})

describe('replaying a dead letter', () => {
  it('a replay is a copy of the dead run, due now, and each names the other', async () => {
    const options: SubmitOptions = {
      ...{ queue: 'slow', priority: 8, labels: { a: 'b' }, maxAttempts: 7, timeoutMs: 1_234 },
      retry: { backoff: { kind: 'fixed', delayMs: 5 } },
      ...{ trace: 'trace', createdBy: 'me' },
    }
    const id = await aDeadRun(options)
    const before = await find(id)
    const again = await replayed(id, null, { note: 'fixed', by: 'ann', fromCheckpoint: false })
    expect(await find(again)).toMatchObject({
      ...{ state: 'queued', handler: 'test', queue: 'slow', priority: 8, labels: { a: 'b' } },
      ...{ maxAttempts: 7, timeoutMs: 1_234, payload: { n: 1 }, policy: before?.policy },
      ...{ trace: 'trace', createdBy: 'ann', replayOf: id, replayedAs: null, attempts: [] },
    })
    expect(await find(id)).toEqual({ ...before, replayedAs: again })
    expect((await deadLetter(id))?.handled).toMatchObject({
      ...{ as: 'replayed', replayedAs: again, note: 'fixed', by: 'ann' },
    })
    const { runs } = await t.claim(session, 10)
    expect(runs.map((run) => run.id)).toEqual([again])
    await t.store.work.settle(
      session,
      runs.map((run) => succeeded(run)),
    )
    expect(await find(again)).toMatchObject({ state: 'succeeded' })
  })

  it('a replay can have another payload, and the dead run keeps its own', async () => {
    const id = await aDeadRun()
    const again = await replayed(id, '{"n":2}')
    expect(await find(again)).toMatchObject({ payload: { n: 2 } })
    expect(await find(id)).toMatchObject({ payload: { n: 1 } })
  })

  it('a dead replay can be replayed again', async () => {
    const id = await aDeadRun()
    const again = await replayed(id)
    const [run] = (await t.claim(session, 1)).runs as [ClaimedRun]
    await t.store.work.settle(session, [dead(run)])
    const third = await replayed(again)
    expect(await find(third)).toMatchObject({ replayOf: again })
    expect(await find(again)).toMatchObject({ replayOf: id, replayedAs: third })
  })

  it('a replay can continue from the last checkpoint, which the dead run keeps', async () => {
    const run = await t.running(session)
    await t.store.work.saveCheckpoint(run, '{"done":3}')
    await t.store.work.settle(session, [dead(run)])
    const plain = await aDeadRun()
    const how = { ...ANONYMOUS, fromCheckpoint: true }
    const again = await replayed(run.id, null, how)
    const other = await replayed(plain, null, how)
    expect(await t.store.work.checkpoints([again, run.id, other])).toEqual(
      new Map([
        [again, '{"done":3}'],
        [run.id, '{"done":3}'],
      ]),
    )
    const { runs } = await t.claim(session, 10)
    expect(new Map(runs.map(({ id, traits }) => [id, traits & 128]))).toEqual(
      new Map([
        [again, 128],
        [other, 0],
      ]),
    )
  })

  it('a replay starts without a checkpoint by default', async () => {
    const run = await t.running(session)
    await t.store.work.saveCheckpoint(run, '{"done":3}')
    await t.store.work.settle(session, [dead(run)])
    const again = await replayed(run.id)
    expect(await t.store.work.checkpoints([again])).toEqual(new Map())
    expect((await t.claim(session, 1)).runs).toMatchObject([{ id: again, traits: 0 }])
  })

  it('a replay takes the key of the dead run, and frees it when it ends', async () => {
    const id = await aDeadRun({ key: 'k' })
    const again = await replayed(id)
    expect(await t.submit({ key: 'k' })).toBe(again)
    const [run] = (await t.claim(session, 1)).runs as [ClaimedRun]
    await t.store.work.settle(session, [succeeded(run)])
    expect(await t.count('live_keys')).toBe(0)
  })

  it('a replay does not take a key held by a live run, and the dead letter stays open', async () => {
    const id = await aDeadRun({ key: 'k' })
    const holder = await t.submit({ key: 'k' })
    expect(await replay(id)).toEqual({ result: 'key_busy', key: 'k', heldBy: holder })
    expect(await deadLetter(id)).toMatchObject({ handled: null })
    expect(await t.count('runs')).toBe(2)
    await t.store.steering.cancelWaiting([holder], 'test')
    expect((await replay(id))?.result).toBe('replayed')
  })

  it('of two replays with one key in a batch, one gets the key', async () => {
    const ids = [await aDeadRun({ key: 'k' }), await aDeadRun({ key: 'k' }), await aDeadRun()]
    const requests = ids.map((id) => ({ id, payload: null }))
    const answers = await t.store.deadLetterSteering.replay(requests, ANONYMOUS, 1, null)
    expect(answers.map(({ result }) => result).sort()).toEqual(['key_busy', 'replayed', 'replayed'])
    expect(await t.count('queue')).toBe(2)
  })

  it('of a replay and a submission that race for one key, one is live and the other gets its id', async () => {
    for (let round = 0; round < 20; round++) {
      const key = `race ${round}`
      const id = await aDeadRun({ key })
      const [answer, submitted] = await Promise.all([replay(id), t.submit({ key })])
      const { rows } = await t.sql.query('select run_id from punctual.live_keys where key = $1', [
        key,
      ])
      expect(rows).toEqual([{ run_id: submitted }])
      if (answer?.result === 'replayed') expect(answer.id).toBe(submitted)
      else expect(answer).toEqual({ result: 'key_busy', key, heldBy: submitted })
    }
  })

  it('the replay of a job run belongs to the same slot and adds none to the ledger', async () => {
    const job = await t.job({ name: 'slots', cron: '0 0 1 1 *', pauseAfterFailures: 9 })
    await t.store.schedules.steering.backfill('slots', [86_400_000], new Set(), 0, 1)
    const [run] = (await t.claim(session, 1)).runs as [ClaimedRun]
    await t.store.work.settle(session, [dead(run)])
    const slots = await t.count('slots')
    const again = await replayed(run.id)
    expect(await find(again)).toMatchObject({
      job: { id: job, name: 'slots', slotAt: new Date(86_400_000) },
    })
    expect(await t.count('slots')).toBe(slots)
    const trigger = await t.sql.query('select 1 from punctual.triggers where run_id = $1', [again])
    expect(trigger.rowCount).toBe(1)
  })

  it('a replay waits while another run of its job is running, also with overlap skip', async () => {
    await t.job({ name: 'held', cron: '0 0 1 1 *', overlap: 'skip' })
    const trigger = () => t.store.schedules.steering.trigger('held', null, 1)
    const ids: string[] = []
    for (let n = 0; n < 2; n++) {
      await trigger()
      const [run] = (await t.claim(session, 1)).runs as [ClaimedRun]
      await t.store.work.settle(session, [dead(run)])
      ids.push(run.id)
    }
    const replays = [await replayed(ids[0] as string), await replayed(ids[1] as string)]
    const first = await t.claim(session, 10)
    expect([first.runs.length, first.parked.length]).toEqual([1, 1])
    await t.store.work.resolveParked(first.parked)
    expect(await t.places(first.parked[0] as string)).toEqual(['parked'])
    await t.store.work.settle(
      session,
      first.runs.map((run) => succeeded(run)),
    )
    const second = await t.claim(session, 10)
    await t.store.work.settle(
      session,
      second.runs.map((run) => succeeded(run)),
    )
    for (const id of replays) expect(await find(id)).toMatchObject({ state: 'succeeded' })
  })

  it('a replay does not determine when its everyAfterEnd job fires next', async () => {
    await t.job({ name: 'after', everyAfterEnd: '1h' })
    await t.store.schedules.steering.trigger('after', null, 1)
    const [run] = (await t.claim(session, 1)).runs as [ClaimedRun]
    await t.sql.query('update punctual.runs set traits = traits | 4 where id = $1', [run.id])
    await t.store.work.settle(session, [dead(run)])
    await replayed(run.id)
    expect((await t.claim(session, 1)).runs[0]?.traits).toSatisfy((traits: number) => !(traits & 4))
  })

  it('a dead run of a deleted job can be replayed', async () => {
    await t.job({ name: 'gone', cron: '0 0 1 1 *', overlap: 'queue-one' })
    await t.store.schedules.steering.trigger('gone', null, 1)
    const [run] = (await t.claim(session, 1)).runs as [ClaimedRun]
    await t.store.work.settle(session, [dead(run)])
    await t.store.schedules.steering.delete('gone', 1)
    const again = await replayed(run.id)
    const [claimed] = (await t.claim(session, 1)).runs as [ClaimedRun]
    expect(claimed.id).toBe(again)
    await t.store.work.settle(session, [succeeded(claimed)])
    expect(await t.count('job_holds')).toBe(0)
  })
})

describe('handling a dead letter', () => {
  it('a dead letter is handled once, and later callers get the first result', async () => {
    const id = await aDeadRun()
    const again = await replayed(id)
    expect(await replay(id)).toMatchObject({
      result: 'already_handled',
      handled: { as: 'replayed', replayedAs: again },
    })
    const discarded = await t.store.deadLetterSteering.discard(
      [id],
      { note: 'x', by: null },
      1,
      null,
    )
    expect(discarded).toEqual(new Set())
    expect(await t.count('runs')).toBe(2)
  })

  it('replaying a discarded dead letter returns who discarded it and why', async () => {
    const id = await aDeadRun()
    await t.store.deadLetterSteering.discard([id], { note: 'a test order', by: 'ann' }, 1, null)
    expect(await replay(id)).toMatchObject({
      result: 'already_handled',
      handled: { as: 'discarded', replayedAs: null, note: 'a test order', by: 'ann' },
    })
    expect(await find(id)).toMatchObject({ state: 'dead', replayedAs: null })
  })

  it('dead letters of another tenant and runs that are not dead are not found', async () => {
    const id = await aDeadRun()
    const live = await t.submit()
    const requests = [id, live].map((runId) => ({ id: runId, payload: null }))
    const replayAs = (tenant: number) =>
      t.store.deadLetterSteering.replay(requests, ANONYMOUS, tenant, null)
    expect((await replayAs(2)).map(({ result }) => result)).toEqual(['not_found', 'not_found'])
    expect((await replayAs(1)).map(({ result }) => result)).toEqual(['replayed', 'not_found'])
  })
})
