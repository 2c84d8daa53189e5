/** Targets that misbehave: a raw server on loopback writes whatever a test asks for. */

import type { AddressInfo } from 'node:net'
import { createServer, type Server, type Socket } from 'node:net'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { HttpTarget } from '@punctual/core/target'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { performOnce } from '../../../test/executors/http-peer.ts'
import { recordedCall } from '../../../test/executors/recorded-call.ts'

let server: Server
let url: string
let requests: number
let respond: (socket: Socket, head: string) => void
const sockets = new Set<Socket>()
const timers = new Set<NodeJS.Timeout>()

beforeEach(async () => {
  requests = 0
  server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('close', () => sockets.delete(socket))
    socket.on('data', (chunk) => {
      const head = chunk.toString('latin1')
      if (!/^[A-Z]+ \S+ HTTP/.test(head)) return
      requests++
      respond(socket, head)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
})
afterEach(async () => {
  for (const timer of timers) clearInterval(timer)
  for (const socket of sockets) socket.destroy()
  await new Promise((resolve) => server.close(resolve))
})

const writes = (...parts: (string | Buffer)[]) => {
  respond = (socket) => {
    for (const part of parts) socket.write(part)
  }
}
const ok = (body: string | Buffer, headers = '') => [
  `HTTP/1.1 200 OK\r\ncontent-length: ${Buffer.byteLength(body)}\r\n${headers}\r\n`,
  body,
]
/** Writes repeatedly until the connection ends. */
const drips = (socket: Socket, text: string) => {
  const timer = setInterval(() => socket.destroyed || socket.write(text), 5)
  timers.add(timer)
}
const perform = (more: Partial<HttpTarget> = {}, timeoutMs = 5_000) =>
  performOnce({ kind: 'http', url, ...more }, { call: recordedCall({ timeoutMs }) })

describe('a response that is slow (case 135)', () => {
  test('without headers ends at the headers timeout, and may have been received', async () => {
    respond = () => undefined
    expect(await perform({ headersTimeoutMs: 50 })).toMatchObject({
      ...{ kind: 'failed', reached: 'perhaps', failure: { code: 'headers_timeout' } },
    })
  })

  test('that sends a byte at a time in its headers ends at the total timeout', async () => {
    respond = (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nx: ')
      drips(socket, 'a')
    }
    expect(await perform({ totalTimeoutMs: 100 })).toMatchObject({
      ...{ kind: 'failed', reached: 'perhaps', failure: { code: 'total_timeout' } },
    })
  })

  test('whose body pauses is judged by its status, and its body is marked as cut', async () => {
    writes('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nbegin')
    expect(await perform({ idleTimeoutMs: 50 })).toEqual({
      ...{ kind: 'succeeded', output: { status: 200, body: 'begin', truncated: true } },
    })
  })

  test('whose body never ends is read up to the limit or the total timeout', async () => {
    respond = (socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n')
      drips(socket, '1\r\nx\r\n')
    }
    expect(await perform({ totalTimeoutMs: 150 })).toMatchObject({ output: { truncated: true } })
    const cut = await perform({ responseBytes: 3 })
    expect(cut).toMatchObject({ output: { body: 'xxx', truncated: true } })
  })

  test('that announces itself for ever with 1xx ends at the total timeout', async () => {
    respond = (socket) => drips(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n')
    expect(await perform({ totalTimeoutMs: 100 })).toMatchObject({ reached: 'perhaps' })
  })
})

test('a header beyond the limit is refused (case 135)', async () => {
  writes(`HTTP/1.1 200 OK\r\nx: ${'a'.repeat(100_000)}\r\ncontent-length: 0\r\n\r\n`)
  expect(await perform()).toMatchObject({ kind: 'failed', reached: 'perhaps' })
})

describe('a response that is large (case 136)', () => {
  test('is read up to the limit, and its connection is closed', async () => {
    let written = 0
    respond = (socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n')
      const pour = () => {
        while (!socket.destroyed && socket.write(`10000\r\n${'x'.repeat(65_536)}\r\n`)) written++
      }
      socket.on('drain', pour)
      pour()
    }
    const outcome = await perform({ responseBytes: 1_000 })
    expect(outcome).toMatchObject({ output: { body: 'x'.repeat(1_000), truncated: true } })
    await expect.poll(() => sockets.size).toBe(0)
    expect(written).toBeLessThan(1_000)
  })

  test('is not decoded unless the target asks for it', async () => {
    const packed = gzipSync('hello')
    writes(...ok(packed, 'content-encoding: gzip\r\n'))
    const outcome = await perform()
    expect(outcome).not.toMatchObject({ output: { body: 'hello' } })
    respond = (socket, head) => {
      expect(head).toMatch(/accept-encoding: gzip, deflate, br/i)
      for (const part of ok(packed, 'content-encoding: gzip\r\n')) socket.write(part)
    }
    expect(await perform({ decompress: true })).toMatchObject({ output: { body: 'hello' } })
  })

  test.each([
    ['gzip', gzipSync(Buffer.alloc(200_000_000, 'x'))],
    ['br', brotliCompressSync(Buffer.alloc(20_000_000, 'x'))],
  ] as const)('that %s makes small counts as what it decodes to', async (encoding, packed) => {
    writes(...ok(packed, `content-encoding: ${encoding}\r\n`))
    const outcome = await perform({ decompress: true, responseBytes: 10 })
    expect(outcome).toMatchObject({ output: { body: 'xxxxxxxxxx', truncated: true } })
  })

  test('with stacked or broken encodings is not decoded further', async () => {
    writes(...ok(gzipSync(gzipSync('a')), 'content-encoding: gzip, gzip\r\n'))
    expect(await perform({ decompress: true })).toMatchObject({ kind: 'succeeded' })
    writes(...ok('not gzip', 'content-encoding: gzip\r\n'))
    expect(await perform({ decompress: true })).toMatchObject({
      ...{ kind: 'succeeded', output: { truncated: true } },
    })
  })
})

describe('a redirect (case 133)', () => {
  const to = (location: string, status = 302) =>
    writes(`HTTP/1.1 ${status} Found\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`)

  test('is a failure by default', async () => {
    to('/elsewhere')
    expect(await perform()).toMatchObject({ kind: 'failed', retry: false, reached: 'yes' })
    expect(requests).toBe(1)
  })

  test.each([
    'http://169.254.169.254/',
    'https://example.com/',
    'file:///etc/passwd',
    'http://127.0.0.1:1/',
  ])('to another origin, %s, is never followed', async (location) => {
    to(location, 307)
    expect(await perform({ redirects: 5 })).toMatchObject({ failure: { code: 'http_307' } })
    expect(requests).toBe(1)
  })

  test('within the origin is followed as often as the target says', async () => {
    to('/again')
    expect(await perform({ redirects: 3 })).toMatchObject({ kind: 'failed' })
    expect(requests).toBe(4)
  })

  test('after 302 becomes a GET without the body; after 307 the request is repeated', async () => {
    const heads: string[] = []
    const redirecting = (status: number) => (socket: Socket, head: string) => {
      heads.push(head.split('\r\n')[0] ?? '')
      if (head.includes(' /end ')) for (const part of ok('end')) socket.write(part)
      else socket.write(`HTTP/1.1 ${status} Go\r\nlocation: /end\r\ncontent-length: 0\r\n\r\n`)
    }
    respond = redirecting(302)
    expect(await perform({ redirects: 1 })).toMatchObject({ kind: 'succeeded' })
    respond = redirecting(307)
    expect(await perform({ redirects: 1 })).toMatchObject({ kind: 'succeeded' })
    expect(heads.map((head) => head.split(' ').slice(0, 2).join(' '))).toEqual([
      ...['POST /', 'GET /end', 'POST /', 'POST /end'],
    ])
  })
})

describe('a response that is not HTTP (case 139)', () => {
  test.each([
    ['a status line that is malformed', 'HTTP/1.1 abc\r\n\r\n'],
    ['HTTP/0.9', '<html>hello</html>'],
    ['a line of another protocol', '220 smtp.example.com ESMTP\r\n'],
    [
      'two lengths that differ',
      'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n',
    ],
  ])('%s leaves it unknown what the target did', async (_, text) => {
    respond = (socket) => void socket.end(text)
    expect(await perform()).toMatchObject({ kind: 'failed', reached: 'perhaps' })
  })

  test('a body after 204 is not read as its body', async () => {
    writes('HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 500 Oops\r\n\r\n')
    expect(await perform()).toMatchObject({ kind: 'succeeded', output: { status: 204, body: '' } })
  })

  test('a body that ends early is judged by its status', async () => {
    respond = (socket) => void socket.end('HTTP/1.1 500 Oops\r\ncontent-length: 10\r\n\r\nabc')
    expect(await perform()).toMatchObject({ failure: { code: 'http_500' }, reached: 'yes' })
  })
})

test('a connection that closes as the request is written is not tried again here (case 140)', async () => {
  respond = (socket) => void socket.destroy()
  expect(await perform()).toMatchObject({ kind: 'failed', reached: 'perhaps' })
  expect(requests).toBe(1)
})

test.each([
  [502, 'perhaps'],
  [504, 'perhaps'],
  [500, 'yes'],
  [404, 'yes'],
] as const)('after %i the target was reached: %s', async (status, reached) => {
  writes(`HTTP/1.1 ${status} Oops\r\ncontent-length: 0\r\n\r\n`)
  expect(await perform()).toMatchObject({ kind: 'failed', reached })
})

test.each([
  [400, false],
  [408, true],
  [425, true],
  [429, true],
  [500, true],
  [501, true],
  [410, false],
] as const)('after %i a retry: %s', async (status, retry) => {
  writes(`HTTP/1.1 ${status} Oops\r\ncontent-length: 0\r\n\r\n`)
  expect(await perform()).toMatchObject({ kind: 'failed', retry })
})

test('a target that names other statuses is judged by these', async () => {
  writes('HTTP/1.1 404 Gone\r\ncontent-length: 0\r\n\r\n')
  expect(await perform({ success: { status: '200-299,404' } })).toMatchObject({ kind: 'succeeded' })
  expect(await perform({ retryStatus: '404' })).toMatchObject({ retry: true })
})

test('a success whose body says otherwise is a failure (case 144)', async () => {
  writes(...ok('{"error":"no credit"}'))
  expect(await perform({ success: { bodyExcludes: '"error"' } })).toMatchObject({
    ...{ kind: 'failed', reached: 'yes', failure: { code: 'response_body' } },
  })
  expect(await perform({ success: { bodyContains: '"ok"' } })).toMatchObject({ kind: 'failed' })
  expect(await perform({ success: { bodyContains: 'credit' } })).toMatchObject({
    kind: 'succeeded',
  })
})

test('a payload that would add a header, a host or a path does not (case 138)', async () => {
  const payload = { evil: 'x\r\nhost: evil', path: '../../admin?a=b#c', host: '@169.254.169.254/' }
  const call = recordedCall({ payload })
  const target = (more: Partial<HttpTarget>): HttpTarget => ({ kind: 'http', url, ...more })
  await expect(
    performOnce(target({ headers: { 'X-Evil': '{{payload.evil}}' } }), { call }),
  ).rejects.toMatchObject({ code: 'target_header_invalid' })
  let line = ''
  respond = (socket, head) => {
    line = head.split('\r\n')[0] ?? ''
    for (const part of ok('')) socket.write(part)
  }
  await performOnce(target({ url: `${url}a/{{payload.path}}{{payload.host}}` }), { call })
  expect(line).toBe('POST /a/..%2F..%2Fadmin%3Fa%3Db%23c%40169.254.169.254%2F HTTP/1.1')
  expect(requests).toBe(1)
})

test('variables that name a proxy are not followed (case 134)', async () => {
  process.env.HTTP_PROXY = process.env.http_proxy = 'http://127.0.0.1:1'
  try {
    writes(...ok('direct'))
    expect(await perform()).toMatchObject({ output: { body: 'direct' } })
  } finally {
    delete process.env.HTTP_PROXY
    delete process.env.http_proxy
  }
})
