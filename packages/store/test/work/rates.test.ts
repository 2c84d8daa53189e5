/**
 * Rates: never more starts than allowed, and no start later than needed after earlier runs are
 * gone.
 */
import { TestStore } from '@punctual/testkit'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { RateKit } from '../kit/rate-kit.ts'

const MINUTE_MS = 60_000
/** Bookings are not moved by less than a second, and the statements of a test take time. */
const NEAR_MS = 2_000

let t: TestStore
beforeAll(async () => {
  t = await TestStore.open()
})
afterEach(async () => {
  const tables = ['queue', 'leases', 'gated', 'rates', 'rate_starts', 'live_keys']
  await t.sql.query(tables.map((table) => `delete from punctual.${table}`).join(';'))
})
afterAll(() => t.close())

async function expectEarliest(kit: RateKit): Promise<void> {
  const waiting = await kit.waiting()
  const allowed = await kit.allowed(waiting.length)
  for (const [n, { atMs }] of waiting.entries()) {
    expect(atMs, `run ${n}`).toBeLessThanOrEqual((allowed[n] as number) + NEAR_MS)
    expect(atMs, `run ${n}`).toBeGreaterThanOrEqual((allowed[n] as number) - NEAR_MS)
  }
}

describe('cancelling runs that wait for their rate', () => {
  it('a run submitted after cancelled runs moves up to the earliest start of its rate', async () => {
    const kit = new RateKit(t, MINUTE_MS, 1)
    const ids = await kit.submit(200)
    await kit.cancel(ids)
    const [late] = await kit.submit(1)
    expect((await kit.waiting())[0]?.atMs).toBeGreaterThan((await kit.nowMs()) + 190 * MINUTE_MS)
    expect(await kit.close()).toBe(1)
    expect((await kit.waiting()).map(({ id }) => id)).toEqual([late])
    await expectEarliest(kit)
    await kit.pass(MINUTE_MS)
    expect(kit.starts).toHaveLength(2)
    expect(kit.tooEarlyMs()).toBeLessThan(NEAR_MS)
  })

  it('after gaps are closed, a submission is booked as if cancelled runs had never existed', async () => {
    const kit = new RateKit(t, MINUTE_MS, 1)
    await kit.cancel(await kit.submit(50))
    await kit.close()
    await kit.submit(2)
    await expectEarliest(kit)
  })

  it('closing the gaps of cancelled runs keeps the order of the others', async () => {
    const kit = new RateKit(t, MINUTE_MS, 1)
    const ids = await kit.submit(12)
    const waiting = (await kit.waiting()).map(({ id }) => id)
    const gone = waiting.filter((_, n) => n % 3 !== 0)
    await kit.cancel(gone)
    await kit.close()
    expect((await kit.waiting()).map(({ id }) => id)).toEqual(
      waiting.filter((id) => !gone.includes(id)),
    )
    expect(ids).toHaveLength(12)
    await expectEarliest(kit)
  })

  it.each([1, 3])(
    'cancelling any of five runs, with a burst of %i, lets the others start as early as allowed',
    async (burst) => {
      for (let gone = 0; gone < 32; gone++) {
        const kit = new RateKit(t, MINUTE_MS, burst)
        await kit.submit(burst + 5)
        await kit.pass(MINUTE_MS / 2)
        const waiting = await kit.waiting()
        expect(waiting).toHaveLength(5)
        await kit.cancel(waiting.filter((_, n) => gone & (1 << n)).map(({ id }) => id))
        await kit.close()
        await expectEarliest(kit)
        await kit.pass(6 * MINUTE_MS)
        const left = waiting.filter((_, n) => !(gone & (1 << n)))
        expect(kit.starts).toHaveLength(burst + left.length)
        expect(kit.tooEarlyMs()).toBeLessThan(NEAR_MS)
      }
    },
  )

  it('runs of a fast rate move up to the next two seconds after a cancel', async () => {
    const kit = new RateKit(t, 200, 1)
    await kit.submit(60)
    await kit.cancel((await kit.waiting()).slice(0, -5).map(({ id }) => id))
    await kit.close()
    const waiting = await kit.waiting()
    expect(waiting).toHaveLength(5)
    expect(waiting.at(-1)?.atMs).toBeLessThan((await kit.nowMs()) + NEAR_MS + 5 * 200)
    for (const [n, { atMs }] of waiting.slice(1).entries())
      expect(atMs).toBeGreaterThanOrEqual((waiting[n]?.atMs as number) + 199)
    const { length } = kit.starts
    await kit.pass(4_000)
    expect(kit.starts).toHaveLength(length + 5)
  })

  it('closing gaps moves more than 2,000 bookings in batches', async () => {
    const kit = new RateKit(t, MINUTE_MS, 1)
    for (let n = 0; n < 25; n++) await kit.submit(100)
    const waiting = await kit.waiting()
    await kit.cancel(waiting.slice(0, 300).map(({ id }) => id))
    expect(await kit.close()).toBe(waiting.length - 300)
    expect((await kit.waiting()).map(({ id }) => id)).toEqual(
      waiting.slice(300).map(({ id }) => id),
    )
    await expectEarliest(kit)
    expect(await kit.close()).toBe(0)
  })

  it('closing gaps stops at a run that another transaction has locked', async () => {
    const kit = new RateKit(t, MINUTE_MS, 1)
    await kit.submit(8)
    const before = await kit.waiting()
    await kit.cancel(before.slice(0, 2).map(({ id }) => id))
    await t.sql.query('begin')
    await t.sql.query('select from punctual.queue where run_id = $1 for update', [before[4]?.id])
    const moved = await kit.close().finally(() => t.sql.query('rollback'))
    expect(moved).toBe(2)
    const after = await kit.waiting()
    expect(after.slice(2)).toEqual(before.slice(4))
    expect(await kit.close()).toBe(3)
    await expectEarliest(kit)
  })
})

