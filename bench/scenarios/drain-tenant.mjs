import { number } from '../lib/cells.mjs'
import { round } from '../lib/quantiles.mjs'
import { drain } from './drain.mjs'
import { submitAndDrain } from './measuring.mjs'

const RUNS = 200_000
const WARM_UP = 100_000
/** Every quota is enforced across the fleet, and none is reached. */
const QUOTAS = {
  ...{ jobs: 1_000_000, payloadBytes: 65_536, timeoutMs: 3_600_000, logBytesPerRun: 65_536 },
  ...{ submissionsPerSecond: 1_000_000, dispatchesPerSecond: 1_000_000, concurrentRuns: 10_000 },
}
/** `drain` with tenants, row security and quotas reaches at least this share of `drain`. */
const SHARE = 0.9

/** @type {import('./index.mjs').Scenario} */
export const drainTenant = {
  name: 'drain-tenant',
  what: '`drain` for a tenant with every quota, compared with `drain` without quotas',
  systems: ['punctual'],
  figure: (result) => result.perSecond,
  settings: ['throughput'],
  better: 'higher',
  unit: '/s',
  columns: ({ plainPerSecond, ofPlain, onlyPerSecond, ofOnly }) => ({
    'without quotas': `${number(plainPerSecond)}/s, ${ofPlain.toFixed(2)} of it`,
    'submission quotas only': `${number(onlyPerSecond)}/s, ${ofOnly.toFixed(2)} of it`,
  }),
  json: ({ perSecond, plainPerSecond, ofPlain, onlyPerSecond, ofOnly }) => ({
    ...{ perSecond, plainPerSecond, ofPlain, onlyPerSecond, ofOnly },
  }),
  bars: ({ punctual }) => [
    {
      rule: `drains at ${SHARE} x the rate without quotas or more`,
      value: punctual ? `${punctual.ofPlain} x` : 'not run',
      pass: punctual ? punctual.ofPlain >= SHARE : null,
    },
  ],

  async measure(bench, system) {
    const { perSecond: plainPerSecond } = await drain.measure(bench, system)
    const { dispatchesPerSecond, concurrentRuns, ...submitting } = QUOTAS
    const only = await drainAs(bench, system, submitting)
    const { perSecond } = await drainAs(bench, system, {
      ...{ ...submitting, dispatchesPerSecond, concurrentRuns },
    })
    return {
      ...{ perSecond, plainPerSecond, ofPlain: round(perSecond / plainPerSecond) },
      ...{ onlyPerSecond: only.perSecond, ofOnly: round(only.perSecond / plainPerSecond) },
    }
  },
}

function drainAs(bench, system, quotas) {
  return bench.fresh(system, async ({ child, analyze }) => {
    const [producer, worker] = [await child(), await child()]
    const tenant = { tenant: 'bench', quotas }
    await producer.call('open', { produce: true, profile: 'throughput', ...tenant })
    const parts = { producer, worker, analyze }
    await submitAndDrain(bench, system, parts, bench.count(WARM_UP))
    return submitAndDrain(bench, system, parts, bench.count(RUNS))
  })
}
