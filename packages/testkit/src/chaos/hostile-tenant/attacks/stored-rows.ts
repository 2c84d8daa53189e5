/**
 * Attacks through rows that the roles of the installation read for all tenants: pauses and limits of
 * queues that do not exist, calendars, lanes, bookings of a slow rate.
 */
import { type Attack, lines } from './attack.ts'
import type { Sender } from './sender.ts'

/** More than every bound, so that a bound that is missing shows. */
const NAMES = 3_000
/** Lanes of one request: one that would exceed the quota is refused as a whole. */
const LANES = 10
const LANE_REQUESTS = 1_000
const SLOW_RUNS = 4_000
const MONTH_MS = 30 * 86_400_000

const LARGE_CALENDAR = JSON.stringify({
  exclude: Array.from(
    { length: 1_000 },
    (_, i) => `${2030 + (i % 150)}-01-01/${2030 + (i % 150)}-02-01`,
  ),
})
const SMALL_CALENDAR = JSON.stringify({ exclude: ['2035-01-01'] })
/** One of so many calendars is large. */
const LARGE_SHARE = 20

export const pauses: Attack = {
  name: 'pauses',
  ...{ atOnce: 2, restMs: 5 },
  strike: (sender, turn) =>
    sender.send({
      ...{ of: 'pauses', method: 'POST', key: sender.key('admin'), body: '{}' },
      path: `/queues/missing-${turn % NAMES}/pause`,
    }),
}

export const limits: Attack = {
  name: 'limits',
  ...{ atOnce: 2, restMs: 5 },
  strike: (sender, turn) =>
    sender.send({
      ...{ of: 'limits', method: 'PUT', key: sender.key('admin') },
      path: `/queues/missing-${turn % NAMES}/limits`,
      body: '{"concurrency":5}',
    }),
}

export const calendars: Attack = {
  name: 'calendars',
  ...{ atOnce: 2, restMs: 5 },
  strike: (sender, turn) =>
    sender.send({
      ...{ of: 'calendars', method: 'PUT', key: sender.key('admin') },
      path: `/calendars/calendar-${turn % NAMES}`,
      body: turn % LARGE_SHARE === 0 ? LARGE_CALENDAR : SMALL_CALENDAR,
    }),
}

export const lanes: Attack = {
  name: 'lanes',
  ...{ atOnce: 1, restMs: 200 },
  async strike(sender, turn) {
    const handler = 'shared'
    if (turn < LANE_REQUESTS)
      return submit(
        sender,
        lines(LANES, (i) => ({ handler, ...runOf(`lane-${turn * LANES + i}`) })),
      )
    const one = { handler, ...runOf(`lane-${turn % (LANES * LANE_REQUESTS)}`) }
    await submit(
      sender,
      lines(20, () => one),
    )
    return sender.send({ of: 'lanes', method: 'GET', path: '/queues', key: sender.key('read') })
  },
}

export const slowRates: Attack = {
  name: 'slowRates',
  ...{ atOnce: 1, restMs: 1_000 },
  strike: (sender, turn) => {
    const rate = { limit: 1, per: MONTH_MS, key: 'once a month' }
    const count = turn === 0 ? SLOW_RUNS : 10
    return submit(
      sender,
      lines(count, () => ({ handler: 'shared', rate, ...runOf('slow') })),
      'slowRates',
    )
  },
}

function runOf(queue: string) {
  return { queue, payload: { hostile: true } }
}

function submit(sender: Sender, body: string, of = 'lanes') {
  const type = 'application/x-ndjson'
  return sender.send({
    ...{ of, method: 'POST', path: '/runs/bulk', key: sender.key('submit'), body, type },
  })
}