it('concurrent bookings, cancels, replacements and moves never bring two starts too close', async () => {
  const kit = new RateKit(t, MINUTE_MS, 1)
  await kit.submit(20)
  const stores = [t.store, t.another(), t.another()]
  const sessions = await Promise.all(stores.map((store) => t.session(3_600_000, store)))
  for (let round = 0; round < 30; round++) {
    const waiting = (await kit.waiting()).map(({ id }) => id)
    const gone = waiting.filter((_, n) => (n + round) % 4 === 0)
    await Promise.all([
      ...stores.map(async (store, n) => {
        await t.submit({ rate: kit.rate })
        await t.submit({ rate: kit.rate, key: `key ${n}`, onConflict: 'replace' })
        await t.claim(sessions[n] as string, 10, store)
      }),
      ...stores.map((store) => store.upkeep.closeRateGaps()),
      kit.cancel(gone),
    ])
    const { rows } = await t.sql.query(
      `select min(gap) as gap, count(*)::int as n
       from (select booked_us - lag(booked_us) over (order by booked_us) as gap
             from punctual.gated where booked_us is not null) g`,
    )
    expect(rows[0].n).toBeGreaterThan(5)
    expect(Number(rows[0].gap)).toBeGreaterThanOrEqual(MINUTE_MS * 1_000)
  }
  await kit.work()
  await kit.close()
  await expectEarliest(kit)
})

