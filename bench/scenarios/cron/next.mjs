import { makeSchedules } from '../../jobs/schedules.mjs'
import { atLeast } from '../../lib/bars.mjs'
import { number } from '../../lib/cells.mjs'
import { Child } from '../../lib/child.mjs'
import { CRON_LIBRARIES } from '../../systems/catalogue.mjs'

const SCHEDULES = 1_000
const FOR_MS = 4_000
const FROM_MS = Date.UTC(2026, 2, 1)
/** The compared fires of each schedule: those of a daily one cross the time changes of March. */
const COMPARED = 40

/** @type {import('../index.mjs').Scenario} */
export const next = {
  name: 'next',
  what: 'next fires computed by one thread for 1,000 schedules in 40 zones, one after another',
  systems: ['punctual', ...CRON_LIBRARIES],
  figure: (result) => result.zonedPerSecond,
  settings: ['next'],
  better: 'higher',
  unit: '/s in zones',
  columns: (result) => ({
    'without zone': `${number(result.plainPerSecond)}/s`,
    'parsed and computed, in zones': `${number(result.parsedPerSecond)}/s`,
    'differs from Punctual': `${result.differing} of ${SCHEDULES}`,
    'fails on': String(result.failing),
  }),
  json: ({ zonedPerSecond, plainPerSecond, parsedPerSecond, differing, failing }) => ({
    ...{ perSecond: zonedPerSecond, zonedPerSecond, plainPerSecond, parsedPerSecond },
    ...{ differing, failing },
  }),
  bars: (results) => [
    atLeast(results, 'zonedPerSecond', 1, 'the faster library, in zones', CRON_LIBRARIES),
    atLeast(results, 'plainPerSecond', 1, 'the faster library, without zone', CRON_LIBRARIES),
  ],

  async measure(bench, system) {
    const zoned = makeSchedules({ jobs: 1, perSecond: 1 / 1_000 }).slice(0, SCHEDULES)
    const plain = zoned.map(({ cron }) => ({ cron }))
    const forMs = Math.max(200, FOR_MS * bench.options.scale)
    const [child, own] = [await Child.start(system, {}), await Child.start('punctual', {})]
    try {
      const timed = async (schedules, compiled) => {
        const args = { schedules, fromMs: FROM_MS, forMs, compiled }
        return (await child.call('nextFires', args)).perSecond
      }
      const fires = { schedules: zoned, fromMs: FROM_MS, count: COMPARED }
      const [theirs, ours] = [
        await child.call('listFires', fires),
        await own.call('listFires', fires),
      ]
      return {
        zonedPerSecond: await timed(zoned, true),
        plainPerSecond: await timed(plain, true),
        parsedPerSecond: await timed(zoned, false),
        failing: theirs.filter((list) => list === null).length,
        differing: theirs.filter((list, i) => list?.some((ms, n) => ms !== ours[i][n])).length,
      }
    } finally {
      child.kill()
      own.kill()
    }
  },
}
