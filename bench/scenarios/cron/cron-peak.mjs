import { SERVER_FOR_JOBS } from '../../jobs/server.mjs'
import { cronBars, cronColumns, cronJson, measureCron } from './cron.mjs'

const PER_SECOND = 10_000
const JOBS = 10_000_000
const SECONDS = 60

/** @type {import('../index.mjs').Scenario} */
export const cronPeak = {
  name: 'cron-peak',
  what: '10,000 fires a second of 10 million jobs for a minute, planned, claimed and settled',
  systems: ['punctual'],
  figure: (result) => result.p99Ms,
  server: SERVER_FOR_JOBS,
  settings: ['cron'],
  better: 'lower',
  unit: ' ms p99',
  columns: cronColumns,
  json: cronJson,
  bars: (results) => [...cronBars(results, { p99Ms: 1_000, maxMs: 1_000 }), asOften(results)],

  measure(bench, system) {
    return measureCron(bench, system, {
      ...{ jobs: bench.count(JOBS), perSecond: Math.min(PER_SECOND, bench.count(PER_SECOND)) },
      ...{ seconds: Math.max(30, Math.round(SECONDS * bench.options.scale)), planners: 1 },
    })
  },
}

/** Checks that every run due in the window has started. */
function asOften({ punctual }) {
  const rule = 'the wanted fires a second'
  if (!punctual) return { rule, value: 'not run', pass: null }
  const { perSecond, wantedPerSecond } = punctual
  const pass = perSecond >= 0.97 * wantedPerSecond
  return { rule, value: `${perSecond} of ${wantedPerSecond}`, pass }
}
