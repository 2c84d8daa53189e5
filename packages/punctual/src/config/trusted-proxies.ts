/**
 * The setting `trustProxy`. It cannot be `true`: a client could then claim any address, and so
 * escape the limits per address.
 */
import { isIP } from 'node:net'
import type { TrustedProxies } from '@punctual/api'
import { type Kind, whole } from './kinds.ts'

export type { TrustedProxies }

const PROXIES_MAX = 10
const count = whole(0, PROXIES_MAX)
const OFF = new Set(['false', 'off', 'no'])
const PREFIX_MAX: Readonly<Record<number, number>> = { 4: 32, 6: 128 }

/** An IP address, or a range of them such as 10.0.0.0/8. */
function isNetwork(value: unknown): value is string {
  if (typeof value !== 'string') return false
  const [address = '', prefix, ...more] = value.split('/')
  const prefixMax = PREFIX_MAX[isIP(address)]
  if (prefixMax === undefined || more.length > 0) return false
  return prefix === undefined || whole(1, prefixMax).fromText(prefix) !== undefined
}

function networks(values: readonly unknown[]): readonly string[] | undefined {
  return values.length > 0 && values.every(isNetwork) ? values : undefined
}

/** No proxy is the same as none that is trusted. */
function counted(number: number | undefined): TrustedProxies | undefined {
  return number === 0 ? false : number
}

export const trustedProxies: Kind<TrustedProxies> = {
  expected: `the number of proxies in front (1 to ${PROXIES_MAX}), or their addresses and CIDR ranges with commas (127.0.0.1,10.0.0.0/8), or false; true would trust every client`,
  placeholder: 'proxies',
  fromText: (value) =>
    OFF.has(value.toLowerCase())
      ? false
      : (counted(count.fromText(value)) ?? networks(value.split(',').map((part) => part.trim()))),
  fromJson: (value) => {
    if (value === false) return false
    return counted(count.fromJson(value)) ?? networks(Array.isArray(value) ? value : [value])
  },
}
