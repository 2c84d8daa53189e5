/** The commands of processes that send HTTP requests, or receive them. */
import { createServer } from 'node:http'

const TARGET_CHECK_MS = 5

export function calling(state) {
  let server
  return {
    /** Answers every request at once; returns the address. */
    listen: async () => {
      server = createServer((request, response) => {
        request.resume()
        request.on('end', () => response.end('ok'))
      })
      await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
      return { url: `http://127.0.0.1:${server.address().port}/` }
    },
    unlisten: () => {
      server.closeAllConnections()
      server.close()
    },
    /** Sends the same requests with undici alone. */
    requests: ({ url, count, concurrency }) => requests(url, count, concurrency),
    submitTargets: ({ url, count }) => state.client.submitTargets(url, count),
    /**
     * Performs submitted runs with an HTTP target until all are settled in the store. The worker
     * begins to claim when it is open.
     */
    drainTargets: async () => {
      const role = { work: true, profile: 'throughput', targets: true }
      state.client = await state.adapter.open(state.env, role)
      const startedAt = performance.now()
      while (!(await state.client.settled())) await sleep(TARGET_CHECK_MS)
      return { ms: performance.now() - startedAt }
    },
  }
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

async function requests(url, count, connections) {
  const { Pool } = await import('undici')
  const pool = new Pool(new URL(url).origin, { connections, pipelining: 1 })
  const body = JSON.stringify({ n: 1 })
  const headers = { 'content-type': 'application/json', 'idempotency-key': 'a' }
  let left = count
  const startedAt = performance.now()
  const lane = async () => {
    while (left-- > 0) {
      const answer = await pool.request({ method: 'POST', path: '/', headers, body })
      await answer.body.text()
    }
  }
  await Promise.all(Array.from({ length: connections }, lane))
  const ms = performance.now() - startedAt
  await pool.close()
  return { ms }
}
