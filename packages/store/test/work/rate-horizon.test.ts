/** Rates with more waiting runs than can start in a year: nothing overflows, and no lane fails. */
import { limits } from '@punctual/core/errors'
import { compileOptions, makeSubmission } from '@punctual/core/submit'
import { TestStore } from '@punctual/testkit'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { RateKit } from '../kit/rate-kit.ts'

const DAY_MS = 86_400_000
const RATE = { key: 'slow', limit: 1, per: limits.ratePerMsMax, burst: 1 }

let t: TestStore
beforeAll(async () => {
  t = await TestStore.open()
})
afterEach(async () => {
  const tables = ['queue', 'leases', 'gated', 'rates', 'rate_starts']
  await t.sql.query(tables.map((table) => `delete from punctual.${table}`).join(';'))
})
afterAll(() => t.close())

const submit = (count: number, rate = RATE) => {
  const one = () => makeSubmission(compileOptions('test', { rate }), '1')
  return t.store.submit(Array.from({ length: count }, one))
}

async function bookedDays(): Promise<number> {
  const { rows } = await t.sql.query(
    `select (max(next_us) / 1000 - extract(epoch from clock_timestamp()) * 1000) / ${DAY_MS} as days
     from punctual.rates`,
  )
  return Number(rows[0].days)
}

it('a rate is booked a year ahead, and later runs try to book a day later', async () => {
  const session = await t.session()
  await submit(40)
  const { runs } = await t.claim(session, 100)
  expect(runs).toHaveLength(1)
  const { rows } = await t.sql.query(`
    select round(((pos >> 20) - extract(epoch from clock_timestamp()) * 1000) / ${DAY_MS})::integer as days,
      booked_us is not null as booked
    from punctual.queue join punctual.gated using (run_id) order by booked, pos`)
  const unbooked = rows.filter(({ booked }) => !booked)
  const booked = rows.filter((row) => row.booked)
  expect(booked.map(({ days }) => days)).toEqual(booked.map((_, n) => (n + 1) * 30))
  expect(booked).toHaveLength(12)
  expect(unbooked).toHaveLength(27)
  expect(new Set(unbooked.map(({ days }) => days))).toEqual(new Set([1]))
})

it('claims of a slow rate never book beyond two horizons, however many runs ask', async () => {
  const session = await t.session()
  for (let round = 0; round < 5; round++) {
    await submit(300)
    await t.claim(session, 1_000)
  }
  expect(await bookedDays()).toBeLessThan(2 * 366 + 30)
  expect(await t.count('queue')).toBe(5 * 300 - 1)
})

it('a run beyond the horizon books a start when one has become free', async () => {
  const kit = new RateKit(t, 30 * DAY_MS, 1)
  await kit.submit(30)
  await kit.pass(90 * DAY_MS)
  expect(kit.starts).toHaveLength(4)
  expect(kit.tooEarlyMs()).toBeLessThan(2_000)
  const { rows } = await t.sql.query(
    'select count(*)::integer as booked from punctual.gated where booked_us is not null',
  )
  expect(rows[0].booked).toBeGreaterThanOrEqual(12)
})

it('recorded starts at the end of what bigint holds fail no claim', async () => {
  const session = await t.session()
  await submit(1)
  await t.claim(session)
  await t.sql.query('update punctual.rate_starts set used_us = 9223372036854775807')
  await t.sql.query('delete from punctual.rates')
  await submit(1)
  expect((await t.claim(session)).runs).toHaveLength(1)
})

it('a rate at the end of what bigint holds delays its own runs and no other lane', async () => {
  const session = await t.session()
  await submit(2)
  await t.claim(session, 10)
  await t.sql.query('update punctual.rates set next_us = 9223372036854775807')
  await submit(3)
  const other = await t.submit({ queue: 'other' })
  const { runs } = await t.claim(session, 10)
  expect(runs.map(({ id }) => id)).toEqual([other])
  expect(await t.count('queue')).toBe(4)
})
