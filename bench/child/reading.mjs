/** The commands of a process that reads history: generates it, and times typical user queries. */
import { jobName } from '../history/history-jobs.mjs'
import { loadHistory } from '../history/load-history.mjs'
import { quantiles } from '../lib/quantiles.mjs'

const DAY_MS = 86_400_000
const LIMIT = 100
/** Pages of one walk; users read mostly the first ones. */
const PAGES = 5

export function reading(state) {
  return {
    loadHistory: (options) => loadHistory(state.env.databaseUrl, options),
    timeGets: ({ samples }) => timeGets(state.client.punctual, samples),
    timePages: ({ samples }) => timePages(state.client.punctual, samples),
    timeCounts: ({ samples }) => timeCounts(state.client.punctual, samples),
    timeJobs: ({ samples }) => timeJobs(state.client.punctual, samples),
  }
}

function yesterday() {
  const to = Math.floor(Date.now() / DAY_MS) * DAY_MS
  return { from: new Date(to - DAY_MS), to: new Date(to) }
}

/** One query for every filter of a page. */
async function questions(punctual) {
  const finished = yesterday()
  const dead = await punctual.runs.page({ states: ['dead'] }, { limit: LIMIT })
  const [{ fingerprint }] = dead.runs
  const keyed = dead.runs.find(({ key }) => key !== null)
  return {
    all: {},
    succeeded: { states: ['succeeded'] },
    dead: { states: ['dead'] },
    'failed, four states': { states: ['dead', 'cancelled', 'skipped', 'unknown'] },
    'running or dead': { states: ['running', 'dead'] },
    queued: { states: ['queued'] },
    scheduled: { states: ['scheduled'] },
    queue: { queue: 'slow' },
    handler: { handler: 'mail' },
    job: { job: jobName(7) },
    'dead of a job': { job: jobName(7), states: ['dead'] },
    'label, 1 of 1,000': { labels: { user: 'user_001' } },
    'unused label': { labels: { user: 'nobody' } },
    'key of one run': { key: keyed.key },
    'due yesterday': { due: finished },
    'created yesterday': { created: finished },
    'ended yesterday': { finished },
    'failed yesterday': { states: ['dead'], finished },
    'failed yesterday, not retried': { notRetried: true, finished },
    fingerprint: { fingerprint },
    'running over an hour': { runningOverMs: 3_600_000 },
  }
}

async function timed(times, work) {
  const startedAt = performance.now()
  const value = await work()
  times.push(performance.now() - startedAt)
  return value
}

async function timePages(punctual, samples) {
  const results = {}
  for (const [name, filter] of Object.entries(await questions(punctual))) {
    const times = []
    let rows = 0
    while (times.length < samples) {
      let cursor
      for (let page = 0; page < PAGES; page++) {
        const options = { limit: LIMIT, ...(cursor && { cursor }) }
        const found = await timed(times, () => punctual.runs.page(filter, options))
        rows += found.runs.length
        cursor = found.nextCursor
        if (!cursor) break
      }
    }
    results[name] = { ...quantiles(times), rowsPerPage: Math.round(rows / times.length) }
  }
  return results
}

/** Runs from the whole history, far apart. */
async function timeGets(punctual, samples) {
  const now = Date.now()
  const ids = []
  for (let back = 1; back <= 30; back++) {
    const to = new Date(now - back * DAY_MS)
    const range = { created: { from: new Date(to.getTime() - 3_600_000), to } }
    const { runs } = await punctual.runs.page(range, { limit: LIMIT })
    ids.push(...runs.map(({ id }) => id))
  }
  const times = []
  for (let i = 0; i < samples; i++)
    await timed(times, () => punctual.runs.get(ids[(i * 7919) % ids.length]))
  return quantiles(times)
}

async function timeCounts(punctual, samples) {
  const finished = yesterday()
  const pending = { states: ['scheduled', 'queued'], labels: { user: 'user_001' } }
  const queries = {
    'pending of a user by job': [pending, 'job'],
    'running over an hour by handler': [{ runningOverMs: 3_600_000 }, 'handler'],
    'failed yesterday, not retried, by fingerprint': [
      { notRetried: true, finished },
      'fingerprint',
    ],
    'all by state': [{}, 'state'],
  }
  const results = {}
  for (const [name, [filter, by]] of Object.entries(queries)) {
    const times = []
    let counted
    for (let i = 0; i < samples; i++)
      counted = await timed(times, () => punctual.runs.count(filter, { by }))
    results[name] = { ...quantiles(times), count: counted.count, exact: counted.exact }
  }
  for (const by of ['day', 'job']) {
    const times = []
    for (let i = 0; i < samples; i++) await timed(times, () => punctual.stats.report({ by }))
    results[`report by ${by}`] = quantiles(times)
  }
  return results
}

async function timeJobs(punctual, samples) {
  const times = []
  for (let i = 0; i < samples; i++)
    await timed(times, () => punctual.jobs.page({}, { limit: LIMIT, page: 1 + (i % 2) }))
  return quantiles(times)
}
