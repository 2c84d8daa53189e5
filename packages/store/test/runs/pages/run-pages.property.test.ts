/**
 * Runs are submitted, end and move between two pages: no run is shown twice, the order holds, and
 * every run that matched from the first page to the last is shown, however few rows a page may
 * read.
 */
import {
  compileRunPageFilter,
  isFinal,
  type RunPageFilter,
  type RunState,
} from '@punctual/core/run'
import { TestStore } from '@punctual/testkit'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { RunPages } from '../../../src/runs/pages/run-pages.ts'
import { endRun, type MadeRun, makeRun } from '../../kit/history-kit.ts'

let t: TestStore
beforeAll(async () => {
  t = await TestStore.open()
  // Another tenant, so that pages read by the lanes of theirs.
  await t.sql.query(`insert into punctual.tenants (id, name) values (2, 'other')`)
  await makeRun(t, { tenantId: 2 })
})
afterAll(() => t.close())

const tables = ['runs', 'outcomes', 'queue', 'later', 'parked', 'leases', 'dead_letters']
const HOUR_MS = 3_600_000
const states: readonly RunState[] = [
  ...(['waiting', 'scheduled', 'queued', 'running', 'succeeded', 'dead', 'cancelled'] as const),
]
const filters: readonly RunPageFilter[] = [
  {},
  { states: ['queued', 'running'] },
  { states: ['scheduled'] },
  { states: ['dead', 'cancelled'] },
  { states: ['running', 'dead'] },
  { states: ['succeeded'] },
  { queue: 'mail' },
  { labels: { user: 'bob' } },
  { notRetried: true },
  {
    created: { from: new Date(Date.now() - 12 * HOUR_MS), to: new Date(Date.now() - 6 * HOUR_MS) },
  },
  { due: { from: new Date(Date.now() - 12 * HOUR_MS), to: new Date(Date.now() - 6 * HOUR_MS) } },
]

const wish = fc.record({
  state: fc.constantFrom(...states),
  queue: fc.constantFrom('default', 'mail'),
  user: fc.constantFrom('ada', 'bob'),
  // Up to a day ago, sometimes up to an hour ahead, but never so near that a run falls due while
  // pages are read: its state would change. Ids carry the due time.
  backMs: fc.oneof(
    { weight: 9, arbitrary: fc.integer({ min: 0, max: 24 * HOUR_MS }) },
    { weight: 1, arbitrary: fc.integer({ min: -HOUR_MS, max: -HOUR_MS / 2 }) },
  ),
  // How long before its due time the run was accepted.
  aheadMs: fc.constantFrom(10, 8 * HOUR_MS),
})
type Wish = typeof wish extends fc.Arbitrary<infer T> ? T : never
const meanwhile = fc.record({
  made: fc.array(wish, { maxLength: 3 }),
  ended: fc.array(fc.tuple(fc.nat(), fc.constantFrom<RunState>('succeeded', 'dead')), {
    maxLength: 3,
  }),
})

/** A run in the queue ahead of its due time is scheduled until then. */
const stateOf = ({ state, dueMs }: MadeRun): RunState =>
  state === 'queued' && dueMs > Date.now() ? 'scheduled' : state

function matches(run: MadeRun, filter: RunPageFilter): boolean {
  if (filter.states && !filter.states.includes(stateOf(run))) return false
  if (filter.queue && run.queue !== filter.queue) return false
  if (filter.labels && run.user !== filter.labels.user) return false
  const isIn = (range: RunPageFilter['due'], ms: number) =>
    !range || (ms >= Number(range.from) && ms < Number(range.to))
  if (!isIn(filter.created, run.createdMs) || !isIn(filter.due, run.dueMs)) return false
  return !filter.notRetried || run.state === 'dead'
}

/** Runs by id, and those that have matched throughout. */
class World {
  readonly runs = new Map<string, MadeRun>()
  readonly #filter: RunPageFilter
  readonly throughout = new Set<string>()

  constructor(filter: RunPageFilter) {
    this.#filter = filter
  }

  async make({ backMs, aheadMs, ...rest }: Wish, isFirst: boolean) {
    const dueMs = Date.now() - backMs
    const run = await makeRun(t, { ...rest, dueMs, createdMs: dueMs - aheadMs })
    this.runs.set(run.id, run)
    if (isFirst && matches(run, this.#filter)) this.throughout.add(run.id)
  }

  async end(which: number, state: RunState) {
    const live = [...this.runs.values()].filter((run) => !isFinal(run.state))
    const run = live[which % Math.max(1, live.length)]
    if (!run) return
    const ended = await endRun(t, run, state)
    this.runs.set(run.id, ended)
    if (!matches(ended, this.#filter)) this.throughout.delete(run.id)
  }
}

it('pages of runs neither repeat a run nor miss one that matched throughout', async () => {
  const cases = {
    first: fc.array(wish, { minLength: 4, maxLength: 14 }),
    options: fc.constantFrom(...filters),
    between: fc.array(meanwhile, { minLength: 1, maxLength: 3 }),
    limit: fc.integer({ min: 1, max: 4 }),
    looks: fc.constantFrom(1, 1_000),
    crowd: fc.constantFrom(0, 1_000),
  }
  await fc.assert(
    fc.asyncProperty(fc.record(cases), async ({ first, options, between, limit, looks, crowd }) => {
      for (const table of tables) await t.sql.query(`delete from punctual.${table}`)
      const world = new World(options)
      for (const made of first) await world.make(made, true)
      const pages = new RunPages(t.store.database, { looks, crowd, ...(looks === 1 && { ms: 0 }) })
      const filter = compileRunPageFilter(options)
      const shown: string[] = []
      let cursor: string | undefined
      for (let page = 0; ; page++) {
        const found = await pages.page(filter, { limit, order: 'newest', cursor }, 1)
        shown.push(...found.runs.map(({ id }) => id))
        if (found.nextCursor === null) break
        cursor = found.nextCursor
        for (const made of between[page]?.made ?? []) await world.make(made, false)
        for (const [which, state] of between[page]?.ended ?? []) await world.end(which, state)
      }
      expect(shown).toEqual([...new Set(shown)])
      // With a time filter, runs whose ids are of its days come before the others.
      if (!options.created && !options.due) expect(shown).toEqual([...shown].sort().reverse())
      expect([...world.throughout].filter((id) => !shown.includes(id))).toEqual([])
    }),
    { numRuns: 20 },
  )
})
