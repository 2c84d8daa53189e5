/**
 * The host name of the database resolves to several addresses, or to a new one after a failover.
 */
import dns from 'node:dns'
import { compileOptions } from '@punctual/core/submit'
import { PostgresStore, systemClock, systemRandom } from '@punctual/store'
import { TestStore } from '@punctual/testkit'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'

const NAME = 'database.test'
/** Also loopback, with no server listening. */
const OLD = '127.0.0.9'
const [IPV4, IPV6] = ['127.0.0.1', '::1']

let t: TestStore
let store: PostgresStore
beforeEach(async () => {
  t = await TestStore.open()
  const url = new URL(t.url)
  url.hostname = NAME
  const ports = { clock: systemClock, random: systemRandom, node: 'n' }
  store = new PostgresStore({ url: url.href, ...ports })
})
afterEach(async () => {
  vi.restoreAllMocks()
  await store.close()
  await t.close()
})

type LookupCallback = (
  error: Error | null,
  addresses: { address: string; family: number }[],
) => void

/** Mocks DNS lookups; returns the addresses of each answer. */
function resolving(addresses: (lookups: number) => readonly string[]): string[][] {
  const answered: string[][] = []
  const lookup = (name: string, options: { all?: boolean }, callback: LookupCallback) => {
    const found = [...addresses(answered.length)]
    expect([name, options.all]).toEqual([NAME, true])
    answered.push(found)
    const all = found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
    process.nextTick(() => callback(null, all))
  }
  vi.spyOn(dns, 'lookup').mockImplementation(lookup as unknown as typeof dns.lookup)
  return answered
}

const submit = () => store.submit([{ options: compileOptions('test'), payload: '1' }])

it('the host name is resolved again while it has the old address after a failover (case 78)', async () => {
  const answered = resolving((lookups) => (lookups < 3 ? [OLD] : [IPV4]))
  const [run] = await submit()
  expect(await t.places(run?.id as string)).toEqual(['queue'])
  expect(answered.length).toBeGreaterThan(3)
})

it('a dead IPv6 address before a working IPv4 address is skipped (case 79)', async () => {
  resolving(() => [IPV6, IPV4])
  const [run] = await submit()
  expect(await t.places(run?.id as string)).toEqual(['queue'])
})
