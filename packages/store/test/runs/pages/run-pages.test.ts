/** Pages and counts of runs: every filter, cursors, and the bounded work of a page. */
import {
  compileCountBy,
  compileRunPageFilter,
  orderOf,
  type RunPageFilter,
  type RunState,
} from '@punctual/core/run'
import { TestStore } from '@punctual/testkit'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ReadSource } from '../../../src/connection/read-source.ts'
import { RunPages } from '../../../src/runs/pages/run-pages.ts'
import { type MadeRun, makeRun } from '../../kit/history-kit.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const JOB = '019a0000-0000-7000-8000-00000000000a'
const now = Date.now()
const today = Math.floor(now / DAY_MS) * DAY_MS

let t: TestStore
let pages: RunPages
const runs: MadeRun[] = []
beforeAll(async () => {
  t = await TestStore.open()
  pages = new RunPages(t.store.database)
  await t.sql.query(`insert into punctual.tenants (id, name) values (2, 'other'), (3, 'third')`)
  const old = today - DAY_MS + HOUR_MS
  const wishes = [
    ...(['waiting', 'scheduled', 'queued', 'running', 'cancelling'] as const).map((state) => ({
      state,
    })),
    { state: 'running' as const, startedMs: now - 2 * HOUR_MS },
    ...(['succeeded', 'dead', 'cancelled', 'skipped', 'unknown'] as const).flatMap((state) => [
      { state },
      { state, queue: 'mail', user: 'bob' },
      { state, handler: 'other', key: 'order:1', jobId: JOB },
      { state, dueMs: old, user: 'eve' },
    ]),
    { state: 'dead' as const, fingerprint: 'another', dueMs: old },
    { state: 'dead' as const, handled: true, dueMs: old },
    { state: 'queued' as const, jobId: JOB, user: 'bob' },
    { state: 'succeeded' as const, tenantId: 2 },
    { state: 'dead' as const, tenantId: 2, jobId: JOB, key: 'order:1' },
    { state: 'queued' as const, tenantId: 2 },
  ]
  for (const wish of wishes) runs.push(await makeRun(t, wish))
})
afterAll(() => t.close())

function pagesOf(
  store: RunPages,
  options: RunPageFilter & { jobId?: string },
  limit = 3,
  tenantId = 1,
) {
  const { jobId, ...rest } = options
  const filter = { ...compileRunPageFilter(rest), ...(jobId && { jobId }) }
  const order = orderOf(filter, undefined)
  return {
    async all() {
      const found: string[] = []
      let cursor: string | undefined
      do {
        const page = await store.page(filter, { limit, order, cursor }, tenantId)
        expect(page.runs.length).toBeLessThanOrEqual(limit)
        found.push(...page.runs.map(({ id }) => id))
        cursor = page.nextCursor ?? undefined
      } while (cursor !== undefined)
      return found
    },
    count: (by: string) => store.count(filter, compileCountBy(by), tenantId),
  }
}

const newestFirst = (found: readonly MadeRun[]) =>
  found
    .map(({ id }) => id)
    .sort()
    .reverse()

const yesterday = { from: new Date(today - DAY_MS), to: new Date(today) }
const isYesterday = (ms: number | null) => ms !== null && ms >= today - DAY_MS && ms < today
const ended = (run: MadeRun) => run.finishedMs !== null

