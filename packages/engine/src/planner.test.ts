import type { DueJob, JobRules, PlannedJob } from '@punctual/core/job'
import type { DueRequest, PlannerView, PlanStore, TenantCalendars } from '@punctual/core/ports'
import { parseCalendar } from '@punctual/core/schedule'
import { ManualClock } from '@punctual/testkit'
import { expect, it } from 'vitest'
import { Planner, type PlannerOptions } from './planner.ts'
import { RoleLoop } from './role.ts'
import { SHARDS } from './shards.ts'

const SECOND_MS = 1_000
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const everyMinute: JobRules = {
  when: { kind: 'cron', expression: '* * * * *' },
  timezone: 'UTC',
  overlap: 'skip',
}

/** The tables of planning, in memory: a job advances only if it is unchanged since it was read. */
class MemoryPlans implements PlanStore {
  readonly jobs = new Map<string, DueJob>()
  readonly allRules = new Map<number, JobRules>([[1, everyMinute]])
  readonly slots = new Map<string, number[]>()
  readonly requests: DueRequest[] = []
  readonly ruleReads: (readonly number[])[] = []
  readonly failing: string[] = []
  readonly aside: string[] = []
  readonly retired: string[] = []
  readonly #clock: ManualClock
  view: Partial<PlannerView> = {}

  constructor(clock: ManualClock) {
    this.#clock = clock
  }

  add(id: string, more: Partial<DueJob> = {}): void {
    const cursorMs = this.#clock.wallMs() - 1
    this.jobs.set(id, {
      ...{ id, tenantId: 1, nextMs: cursorMs + 1 + MINUTE_MS, version: 1, timing: 1 },
      ...{ anchorMs: null, endMs: null, runsLeft: null, hasSkips: false, failures: 0, cursorMs },
      suspended: false,
      ...more,
    })
  }

  async announcePlanner(id: string): Promise<PlannerView> {
    const nowMs = this.#clock.wallMs()
    return { nowMs, planners: [id], newerZoneData: null, anyJob: this.jobs.size > 0, ...this.view }
  }

  async retirePlanner(id: string): Promise<void> {
    this.retired.push(id)
  }

  async dueJobs(request: DueRequest): Promise<readonly DueJob[]> {
    this.requests.push(request)
    const { fromMs, untilMs, limit } = request
    const due = [...this.jobs.values()].filter(
      ({ nextMs }) => nextMs >= fromMs && nextMs <= untilMs,
    )
    return due.sort((a, b) => a.nextMs - b.nextMs).slice(0, limit)
  }

  async rules(timings: readonly number[]): Promise<ReadonlyMap<number, JobRules>> {
    this.ruleReads.push(timings)
    return new Map([...this.allRules].filter(([timing]) => timings.includes(timing)))
  }

  /** How many calendars each batch asked for. */
  readonly calendarReads: number[] = []

  async calendars(
    named: ReadonlyMap<number, ReadonlySet<string>>,
  ): Promise<ReadonlyMap<number, TenantCalendars>> {
    this.calendarReads.push([...named.values()].reduce((sum, names) => sum + names.size, 0))
    const open = parseCalendar({ exclude: ['2001-01-01'] })
    return new Map(
      [...named].map(([tenantId, names]) => [
        tenantId,
        {
          of: new Map([...names].map((name) => [name, open])),
          versions: new Map([...names].map((name) => [name, 1])),
        },
      ]),
    )
  }

  async askedSkips(): Promise<ReadonlyMap<string, ReadonlySet<number>>> {
    return new Map()
  }

  async plan(plans: readonly PlannedJob[]): Promise<number> {
    let accepted = 0
    for (const { job, decisions, nextMs } of plans) {
      const current = this.jobs.get(job.id)
      if (current?.nextMs !== job.nextMs || current.version !== job.version) continue
      const decided = this.slots.get(job.id) ?? []
      this.slots.set(job.id, [...decided, ...decisions.map(({ slotMs }) => slotMs)])
      if (nextMs === null) this.jobs.delete(job.id)
      else this.jobs.set(job.id, { ...current, nextMs, version: current.version + 1 })
      accepted++
    }
    return accepted
  }

