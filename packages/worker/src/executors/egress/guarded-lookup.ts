/**
 * Resolves the host of a request and lets the connection use only addresses that the rules allow.
 * The connection takes the addresses from here, so that a second answer of DNS cannot replace them.
 */
import { lookup as systemLookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { type EgressRules, hostName } from './egress-rules.ts'

/** Resolves a name to all of its addresses. */
export type Resolve = (
  host: string,
  callback: (
    error: NodeJS.ErrnoException | null,
    addresses: readonly { readonly address: string; readonly family: number }[],
  ) => void,
) => void

export const systemResolve: Resolve = (host, callback) =>
  systemLookup(host, { all: true }, (error, addresses) => callback(error, addresses ?? []))

/** The rules do not allow a request; nothing was sent. */
export class EgressRefused extends Error {
  override readonly name = 'TargetError'
  readonly code = 'egress_refused'
}

export function refusedAddress(host: string, address: string): EgressRefused {
  const where = hostName(host) === address ? address : `${host}, which resolves to ${address}`
  return new EgressRefused(
    `The request to ${where} is refused: private and special addresses are closed to targets. The operator opens them with --egress-allow (PUNCTUAL_EGRESS_ALLOW).`,
  )
}

/** Refuses what can be refused before the host is resolved. */
export function checkUrl(url: URL, rules: EgressRules): void {
  const host = hostName(url.hostname)
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new EgressRefused(`The request to ${url.protocol} is refused: use http: or https:.`)
  if (url.username !== '' || url.password !== '')
    throw new EgressRefused(
      'The request is refused: its URL contains a user name or password. Send them in the header Authorization.',
    )
  const port = portOf(url)
  if (!rules.allowsPort(host, port))
    throw new EgressRefused(
      `The request to port ${port} of ${host} is refused: 80, 443, 8080 and 8443 are open to targets. The operator opens others with --egress-allow (PUNCTUAL_EGRESS_ALLOW).`,
    )
  // A connection to an address needs no lookup, which would check it.
  if (isIP(host) !== 0 && !rules.allowsAddress(host, host, port)) throw refusedAddress(host, host)
}

export function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)
}

/** One address that is not allowed refuses all: a mixed answer is an attempt to get past the rules. */
export function guardedLookup(rules: EgressRules, port: number, resolve: Resolve): LookupFunction {
  return (host, { all }, callback) => {
    resolve(host, (error, addresses) => {
      const [first] = addresses
      const wrong = addresses.find(({ address }) => !rules.allowsAddress(host, address, port))
      if (error) callback(error, [])
      else if (wrong) callback(refusedAddress(host, wrong.address), [])
      else if (first === undefined) callback(notFound(host), [])
      else if (all) callback(null, [...addresses])
      else callback(null, first.address, first.family)
    })
  }
}

function notFound(host: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${host} has no address`), { code: 'ENOTFOUND' })
}
