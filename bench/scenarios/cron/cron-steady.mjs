import { SERVER_FOR_JOBS } from '../../jobs/server.mjs'
import { cronBars, cronColumns, cronJson, measureCron } from './cron.mjs'

const PER_SECOND = 1_700
const JOBS = 1_000_000

/** @type {import('../index.mjs').Scenario} */
export const cronSteady = {
  name: 'cron-steady',
  what: '1,700 fires a second of 1 million jobs for two minutes, one of two planners killed half-way',
  systems: ['punctual'],
  figure: (result) => result.p99Ms,
  server: SERVER_FOR_JOBS,
  settings: ['cron'],
  better: 'lower',
  unit: ' ms p99',
  columns: cronColumns,
  json: cronJson,
  bars: (results) => cronBars(results, { p99Ms: 50, maxMs: 1_000 }),

  measure(bench, system) {
    const minutes = bench.options.minutes * Math.min(1, bench.options.scale * 5)
    return measureCron(bench, system, {
      ...{ jobs: bench.count(JOBS), perSecond: Math.min(PER_SECOND, bench.count(PER_SECOND)) },
      ...{ seconds: Math.max(30, Math.round(minutes * 60)), planners: 2, killOne: true },
    })
  },
}
