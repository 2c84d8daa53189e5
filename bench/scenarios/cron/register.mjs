import { shown } from '../../lib/bars.mjs'
import { cpuColumns, number } from '../../lib/cells.mjs'
import { throughput } from '../measuring.mjs'

const WARM_UP = 5_000

/** @type {import('../index.mjs').Scenario} */
export const register = {
  name: 'register',
  what: '200,000 jobs registered in bulk by one process, and the disk space of each',
  systems: ['punctual'],
  figure: (result) => result.perSecond,
  settings: ['register'],
  better: 'higher',
  unit: ' jobs/s',
  columns: (result) => ({ 'bytes/job': number(result.bytesPerJob), ...cpuColumns(result) }),
  json: ({ perSecond, bytesPerJob }) => ({ perSecond, bytesPerJob }),
  bars: (results) => [shown(results, 'jobs a second and bytes a job')],

  measure(bench, system) {
    const count = bench.count(200_000)
    const mix = { jobs: count, perSecond: count / 1_000 }
    const how = { batchSize: 1_000, inFlight: 2, schedules: { mix } }
    return bench.fresh(system, async ({ child, analyze }) => {
      const producer = await child()
      await producer.call('open', { produce: true, profile: 'throughput' })
      await producer.call('register', { ...how, count: WARM_UP, prefix: 'warm' })
      await analyze()
      const measured = await throughput(bench, system, producer, count, () =>
        producer.call('register', { ...how, count }),
      )
      const { bytes, jobs } = await producer.call('bytesOfJobs')
      return { ...measured, count, bytesPerJob: Math.round(bytes / jobs) }
    })
  },
}