describe('replacing a run with a rate', () => {
  const key = 'key of one run'

  it('a run replaced several times keeps the booking of its rate', async () => {
    const kit = new RateKit(t, MINUTE_MS, 1)
    await kit.submit(1)
    const [id] = await kit.submit(1, { key })
    const [before] = await kit.waiting()
    for (let n = 0; n < 5; n++)
      expect(await kit.submit(1, { key, onConflict: 'replace' })).toEqual([id])
    expect(await kit.waiting()).toEqual([before])
    await kit.pass(MINUTE_MS)
    expect(kit.starts).toHaveLength(2)
    expect(kit.tooEarlyMs()).toBeLessThan(NEAR_MS)
  })

  it('a run replaced repeatedly as time passes keeps the booking of its rate', async () => {
    const kit = new RateKit(t, MINUTE_MS, 1)
    await kit.submit(1)
    for (let n = 0; n < 10; n++) {
      await kit.submit(1, { key, onConflict: 'replace' })
      await kit.pass(MINUTE_MS / 9)
    }
    expect(kit.starts).toHaveLength(2)
    expect(kit.tooEarlyMs()).toBeLessThan(NEAR_MS)
  })

  it('a run replaced to a later due time returns its booking and books again then', async () => {
    const kit = new RateKit(t, MINUTE_MS, 1)
    await kit.submit(1)
    await kit.submit(1, { key })
    await kit.submit(1, { key, onConflict: 'debounce', window: '2h' })
    const { rows } = await t.sql.query('select booked_us from punctual.gated')
    expect(rows).toEqual([{ booked_us: null }])
    await kit.close()
    await kit.submit(1)
    await expectEarliest(kit)
  })
})

describe('rescheduling a run with a rate', () => {
  it('a run rescheduled beyond its booking leaves that to later runs', async () => {
    const kit = new RateKit(t, MINUTE_MS, 1)
    await kit.submit(3)
    const [first] = await kit.waiting()
    await t.store.steering.reschedule([first?.id as string], Date.now() + 2 * 3_600_000)
    const { rows } = await t.sql.query('select run_id from punctual.gated where booked_us is null')
    expect(rows).toEqual([{ run_id: first?.id }])
    expect(await kit.close()).toBe(1)
    await expectEarliest(kit)
  })

  it('a run rescheduled to now starts at once, and later runs keep their bookings', async () => {
    const kit = new RateKit(t, MINUTE_MS, 1)
    await kit.submit(5)
    const [first, ...others] = await kit.waiting()
    await t.store.steering.reschedule([first?.id as string], null)
    await kit.work()
    expect(kit.starts).toHaveLength(2)
    expect(await kit.close()).toBe(0)
    expect(await kit.waiting()).toEqual(others)
    await kit.cancel(others.slice(0, 1).map(({ id }) => id))
    expect(await kit.close()).toBe(2)
    await expectEarliest(kit)
  })
})

it('random submits, cancels and replacements keep the rate and delay no run beyond it', async () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('submit' as const), n: fc.integer({ min: 1, max: 6 }) }),
    fc.record({ kind: fc.constant('cancel' as const), n: fc.integer({ min: 0, max: 1_023 }) }),
    fc.record({ kind: fc.constant('replace' as const), n: fc.integer({ min: 0, max: 1 }) }),
    fc.record({ kind: fc.constant('pass' as const), n: fc.integer({ min: 1, max: 200_000 }) }),
    fc.record({ kind: fc.constant('close' as const), n: fc.constant(0) }),
  )
  const steps = fc.array(step, { minLength: 4, maxLength: 14 })
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(1, 2, 5), steps, async (burst, taken) => {
      const tables = ['queue', 'leases', 'gated', 'rates', 'rate_starts', 'live_keys']
      await t.sql.query(tables.map((table) => `delete from punctual.${table}`).join(';'))
      const kit = new RateKit(t, MINUTE_MS, burst)
      for (const { kind, n } of [...taken, { kind: 'close' as const, n: 0 }]) {
        if (kind === 'submit') await kit.submit(n)
        else if (kind === 'replace') await kit.submit(1, { key: `key ${n}`, onConflict: 'replace' })
        else if (kind === 'pass') await kit.pass(n)
        else if (kind === 'close') await kit.close()
        else {
          const waiting = await kit.waiting()
          await kit.cancel(waiting.filter((_, i) => n & (1 << (i % 10))).map(({ id }) => id))
        }
      }
      await expectEarliest(kit)
      await kit.pass(20 * MINUTE_MS)
      expect(kit.tooEarlyMs()).toBeLessThan(NEAR_MS)
    }),
    { numRuns: 25 },
  )
})
