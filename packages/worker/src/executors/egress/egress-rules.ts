/**
 * Which hosts, addresses and ports the requests of targets may reach. Public addresses are open on
 * the ports of HTTP; everything else is closed until the operator names it, as in
 * `localhost:*,10.0.0.0/8,hooks.example.com:9000`.
 */
import { BlockList, isIP } from 'node:net'
import { PunctualError } from '@punctual/core/errors'
import { isSpecialAddress, plainAddress } from './special-addresses.ts'

/** The ports that are open by default. */
const HTTP_PORTS: ReadonlySet<number> = new Set([80, 443, 8080, 8443])

interface Entry {
  /** Whether it covers a host as the URL names it. */
  readonly names: (host: string) => boolean
  /** Whether it covers an address, whichever name leads to it. */
  readonly covers: (address: string) => boolean
  /** Null: the ports that are open by default. */
  readonly port: number | '*' | null
}

const ENTRY = /^(\[[0-9a-f:.]+\](?:\/\d+)?|[^:\s]+)(?::(\*|\d{1,5}))?$/i

export class EgressRules {
  readonly #entries: readonly Entry[]

  /** @throws `PunctualError` with `invalid_config` */
  constructor(allowed: readonly string[]) {
    this.#entries = allowed.flatMap(entriesOf)
  }

  /** Whether a request to this host, as its URL names it, may use the port. */
  allowsPort(host: string, port: number): boolean {
    if (HTTP_PORTS.has(port)) return true
    const name = hostName(host)
    // An address that a name leads to is known later; `allowsAddress` checks it with the port.
    return this.#entries.some(
      (entry) =>
        opens(entry, port) && (entry.names(name) || isIP(name) === 0 || entry.covers(name)),
    )
  }

  /** Whether a request to this host may connect to the address. */
  allowsAddress(host: string, address: string, port: number): boolean {
    const plain = plainAddress(address)
    const name = hostName(host)
    const opened = this.#entries.some(
      (entry) => opens(entry, port) && (entry.names(name) || entry.covers(plain)),
    )
    return opened || (HTTP_PORTS.has(port) && !isSpecialAddress(plain))
  }
}

function opens({ port }: Entry, wanted: number): boolean {
  return port === '*' || (port === null ? HTTP_PORTS.has(wanted) : port === wanted)
}

/** The host of a URL without brackets and without the dot at its end. */
export function hostName(host: string): string {
  return host
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase()
}

function entriesOf(text: string): Entry[] {
  const [, target, portText] = ENTRY.exec(text.trim()) ?? []
  if (target === undefined) return refuse(text)
  const port = portText === undefined ? null : portText === '*' ? '*' : Number(portText)
  if (typeof port === 'number' && (port < 1 || port > 65_535)) return refuse(text)
  if (target === '*') return [{ names: () => true, covers: () => true, port }]
  if (target === 'localhost')
    return ['127.0.0.0/8', '[::1]'].map((each) => ({
      ...networkOf(each, text),
      names: (host) => host === 'localhost',
      port,
    }))
  if (target.startsWith('[') || isIP(target.split('/')[0] ?? '') !== 0)
    return [{ names: () => false, ...networkOf(target, text), port }]
  if (target.includes('/')) return refuse(text)
  const suffix = target.toLowerCase()
  const names = suffix.startsWith('*.')
    ? (host: string) => host.endsWith(suffix.slice(1))
    : (host: string) => host === hostName(suffix)
  return [{ names, covers: () => false, port }]
}

function networkOf(network: string, text: string): Pick<Entry, 'covers'> {
  const [address = '', bits] = network.replace(/[[\]]/g, '').split('/')
  const version = isIP(address)
  const width = version === 4 ? 32 : 128
  const length = bits === undefined ? width : Number(bits)
  if (version === 0 || !Number.isInteger(length) || length < 0 || length > width) refuse(text)
  const family = version === 4 ? 'ipv4' : 'ipv6'
  const list = new BlockList()
  list.addSubnet(address, length, family)
  return { covers: (other) => isIP(other) === version && list.check(other, family) }
}

function refuse(text: string): never {
  throw new PunctualError(
    'invalid_config',
    `egressAllow must be a list of hosts, addresses and networks with an optional port, such as localhost:*, 10.0.0.0/8 or hooks.example.com:9000; got ${JSON.stringify(text.slice(0, 80))}.`,
    { field: 'egressAllow' },
  )
}
