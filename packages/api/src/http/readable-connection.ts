/** Answers with secrets are sent over TLS only, or to a client on the same machine. */
import { BlockList } from 'node:net'
import { PunctualError } from '@punctual/core/errors'

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** Headers that proxies add. */
const BY_PROXIES = /^(?:forwarded|via|x-real-ip|x-forwarded-.*)$/

/** The prefix of IPv4 addresses on sockets that listen on both protocols. */
const MAPPED = /^::ffff:/i

function isLoopback(address = ''): boolean {
  const plain = address.replace(MAPPED, '')
  return loopback.check(plain, plain.includes(':') ? 'ipv6' : 'ipv4')
}

/** The parts of a request that show who can read its answer. */
interface Connection {
  readonly protocol: string
  readonly headers: Readonly<Record<string, unknown>>
  readonly socket: { readonly remoteAddress?: string | undefined }
}

/** A local proxy may forward a remote request: its headers count only where it is trusted. */
function isPrivate({ protocol, headers, socket }: Connection): boolean {
  if (protocol === 'https') return true
  const isForwarded = Object.keys(headers).some((name) => BY_PROXIES.test(name))
  return !isForwarded && isLoopback(socket.remoteAddress)
}

/** @throws `PunctualError` with `insecure_connection` when third parties could read the answer. */
export function refuseReadable(request: Connection): void {
  if (isPrivate(request)) return
  throw new PunctualError(
    'insecure_connection',
    'Secrets are sent over TLS only, or to a client on the same machine. Start the server with --tls-cert and --tls-key, or name in --trust-proxy the proxy that ends TLS and sends X-Forwarded-Proto.',
  )
}
