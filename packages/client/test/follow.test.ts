/** Streams that break: they are opened again where they ended. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { Connection } from '../src/http/connection.ts'
import { follow } from '../src/http/follow.ts'

async function serve(answer: (response: ServerResponse, n: number) => void) {
  const asked: IncomingHttpHeaders[] = []
  const server = createServer((request, response) => {
    asked.push(request.headers)
    response.setHeader('content-type', 'text/event-stream')
    answer(response, asked.length)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((closed) => server.close(closed))
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { asked, connection: new Connection({ url, retryDelayMs: 1 }) }
}

test('a stream that is cut within an event goes on after the last whole one', async () => {
  const { asked, connection } = await serve((response, n) => {
    response.write(`retry: 1\nid: ${n}\ndata: ${n}\n\nid: lost\ndata: half`, () =>
      response.destroy(),
    )
  })
  const seen: string[] = []
  for await (const { data } of follow(connection, '/activity', {})) if (seen.push(data) === 3) break
  expect(seen).toEqual(['1', '2', '3'])
  expect(asked.map((headers) => headers['last-event-id'])).toEqual([undefined, '1', '2'])
  expect(asked[0]?.accept).toBe('text/event-stream')
})

test('a stream on which nothing comes any more is opened again', async () => {
  const { asked, connection } = await serve((response, n) => {
    if (n === 1) response.write('retry: 1\n\n: and then nothing\n\n')
    else response.write('data: back\n\n')
  })
  // waits: 30 ms of silence.
  for await (const { data } of follow(connection, '/activity', { silenceMs: 30 })) {
    expect(data).toBe('back')
    break
  }
  expect(asked).toHaveLength(2)
})

test('it ends when it is not wanted any more, also while nothing comes', async () => {
  const leaving = new AbortController()
  const { connection } = await serve((response) => response.write('data: 1\n\n'))
  const following = follow(connection, '/activity', { signal: leaving.signal })
  expect((await following.next()).value).toMatchObject({ data: '1' })
  const next = following.next()
  leaving.abort(new Error('enough'))
  await expect(next).rejects.toThrow('enough')
})

test('a refusal ends it: coming back would not mend that', async () => {
  const { asked, connection } = await serve((response) => {
    response.writeHead(403, { 'content-type': 'application/problem+json' })
    response.end(JSON.stringify({ code: 'forbidden', detail: 'No.' }))
  })
  const first = follow(connection, '/activity', {}).next()
  await expect(first).rejects.toMatchObject({ status: 403, code: 'forbidden' })
  expect(asked).toHaveLength(1)
})
