/**
 * Addresses that no request may reach unless the operator allows it: loopback, private, link-local
 * (cloud metadata), shared, documentation, multicast and reserved ones, and those that embed an
 * IPv4 address which is one of them.
 */
import { BlockList, isIPv4, isIPv6 } from 'node:net'

const special4 = new BlockList()
for (const range of [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16'],
  ...['172.16.0.0/12', '192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16'],
  ...['198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
]) {
  const [network = '', bits = ''] = range.split('/')
  special4.addSubnet(network, Number(bits), 'ipv4')
}

/** All public unicast addresses are in 2000::/3. */
const unicast6 = new BlockList()
unicast6.addSubnet('2000::', 3, 'ipv6')

/** Within it: Teredo, benchmarking, ORCHID, documentation and 6to4, whose relays any network runs. */
const special6 = new BlockList()
special6.addSubnet('2001::', 23, 'ipv6')
special6.addSubnet('2001:db8::', 32, 'ipv6')
special6.addSubnet('2002::', 16, 'ipv6')
special6.addSubnet('3fff::', 20, 'ipv6')

const mapped = new BlockList()
mapped.addSubnet('::ffff:0:0', 96, 'ipv6')
const nat64 = new BlockList()
nat64.addSubnet('64:ff9b::', 96, 'ipv6')

export function isSpecialAddress(address: string): boolean {
  const plain = plainAddress(address)
  if (isIPv4(plain)) return special4.check(plain, 'ipv4')
  if (!isIPv6(plain)) return true
  if (nat64.check(plain, 'ipv6')) return special4.check(embedded4(plain), 'ipv4')
  return !unicast6.check(plain, 'ipv6') || special6.check(plain, 'ipv6')
}

/** Returns an IPv4 address that IPv6 writes as `::ffff:1.2.3.4` as such, and any other unchanged. */
export function plainAddress(address: string): string {
  const [plain = ''] = address.replace(/^\[|\]$/g, '').split('%')
  return isIPv6(plain) && mapped.check(plain, 'ipv6') ? embedded4(plain) : plain
}

/** The last 32 bits of an IPv6 address. */
function embedded4(address: string): string {
  // The URL parser writes every address in the same form, as in [::ffff:7f00:1].
  const { hostname } = new URL(`http://[${address}]`)
  const groups = hostname.slice(1, -1).split('::').join(':0:').split(':')
  const [high, low] = groups.slice(-2).map((group) => Number.parseInt(group || '0', 16))
  const bits = ((high ?? 0) << 16) | (low ?? 0)
  return [24, 16, 8, 0].map((shift) => (bits >>> shift) & 255).join('.')
}