const filters: Record<string, [RunPageFilter & { jobId?: string }, (run: MadeRun) => boolean]> = {
  'all runs': [{}, () => true],
  'one state': [{ states: ['succeeded'] }, (run) => run.state === 'succeeded'],
  'live states': [
    { states: ['waiting', 'scheduled', 'queued', 'running', 'cancelling'] },
    (run) => !ended(run),
  ],
  'live and final states': [
    { states: ['running', 'dead', 'cancelled'] },
    (run) => ['running', 'dead', 'cancelled'].includes(run.state),
  ],
  'a queue': [{ queue: 'mail' }, (run) => run.queue === 'mail'],
  'a handler': [{ handler: 'other' }, (run) => run.handler === 'other'],
  'a job': [{ jobId: JOB }, (run) => run.jobId === JOB],
  'a job and a state': [
    { jobId: JOB, states: ['dead'] },
    (run) => run.jobId === JOB && run.state === 'dead',
  ],
  'live runs of a job': [
    { jobId: JOB, states: ['queued'] },
    (run) => run.jobId === JOB && run.state === 'queued',
  ],
  'a label': [{ labels: { user: 'bob' } }, (run) => run.user === 'bob'],
  'a label and failed states': [
    { labels: { user: 'bob' }, states: ['dead', 'unknown'] },
    (run) => run.user === 'bob' && ['dead', 'unknown'].includes(run.state),
  ],
  'a key': [{ key: 'order:1' }, (run) => run.key === 'order:1'],
  'a key prefix': [{ keyPrefix: 'order:' }, (run) => run.key !== null],
  'the due time': [{ due: yesterday }, (run) => isYesterday(run.dueMs)],
  'the time of acceptance': [{ created: yesterday }, (run) => isYesterday(run.createdMs)],
  'the end time': [{ finished: yesterday }, (run) => isYesterday(run.finishedMs)],
  'dead runs of yesterday': [
    { finished: yesterday, states: ['dead'] },
    (run) => run.state === 'dead' && isYesterday(run.finishedMs),
  ],
  'dead runs of yesterday that were not retried': [
    { finished: yesterday, notRetried: true },
    (run) => run.state === 'dead' && isYesterday(run.finishedMs) && !run.handled,
  ],
  'runs that were not retried': [
    { notRetried: true },
    (run) => run.state === 'dead' && !run.handled,
  ],
  'a fingerprint': [{ fingerprint: 'another' }, (run) => run.fingerprint === 'another'],
  'a fingerprint of runs that were not retried': [
    { fingerprint: 'print', notRetried: true },
    (run) => run.fingerprint === 'print' && !run.handled,
  ],
  'runs running for over an hour': [
    { runningOverMs: HOUR_MS },
    (run) => run.state === 'running' && run.startedMs < now - HOUR_MS,
  ],
  'a key without runs': [{ key: 'none' }, () => false],
}

describe('pages of runs', () => {
  it.each(Object.entries(filters))(
    'pages of runs filtered by %s show each match once',
    async (_, [filter, matches]) => {
      const expected = runs.filter((run) => run.tenantId === 1 && matches(run))
      const found = await pagesOf(pages, filter).all()
      expect([...found].sort().reverse()).toEqual(newestFirst(expected))
      const byEnd = filter.finished !== undefined && (filter.notRetried || filter.states)
      if (!byEnd) expect(found).toEqual(newestFirst(expected))
      else {
        const at = new Map(runs.map((run) => [run.id, run.finishedMs as number]))
        const ends = found.map((id) => at.get(id) as number)
        expect(ends).toEqual([...ends].sort((a, b) => b - a))
      }
    },
  )

  it.each(Object.entries(filters))(
    'a count of runs filtered by %s is exact',
    async (_, [filter, matches]) => {
      const expected = runs.filter((run) => run.tenantId === 1 && matches(run))
      const { count, exact, groups } = await pagesOf(pages, filter).count('state')
      expect({ count, exact }).toEqual({ count: expected.length, exact: true })
      for (const { name, count: ofState } of groups)
        expect(ofState).toBe(expected.filter(({ state }) => state === name).length)
    },
  )

  it('a run on a page has the fields that a list shows', async () => {
    const run = runs.find(({ key, state }) => key !== null && state === 'dead') as MadeRun
    const filter = compileRunPageFilter({ ids: [run.id] })
    const page = await pages.page(filter, { limit: 1, order: 'newest', cursor: undefined }, 1)
    expect(page).toMatchObject({ nextCursor: null, complete: true })
    expect(page.runs).toMatchObject([
      {
        ...{ id: run.id, state: 'dead', handler: 'other', queue: 'default', priority: 5 },
        ...{ attempt: 1, jobId: JOB, job: null, key: 'order:1', labels: { user: 'ada' } },
        ...{ fingerprint: 'print', replayedAs: null, dueAt: new Date(run.dueMs) },
        ...{ createdAt: new Date(run.createdMs), finishedAt: new Date(run.finishedMs as number) },
      },
    ])
  })

  it('pages of runs show each tenant only its own runs', async () => {
    const theirs = runs.filter(({ tenantId }) => tenantId === 2)
    expect(await pagesOf(pages, {}, 2, 2).all()).toEqual(newestFirst(theirs))
    expect(await pagesOf(pages, { key: 'order:1' }, 2, 2).all()).toHaveLength(1)
    expect(await pagesOf(pages, { jobId: JOB }, 2, 2).all()).toHaveLength(1)
    expect(await pagesOf(pages, { notRetried: true }, 2, 2).all()).toHaveLength(1)
    const mine = runs.find(({ tenantId }) => tenantId === 1) as MadeRun
    expect(await pagesOf(pages, { ids: [mine.id] }, 2, 2).all()).toEqual([])
  })
})

