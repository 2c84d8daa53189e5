/** Broken streams are reopened at their last position. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { Connection } from '../src/http/connection.ts'
import { follow } from '../src/http/follow.ts'

async function serve(answer: (response: ServerResponse, n: number) => void) {
  const requests: IncomingHttpHeaders[] = []
  const server = createServer((request, response) => {
    requests.push(request.headers)
    response.setHeader('content-type', 'text/event-stream')
    answer(response, requests.length)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((closed) => server.close(closed))
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { requests, connection: new Connection({ url, retryDelayMs: 1 }) }
}

test('a stream that is cut within an event resumes after the last complete one', async () => {
  const { requests, connection } = await serve((response, n) => {
    response.write(`retry: 1\nid: ${n}\ndata: ${n}\n\nid: lost\ndata: half`, () =>
      response.destroy(),
    )
  })
  const seen: string[] = []
  for await (const { data } of follow(connection, '/activity', {})) if (seen.push(data) === 3) break
  expect(seen).toEqual(['1', '2', '3'])
  expect(requests.map((headers) => headers['last-event-id'])).toEqual([undefined, '1', '2'])
  expect(requests[0]?.accept).toBe('text/event-stream')
})

test('a silent stream is reopened', async () => {
  const { requests, connection } = await serve((response, n) => {
    if (n === 1) response.write('retry: 1\n\n: and then nothing\n\n')
    else response.write('data: back\n\n')
  })
  // waits: 30 ms of silence.
  for await (const { data } of follow(connection, '/activity', { silenceMs: 30 })) {
    expect(data).toBe('back')
    break
  }
  expect(requests).toHaveLength(2)
})

test('the signal ends a stream, even a silent one', async () => {
  const leaving = new AbortController()
  const { connection } = await serve((response) => response.write('data: 1\n\n'))
  const following = follow(connection, '/activity', { signal: leaving.signal })
  expect((await following.next()).value).toMatchObject({ data: '1' })
  const next = following.next()
  leaving.abort(new Error('enough'))
  await expect(next).rejects.toThrow('enough')
})

test('a refusal ends the stream, because reconnecting would not help', async () => {
  const { requests, connection } = await serve((response) => {
    response.writeHead(403, { 'content-type': 'application/problem+json' })
    response.end(JSON.stringify({ code: 'forbidden', detail: 'No.' }))
  })
  const first = follow(connection, '/activity', {}).next()
  await expect(first).rejects.toMatchObject({ status: 403, code: 'forbidden' })
  expect(requests).toHaveLength(1)
})
