import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { refuseReadable } from './readable-connection.ts'
import { trusting } from './trusted-proxies.ts'

function checking(remoteAddress: string, headers: Record<string, string> = {}, protocol = 'http') {
  return () => refuseReadable({ protocol, headers, socket: { remoteAddress } })
}

test.for(['127.0.0.1', '127.8.9.10', '::1', '::ffff:127.0.0.1'])(
  'secrets are sent to the loopback address %s',
  (address) => {
    expect(checking(address)).not.toThrow()
  },
)

test.for(['10.0.0.7', '::ffff:10.0.0.7', '2001:db8::1', '128.0.0.1', ''])(
  'secrets are sent to %s over TLS only',
  (address) => {
    expect(checking(address)).toThrow(expect.objectContaining({ code: 'insecure_connection' }))
    expect(checking(address, {}, 'https')).not.toThrow()
  },
)

test.for(['forwarded', 'x-forwarded-for', 'x-forwarded-proto', 'x-real-ip', 'via'])(
  'a request that a local proxy forwarded (header %s) does not count as local',
  (name) => {
    const header = { [name]: '10.0.0.7' }
    expect(checking('127.0.0.1', header)).toThrow(/--trust-proxy/)
    expect(checking('127.0.0.1', header, 'https')).not.toThrow()
  },
)

test.for([
  [1, 'https', 200],
  [1, 'http', 500],
  [['127.0.0.0/8'], 'https', 200],
  [['10.0.0.0/8'], 'https', 500],
  [false, 'https', 500],
] as const)(
  'with trustProxy %j and a forwarded %s, the answer is %s',
  async ([trustProxy, proto, status]) => {
    const app = Fastify({ trustProxy: trusting(trustProxy) })
    app.get('/', async (request) => refuseReadable(request) ?? 'sent')
    const headers = { 'x-forwarded-proto': proto, 'x-forwarded-for': '10.0.0.7' }
    expect((await app.inject({ url: '/', headers })).statusCode).toBe(status)
  },
)