describe('counts of runs', () => {
  const groupsOf = async (filter: RunPageFilter, by: string) =>
    Object.fromEntries(
      (await pagesOf(pages, filter).count(by)).groups.map(({ name, count }) => [name, count]),
    )

  it.each([
    ['queue', { default: 5, mail: 1 }],
    ['handler', { test: 5, other: 1 }],
    ['label:user', { ada: 4, bob: 1, eve: 1 }],
    ['label:none', { null: 6 }],
    ['fingerprint', { print: 5, another: 1 }],
    ['job', { null: 5, [JOB]: 1 }],
  ])('runs can be counted by %s', async (by, expected) => {
    expect(await groupsOf({ states: ['dead'] }, by)).toEqual(expected)
  })

  it('runs can be counted by the day of their due time', async () => {
    const days = new Set(runs.map(({ dueMs }) => new Date(dueMs).toISOString().slice(0, 10)))
    const found = await groupsOf({}, 'day')
    expect(new Set(Object.keys(found))).toEqual(days)
  })

  it('a count that reaches its work limit is reported as not exact', async () => {
    const few = new RunPages(t.store.database, { looks: 2, ms: 0 })
    const counted = await pagesOf(few, { states: ['succeeded'] }).count('state')
    expect(counted.exact).toBe(false)
    expect(counted.count).toBeLessThanOrEqual(4)
  })
})

describe('a page that reaches its work limit', () => {
  it('a page that reaches its work limit is short, and the following pages show the rest', async () => {
    const hasty = new RunPages(t.store.database, { looks: 1, ms: 0 })
    const filter = compileRunPageFilter({ labels: { user: 'eve' } })
    const first = await hasty.page(filter, { limit: 2, order: 'newest', cursor: undefined }, 1)
    expect(first).toMatchObject({ complete: false, nextCursor: expect.any(String) })
    const eves = runs.filter(({ user }) => user === 'eve')
    expect(await pagesOf(hasty, { labels: { user: 'eve' } }, 2).all()).toEqual(newestFirst(eves))
  })
})

