import { SERVER_FOR_JOBS } from '../jobs/server.mjs'
import { below } from '../lib/bars.mjs'
import { milliseconds } from '../lib/cells.mjs'

const RUNS = 10_000_000
const GETS = 2_000
const PAGES = 60
const COUNTS = 10

/** @type {import('./index.mjs').Scenario} */
export const history = {
  name: 'history',
  what: 'reading 10 million runs of 30 days, 4 million of them from yesterday: single runs, pages by each filter, counts, reports',
  systems: ['punctual'],
  figure: (result) => result.getP99Ms,
  server: SERVER_FOR_JOBS,
  settings: ['history'],
  better: 'lower',
  unit: ' ms p99 of one run',
  columns: (result) => ({
    'worst page, p99 ms': `${milliseconds(result.pageP99Ms)} (${result.worstPage})`,
    'failed yesterday, p99 ms': milliseconds(result.failedP99Ms),
    'worst count, max ms': milliseconds(result.countMaxMs),
    'page of jobs, p99 ms': milliseconds(result.jobs.p99Ms),
    'loaded in s': (result.loadMs / 1000).toFixed(0),
    ...Object.fromEntries(
      Object.entries({ ...result.pages, ...result.counts }).map(([name, times]) => [
        `${name}: p50 / p99 ms`,
        `${milliseconds(times.p50Ms)} / ${milliseconds(times.p99Ms)}`,
      ]),
    ),
  }),
  json: ({
    getP99Ms,
    pageP99Ms,
    worstPage,
    failedP99Ms,
    countMaxMs,
    gets,
    pages,
    counts,
    jobs,
  }) => ({
    ...{ getP99Ms, pageP99Ms, worstPage, failedP99Ms, countMaxMs, gets, pages, counts, jobs },
  }),
  bars: (results) => [
    below(results, 'getP99Ms', 20, 'ms p99 of one run'),
    below(results, 'pageP99Ms', 300, 'ms p99 of any page'),
    below(results, 'failedP99Ms', 100, "ms p99 of yesterday's failures"),
    below(results, 'countMaxMs', 1_000, 'ms for any count or report'),
  ],

  measure(bench, system) {
    const atLeastTen = (samples) => Math.max(10, bench.count(samples))
    return bench.fresh(system, async ({ child }) => {
      const reader = await child()
      const { ms: loadMs } = await reader.call('loadHistory', { runs: bench.count(RUNS) })
      await bench.admin.query('checkpoint')
      await reader.call('open', { profile: 'idle' })
      const gets = await reader.call('timeGets', { samples: atLeastTen(GETS) })
      const pages = await reader.call('timePages', { samples: atLeastTen(PAGES) })
      const counts = await reader.call('timeCounts', { samples: atLeastTen(COUNTS) })
      const jobs = await reader.call('timeJobs', { samples: atLeastTen(PAGES) })
      const [worstPage, worst] = Object.entries(pages).sort(([, a], [, b]) => b.p99Ms - a.p99Ms)[0]
      const failed = Object.entries(pages).filter(([name]) => name.startsWith('failed yesterday'))
      return {
        ...{ loadMs, gets, pages, counts, jobs, worstPage },
        getP99Ms: gets.p99Ms,
        pageP99Ms: worst.p99Ms,
        failedP99Ms: Math.max(...failed.map(([, times]) => times.p99Ms)),
        countMaxMs: Math.max(...Object.values(counts).map(({ maxMs }) => maxMs)),
      }
    })
  },
}
