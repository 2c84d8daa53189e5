import { reaches } from '../lib/bars.mjs'
import { cronBars, cronColumns, cronJson, measureCron } from './cron.mjs'

const PER_SECOND = 10_000
const JOBS = 10_000_000
const SECONDS = 60

/** @type {import('./index.mjs').Scenario} */
export const cronPeak = {
  name: 'cron-peak',
  what: '10,000 fires a second of 10 million jobs for a minute, planned, claimed and settled',
  systems: ['punctual'],
  figure: (result) => result.p99Ms,
  settings: ['cron'],
  better: 'lower',
  unit: ' ms p99',
  columns: cronColumns,
  json: cronJson,
  bars: (results) => [
    ...cronBars(results, { p99Ms: 1_000, maxMs: 1_000 }),
    reaches(results, 'perSecond', PER_SECOND * 0.98, 'fires a second'),
  ],

  measure(bench, system) {
    return measureCron(bench, system, {
      ...{ jobs: bench.count(JOBS), perSecond: Math.min(PER_SECOND, bench.count(PER_SECOND)) },
      ...{ seconds: Math.max(30, Math.round(SECONDS * bench.options.scale)), planners: 1 },
    })
  },
}
