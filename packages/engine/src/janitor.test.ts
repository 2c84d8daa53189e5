import { ManualClock } from '@punctual/testkit'
import { expect, it } from 'vitest'
import { Janitor, type JanitorOptions } from './janitor.ts'
import { RoleLoop } from './role.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

/** Tables that record each call; `fail` names the call that fails. */
function someTables() {
  const calls: string[] = []
  const tables = { calls, fail: null as string | null }
  const record = (call: string) => {
    if (tables.fail !== null && call.startsWith(tables.fail)) throw new Error('unreachable')
    calls.push(call)
  }
  const store: JanitorOptions['store'] = {
    ensurePartitions: async (daysAhead) => {
      record(`create ${daysAhead}`)
      return []
    },
    dropOldDays: async (retentionDays) => {
      record(`drop ${retentionDays}`)
      return []
    },
    sweep: async (retentionDays) => {
      record(`sweep ${retentionDays}`)
      return 0
    },
    vacuumHotTables: async () => {
      record('vacuum')
      return []
    },
  }
  const count = (name: string) => calls.filter((call) => call.startsWith(name)).length
  return { tables, store, count }
}

function aJanitor(
  clock: ManualClock,
  more: Partial<JanitorOptions> & Pick<JanitorOptions, 'store'>,
) {
  return new Janitor({ clock, retentionDays: 90, daysAhead: 14, ...more })
}

it('keeps partitions hourly, sweeps every five minutes and vacuums every minute', async () => {
  const clock = new ManualClock()
  const { tables, store, count } = someTables()
  const janitor = aJanitor(clock, { store })
  for (let minute = 0; minute < 120; minute++) {
    expect(await janitor.tick()).toBe(MINUTE_MS)
    await clock.advance(MINUTE_MS)
  }
  expect(tables.calls.slice(0, 4)).toEqual(['create 14', 'drop 90', 'sweep 90', 'vacuum'])
  expect([count('create'), count('drop')]).toEqual([2, 2])
  expect(count('sweep')).toBe(24)
  expect(count('vacuum')).toBe(120)
})

it('reports the days whose partitions it created and dropped, and nothing else', async () => {
  const clock = new ManualClock()
  const { store } = someTables()
  const reports: (readonly string[])[][] = []
  const made = [['2026-01-15'], []]
  const janitor = aJanitor(clock, {
    store: {
      ...store,
      ensurePartitions: async () => made.shift() ?? [],
      dropOldDays: async () => (made.length === 1 ? ['2025-10-02'] : []),
    },
    onDays: (created, dropped) => reports.push([created, dropped]),
  })
  await janitor.tick()
  await clock.advance(HOUR_MS)
  await janitor.tick()
  expect(reports).toEqual([[['2026-01-15'], ['2025-10-02']]])
})

it.each(['create', 'drop'])(
  'retries a failed %s with the next tick, not an hour later',
  async (fail) => {
    const clock = new ManualClock()
    const { tables, store, count } = someTables()
    const janitor = aJanitor(clock, { store })
    tables.fail = fail
    await expect(janitor.tick()).rejects.toThrow('unreachable')
    tables.fail = null
    await janitor.tick()
    expect(count(fail)).toBe(1)
  },
)

it('does not repeat the partitions when the sweep after them fails', async () => {
  const clock = new ManualClock()
  const { tables, store, count } = someTables()
  const janitor = aJanitor(clock, { store })
  tables.fail = 'sweep'
  await expect(janitor.tick()).rejects.toThrow('unreachable')
  tables.fail = null
  await janitor.tick()
  expect([count('create'), count('sweep'), count('vacuum')]).toEqual([1, 1, 1])
})

it('keeps its intervals over an outage of the database', async () => {
  const clock = new ManualClock()
  const { tables, store, count } = someTables()
  tables.fail = 'create'
  const loop = new RoleLoop(aJanitor(clock, { store }), clock)
  loop.start()
  await clock.advance(1_000)
  tables.fail = null
  await clock.advance(2 * HOUR_MS)
  await loop.stop()
  expect(count('drop')).toBeGreaterThanOrEqual(2)
  expect(count('drop')).toBeLessThanOrEqual(3)
  expect(count('sweep')).toBeGreaterThanOrEqual(22)
  expect(count('vacuum')).toBeGreaterThan(100)
})

it('two janitors create and drop each partition once', async () => {
  const clock = new ManualClock()
  const { store } = someTables()
  const days = new Set<number>()
  const reports: string[] = []
  const today = () => Math.floor(clock.wallMs() / (24 * HOUR_MS))
  const shared: JanitorOptions['store'] = {
    ...store,
    ensurePartitions: async (daysAhead) => {
      const wanted = Array.from({ length: daysAhead + 1 }, (_, i) => today() + i)
      const missing = wanted.filter((day) => !days.has(day))
      for (const day of missing) days.add(day)
      return missing.map(String)
    },
    dropOldDays: async (retentionDays) => {
      const expired = [...days].filter((day) => day < today() - retentionDays)
      for (const day of expired) days.delete(day)
      return expired.map(String)
    },
  }
  const onDays: JanitorOptions['onDays'] = (made, dropped) => {
    reports.push(...made.map((day) => `create ${day}`), ...dropped.map((day) => `drop ${day}`))
  }
  const loops = [1, 2].map(
    () => new RoleLoop(aJanitor(clock, { store: shared, retentionDays: 2, onDays }), clock),
  )
  for (const loop of loops) loop.start()
  await clock.advance(4 * 24 * HOUR_MS)
  await Promise.all(loops.map((loop) => loop.stop()))
  expect(new Set(reports).size).toBe(reports.length)
  expect([...days]).toEqual(Array.from({ length: 17 }, (_, i) => today() - 2 + i))
})

it('can be started and stopped repeatedly, and leaves no timer and no call behind', async () => {
  const clock = new ManualClock()
  const { tables, store } = someTables()
  for (let round = 0; round < 50; round++) {
    const loop = new RoleLoop(aJanitor(clock, { store }), clock)
    loop.start()
    loop.start()
    if (round % 2 === 1) await clock.advance(round * 1_000)
    await Promise.all([loop.stop(), loop.stop()])
  }
  const before = tables.calls.length
  await clock.advance(HOUR_MS)
  expect(tables.calls).toHaveLength(before)
  expect(clock.sleeping).toBe(0)
})