  async pauseFailing(jobIds: readonly string[]): Promise<void> {
    this.failing.push(...jobIds)
    for (const id of jobIds) this.jobs.delete(id)
  }

  async setAside({ id }: DueJob): Promise<void> {
    this.aside.push(id)
    this.jobs.delete(id)
  }
}

function planning(more: Partial<PlannerOptions> = {}) {
  const clock = new ManualClock()
  const store = new MemoryPlans(clock)
  const make = (id: string) =>
    new Planner({
      ...{ store, clock, id, aheadMs: MINUTE_MS, ttlMs: 7_000, hintsArrive: () => true },
      ...more,
    })
  return { clock, store, make, planner: make('1') }
}

const idOf = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`

it('asks for up to 2,000 jobs of all its shards whose slots come within `aheadMs`', async () => {
  const { clock, store, planner } = planning()
  store.add(idOf(1), { nextMs: clock.wallMs() + HOUR_MS })
  await planner.tick()
  const [soon, missed] = store.requests
  const nowMs = clock.wallMs()
  expect(soon).toMatchObject({ fromMs: nowMs - MINUTE_MS, untilMs: nowMs + MINUTE_MS })
  expect(soon).toMatchObject({ limit: 2_000 })
  expect(new Set(soon?.shards).size).toBe(SHARDS)
  expect(missed).toMatchObject({ fromMs: 0, untilMs: nowMs - MINUTE_MS - 1 })
})

it.each([
  ['with hints', true, true, 2 * SECOND_MS],
  ['without hints', false, true, SECOND_MS],
  ['without jobs', true, false, 15 * SECOND_MS],
  ['without jobs and hints', false, false, SECOND_MS],
])('%s it rests accordingly', async (_, hints, anyJob, restMs) => {
  const { store, planner } = planning({ hintsArrive: () => hints })
  store.view = { anyJob }
  expect(await planner.tick()).toBe(restMs)
  expect(store.requests.length > 0).toBe(anyJob)
})

it('decides every slot once, before the slot begins', async () => {
  const { clock, store, planner } = planning()
  const startMs = clock.wallMs()
  for (let n = 0; n < 20; n++) store.add(idOf(n))
  const loop = new RoleLoop(planner, clock)
  loop.start()
  for (let minute = 1; minute <= 60; minute++) {
    await clock.advance(startMs + minute * MINUTE_MS - clock.wallMs())
    for (const slots of store.slots.values()) expect(slots).toContain(clock.wallMs())
  }
  await loop.stop()
  const expected = Array.from({ length: 61 }, (_, i) => startMs + (i + 1) * MINUTE_MS)
  for (const slots of store.slots.values()) expect(slots).toEqual(expected)
})

it('continues at once after a full batch', async () => {
  const results: object[] = []
  const { store, planner } = planning({ batch: 10, onPlanned: (result) => results.push(result) })
  for (let n = 0; n < 10; n++) store.add(idOf(n))
  expect(await planner.tick()).toBe(0)
  expect(await planner.tick()).toBeGreaterThan(0)
  expect(results).toEqual([{ jobs: 10, runs: 10, skips: 0 }])
})

it('reads missed slots at most every ten seconds', async () => {
  const { clock, store, planner } = planning()
  store.add(idOf(1), { nextMs: clock.wallMs() + HOUR_MS })
  for (let tick = 0; tick < 20; tick++) {
    await planner.tick()
    await clock.advance(SECOND_MS)
  }
  expect(store.requests.filter(({ fromMs }) => fromMs === 0)).toHaveLength(2)
})

it('reads the rules that jobs share once', async () => {
  const { clock, store, planner } = planning()
  for (let n = 0; n < 100; n++) store.add(idOf(n))
  for (let tick = 0; tick < 5; tick++) {
    await planner.tick()
    await clock.advance(MINUTE_MS)
  }
  expect(store.ruleReads).toEqual([[1]])
})

it('sets aside a job that cannot be planned, and plans the others', async () => {
  const reasons: string[] = []
  const { store, planner } = planning({ onSetAside: (id, why) => reasons.push(`${id} ${why}`) })
  store.add(idOf(1), { timing: 2 })
  store.add(idOf(2))
  await planner.tick()
  expect(store.aside).toEqual([idOf(1)])
  expect(reasons).toEqual([`${idOf(1)} The rules 2 are missing.`])
  expect([...store.slots.keys()]).toEqual([idOf(2)])
})

it('pauses a job after as many consecutive dead runs as its rules allow', async () => {
  const { store, planner } = planning()
  store.allRules.set(2, { ...everyMinute, pauseAfterFailures: 3 })
  store.add(idOf(1), { timing: 2, failures: 3 })
  store.add(idOf(2), { timing: 2, failures: 2 })
  await planner.tick()
  expect(store.failing).toEqual([idOf(1)])
  expect([...store.slots.keys()]).toEqual([idOf(2)])
})

it('plans nothing while the clock of the database has jumped ahead', async () => {
  const held: number[] = []
  const { clock, store, planner } = planning({ onHeld: (aheadMs) => held.push(aheadMs) })
  store.add(idOf(1), { nextMs: clock.wallMs() + HOUR_MS })
  await planner.tick()
  store.view = { nowMs: clock.wallMs() + HOUR_MS }
  expect(await planner.tick()).toBe(2 * SECOND_MS)
  expect(held).toEqual([HOUR_MS])
  expect(store.slots.size).toBe(0)
})

it('leaves the jobs to a planner with newer time zone data, and reports this once', async () => {
  const reports: string[] = []
  const { store, planner } = planning({ onOutdated: (newer) => reports.push(newer) })
  store.add(idOf(1))
  store.view = { newerZoneData: '2026b' }
  expect(await planner.tick()).toBe(2 * SECOND_MS)
  await planner.tick()
  expect(reports).toEqual(['2026b'])
  expect(store.slots.size).toBe(0)
  store.view = {}
  await planner.tick()
  expect(store.slots.size).toBe(1)
})

it('two planners that plan the same shards decide every slot once', async () => {
  const { clock, store, make } = planning({ batch: 10 })
  const startMs = clock.wallMs()
  for (let n = 0; n < 50; n++) store.add(idOf(n))
  const loops = ['1', '2'].map((id) => new RoleLoop(make(id), clock))
  for (const loop of loops) loop.start()
  await clock.advance(10 * MINUTE_MS)
  await Promise.all(loops.map((loop) => loop.stop()))
  const expected = Array.from({ length: 11 }, (_, i) => startMs + (i + 1) * MINUTE_MS)
  expect(store.slots.size).toBe(50)
  for (const slots of store.slots.values()) expect(slots).toEqual(expected)
})

it('two planners that know of each other divide the shards', async () => {
  const { store, make } = planning()
  store.add(idOf(1))
  store.view = { planners: ['1', '2'] }
  await make('1').tick()
  await make('2').tick()
  const [one, , two] = store.requests.map(({ shards }) => shards)
  expect([...(one ?? []), ...(two ?? [])].sort((a, b) => a - b)).toEqual(
    Array.from({ length: SHARDS }, (_, shard) => shard),
  )
})

it('can be started and stopped repeatedly, retires each time, and leaves nothing behind', async () => {
  const { clock, store, make } = planning()
  store.add(idOf(1))
  for (let round = 0; round < 50; round++) {
    const loop = new RoleLoop(make(String(round)), clock)
    loop.start()
    loop.start()
    if (round % 2 === 1) await clock.advance(round * 100)
    await loop.stop()
  }
  expect(store.retired).toEqual(Array.from({ length: 50 }, (_, round) => String(round)))
  const before = store.requests.length
  await clock.advance(HOUR_MS)
  expect(store.requests).toHaveLength(before)
  expect(clock.sleeping).toBe(0)
})

it('a batch reads 256 calendars at most, and jobs that need others are planned by the next one', async () => {
  const { store, planner } = planning()
  for (let n = 2; n <= 62; n++) {
    const calendars = Array.from({ length: 10 }, (_, i) => `c${n}-${i}`)
    store.allRules.set(n, { ...everyMinute, calendars })
    store.add(idOf(n), { timing: n })
  }
  store.add(idOf(1))
  for (let tick = 0; tick < 4; tick++) await planner.tick()
  expect(store.calendarReads.filter((count) => count > 0)).toEqual([250, 250, 110])
  expect(store.slots.size).toBe(62)
})
