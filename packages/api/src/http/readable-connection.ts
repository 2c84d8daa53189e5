/** What nobody but the caller may read goes over TLS, or does not leave the machine. */
import { BlockList } from 'node:net'
import { PunctualError } from '@punctual/core/errors'
import type { FastifyRequest } from 'fastify'

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** What proxies add. */
const BY_PROXIES = /^(?:forwarded|via|x-real-ip|x-forwarded-.*)$/

/** As sockets that listen on both protocols write addresses of the older one. */
const MAPPED = /^::ffff:/i

function isLoopback(address = ''): boolean {
  const plain = address.replace(MAPPED, '')
  return loopback.check(plain, plain.includes(':') ? 'ipv6' : 'ipv4')
}

/** A proxy on this machine may have it from anywhere: what it says counts only where it is trusted. */
function isPrivate({ protocol, headers, socket }: FastifyRequest): boolean {
  if (protocol === 'https') return true
  const isForwarded = Object.keys(headers).some((name) => BY_PROXIES.test(name))
  return !isForwarded && isLoopback(socket.remoteAddress)
}

/** @throws `PunctualError` with `insecure_connection` when others could read the answer. */
export function refuseReadable(request: FastifyRequest): void {
  if (isPrivate(request)) return
  throw new PunctualError(
    'insecure_connection',
    'Secrets are given out over TLS only, or on the machine itself. Give the server --tls-cert and --tls-key, or --trust-proxy behind a proxy that ends TLS and says so (X-Forwarded-Proto).',
  )
}
