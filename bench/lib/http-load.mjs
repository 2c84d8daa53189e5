/**
 * Sends single HTTP requests as fast as they are answered, on a fixed number of connections.
 * autocannon sends prepared bytes: a client of the product would cost more than the server.
 */
import { randomUUID } from 'node:crypto'
import autocannon from 'autocannon'

/**
 * @param {object} load url, key; a method, a path and a body; `keyed`: each request has
 *   another idempotency key; `named`: each body has another name; `connections` in flight,
 *   until `count` are answered
 */
export async function loadHttp({ url, key, method, path, body, keyed, named, connections, count }) {
  const headers = {
    authorization: `Bearer ${key}`,
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(keyed && { 'idempotency-key': '[<id>]' }),
  }
  let refusal
  const onResponse = (status, answer) => {
    if (status >= 300) refusal ??= `${status} ${answer}`
  }
  const setupRequest = (request) => withNewName(request, body)
  const startedAt = performance.now()
  let answeredAt = startedAt
  const run = autocannon({
    url: `${url}${path}`,
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
    idReplacement: keyed === true,
    requests: [{ ...(named && { setupRequest }), onResponse }],
    connections,
    amount: count,
    timeout: 30,
  })
  run.on('response', () => {
    answeredAt = performance.now()
  })
  const result = await run
  const failed = result.non2xx + result.errors + result.timeouts
  if (failed > 0) throw new Error(`${failed} of ${count} requests to ${path} failed: ${refusal}`)
  return {
    perSecond: Math.round((count / (answeredAt - startedAt)) * 1_000),
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
  }
}

/** autocannon can number a body itself, but counts the length of the number wrongly. */
function withNewName(request, body) {
  return { ...request, body: JSON.stringify({ ...body, name: `job ${randomUUID()}` }) }
}