describe('a walk over runs', () => {
  const TOP = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
  /** Fails after more reads than a walk over these few runs can need. */
  const counting = () => {
    let looks = 0
    const browse: Pick<ReadSource['browse'], 'runReplanned'> = {
      runReplanned: (call) => {
        if (++looks > 400) throw new Error('the walk does not end')
        return t.store.database.browse.runReplanned(call)
      },
    }
    const source: ReadSource = Object.create(t.store.database, { browse: { value: browse } })
    return { pages: new RunPages(source), hasty: new RunPages(source, { looks: 1, ms: 0 }) }
  }

  it.each([
    ['no id', []],
    ['the highest possible id', [TOP]],
    ['an id without a run', ['019a0000-0000-7000-8000-0000000000ff']],
  ])('a walk for %s ends and finds nothing', async (_, ids) => {
    for (const store of Object.values(counting())) {
      const walk = pagesOf(store, { ids, notRetried: true })
      expect(await walk.all()).toEqual([])
      expect(await walk.count('state')).toMatchObject({ count: 0, exact: true })
    }
  })

  it('a walk for ids at the edge of a stretch shows each run once', async () => {
    const batch: MadeRun[] = []
    // More than the first stretch holds, all of one instant: its edge is then the id of a run.
    for (let i = 0; i < 40; i++) batch.push(await makeRun(t, { tenantId: 3, dueMs: now }))
    const ids = batch.map(({ id }) => id)
    for (const limit of [1, 3, 19, 20, 39, 40])
      for (const store of Object.values(counting()))
        expect((await pagesOf(store, { ids }, limit, 3).all()).sort()).toEqual([...ids].sort())
  })

  it.each([{ due: { from: now }, finished: { to: 0 } }, { due: { from: 253402300799999, to: 0 } }])(
    'a walk over a range that ends before it begins ends, also page by page: %j',
    async (filter) => {
      const { pages: patient, hasty } = counting()
      for (const store of [patient, hasty])
        expect(await pagesOf(store, filter, 50).all()).toEqual([])
    },
  )

  it('a walk ends for every random filter', async () => {
    const instant = fc.constantFrom(0, 1, today - DAY_MS, today, now, now + DAY_MS, 253402300799999)
    const range = fc.record({ from: instant, to: instant }, { requiredKeys: [] })
    const id = fc.constantFrom(TOP, TOP.replaceAll('f', '0'), ...runs.map((run) => run.id))
    const state = fc.constantFrom('dead', 'unknown', 'queued', 'succeeded')
    const randomFilter = fc.record(
      {
        ...{ created: range, due: range, finished: range },
        ids: fc.array(id, { maxLength: 3 }),
        states: fc.array(state as fc.Arbitrary<RunState>, { minLength: 1 }),
        ...{ key: fc.constantFrom('order:1', 'none'), queue: fc.constantFrom('mail', 'none') },
      },
      { requiredKeys: [] },
    )
    await fc.assert(
      fc.asyncProperty(randomFilter, fc.boolean(), async (filter, isHasty) => {
        const ended = ['dead', 'unknown', 'succeeded']
        const timed = filter.finished?.from !== undefined || filter.finished?.to !== undefined
        fc.pre(!timed || (filter.states ?? ended).some((wanted) => ended.includes(wanted)))
        const { pages: patient, hasty } = counting()
        const found = await pagesOf(isHasty ? hasty : patient, filter, 50).all()
        expect(found).toEqual([...new Set(found)])
      }),
      { numRuns: 150 },
    )
  })
})

describe('cursors of run pages', () => {
  const page = (cursor: string, filter: RunPageFilter = {}, tenantId = 1) =>
    pages.page(compileRunPageFilter(filter), { limit: 1, order: 'newest', cursor }, tenantId)
  const refused = { code: 'invalid_cursor', field: 'cursor' }
  let cursor = ''
  beforeAll(async () => {
    const first = { limit: 1, order: 'newest', cursor: undefined } as const
    cursor = (await pages.page(compileRunPageFilter({}), first, 1)).nextCursor as string
  })

  it('a cursor of run pages is refused with any character changed', async () => {
    for (let i = 0; i < cursor.length; i++) {
      const other = cursor[i] === 'A' ? 'B' : 'A'
      await expect(page(cursor.slice(0, i) + other + cursor.slice(i + 1))).rejects.toMatchObject(
        refused,
      )
    }
  })

  it.each(['', 'x', 'null', '%%%', 'AAAAAAAAAAAAAAAAAAAAAAAA'])(
    'a cursor of run pages is refused when it is %j',
    async (bad) => {
      await expect(page(bad)).rejects.toMatchObject(refused)
    },
  )

  it('a cursor of run pages is refused with another tenant, filter or order', async () => {
    await expect(page(cursor, {}, 2)).rejects.toMatchObject(refused)
    await expect(page(cursor, { queue: 'mail' })).rejects.toMatchObject(refused)
    const other = { limit: 1, order: 'ended', cursor } as const
    const filter = compileRunPageFilter({ states: ['dead'] })
    await expect(pages.page(filter, other, 1)).rejects.toMatchObject(refused)
    await expect(page(`${cursor}=`)).rejects.toMatchObject(refused)
    expect((await page(cursor)).runs).toHaveLength(1)
  })
})
