import { randomUUID } from 'node:crypto'
import { number } from '../../lib/cells.mjs'

const REQUESTS = 20_000
const WARM_UP = 2_000
const IN_FLIGHT = 64
const RUN = { handler: 'noop', payload: { customer: 4711, template: 'welcome', retry: false } }
/** The required shares of a route that answers at once. */
const SHARES = { submit: 0.5, keyed: 0.25, get: 0.5 }

/** @type {import('../index.mjs').Scenario} */
export const requests = {
  name: 'requests',
  what: `single HTTP requests, ${IN_FLIGHT} in flight, compared with a Fastify route that answers at once`,
  systems: ['punctual'],
  figure: (result) => result.submit.perSecond,
  settings: ['throughput'],
  better: 'higher',
  unit: '/s POST /v1/runs',
  columns: (result) => ({
    'p50 / p99 ms': latencies(result.submit),
    'at once': rate(result.atOnce),
    'with idempotency key': rate(result.keyed),
    'GET /v1/runs/:id': rate(result.get),
    'POST /v1/jobs': rate(result.jobs),
    'jobs, one by one': latencies(result.jobsAlone),
  }),
  json: ({ submit, atOnce, keyed, get, jobs, jobsAlone }) => ({
    ...{ submit, atOnce, keyed, get, jobs, jobsAlone },
  }),
  bars: ({ punctual: result }) => [
    ...Object.entries(SHARES).map(([name, least]) => share(result, name, least)),
    below('submit p50', 8, result?.submit.p50Ms),
    below('POST /v1/jobs one by one p50', 5, result?.jobsAlone.p50Ms),
    atLeast('POST /v1/jobs', 2_000, result?.jobs.perSecond),
  ],

  measure(bench, system) {
    return bench.fresh(system, async ({ child }) => {
      const [node, sender] = await Promise.all([child(), child()])
      const { url, bareUrl, key } = await node.call('serve')
      const count = bench.count(REQUESTS)
      const send = async (path, more) => {
        const load = { url, key, path, method: 'POST', connections: IN_FLIGHT, ...more }
        await sender.call('load', { ...load, count: WARM_UP })
        return sender.call('load', { ...load, count: more.count ?? count })
      }
      const atOnce = await send('/v1/runs', { url: bareUrl, body: RUN })
      const submit = await send('/v1/runs', { body: RUN })
      const keyed = await send('/v1/runs', { body: RUN, keyed: true })
      const id = await submitOne(url, key)
      const get = await send(`/v1/runs/${id}`, { method: 'GET' })
      const job = { handler: 'noop', schedule: '0 4 * * *' }
      const jobsCount = bench.count(5_000)
      const jobs = await send('/v1/jobs', { body: job, named: true, count: jobsCount })
      const jobsAlone = await send('/v1/jobs', {
        ...{ body: job, named: true },
        ...{ connections: 1, count: 1_000 },
      })
      return { atOnce, submit, keyed, get, jobs, jobsAlone }
    })
  },
}

async function submitOne(url, key) {
  const answer = await fetch(`${url}/v1/runs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...RUN, key: randomUUID() }),
  })
  return (await answer.json()).id
}

const rate = ({ perSecond, p50Ms }) => `${number(perSecond)}/s, p50 ${p50Ms} ms`
const latencies = ({ p50Ms, p99Ms }) => `${p50Ms} / ${p99Ms}`

function share(result, name, least) {
  const rule = `${name} >= ${least} x a route that answers at once`
  if (!result) return { rule, value: 'not run', pass: null }
  const ratio = result[name].perSecond / result.atOnce.perSecond
  return { rule, value: `${ratio.toFixed(2)} x`, pass: ratio >= least }
}

function below(name, most, value) {
  const rule = `${name} < ${most} ms`
  if (value === undefined) return { rule, value: 'not run', pass: null }
  return { rule, value: `${value} ms`, pass: value < most }
}

function atLeast(name, least, value) {
  const rule = `${name} >= ${number(least)}/s`
  if (value === undefined) return { rule, value: 'not run', pass: null }
  return { rule, value: `${number(value)}/s`, pass: value >= least }
}
