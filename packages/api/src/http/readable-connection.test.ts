import Fastify, { type FastifyRequest } from 'fastify'
import { expect, test } from 'vitest'
import { refuseReadable } from './readable-connection.ts'

function asked(remoteAddress: string, headers: Record<string, string> = {}, protocol = 'http') {
  return () => refuseReadable({ protocol, headers, socket: { remoteAddress } } as FastifyRequest)
}

test.for(['127.0.0.1', '127.8.9.10', '::1', '::ffff:127.0.0.1'])('%s is told', (address) => {
  expect(asked(address)).not.toThrow()
})

test.for(['10.0.0.7', '::ffff:10.0.0.7', '2001:db8::1', '128.0.0.1', ''])(
  '%s is told over TLS only',
  (address) => {
    expect(asked(address)).toThrow(expect.objectContaining({ code: 'insecure_connection' }))
    expect(asked(address, {}, 'https')).not.toThrow()
  },
)

test.for(['forwarded', 'x-forwarded-for', 'x-forwarded-proto', 'x-real-ip', 'via'])(
  'what comes through a proxy on this machine (%s) does not come from it',
  (name) => {
    const header = { [name]: '10.0.0.7' }
    expect(asked('127.0.0.1', header)).toThrow(/--trust-proxy/)
    expect(asked('127.0.0.1', header, 'https')).not.toThrow()
  },
)

test.for([
  [true, 'https', 200],
  [true, 'http', 500],
  [false, 'https', 500],
] as const)('of a proxy that is trusted: %s, and says %s', async ([trustProxy, proto, status]) => {
  const app = Fastify({ trustProxy })
  app.get('/', async (request) => refuseReadable(request) ?? 'told')
  const headers = { 'x-forwarded-proto': proto, 'x-forwarded-for': '10.0.0.7' }
  expect((await app.inject({ url: '/', headers })).statusCode).toBe(status)
})
