/** The name of the database leads to more than one address, or to another one than a moment ago. */
import dns from 'node:dns'
import { compileOptions } from '@punctual/core/submit'
import { PostgresStore, systemClock, systemRandom } from '@punctual/store'
import { TestStore } from '@punctual/testkit'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'

const NAME = 'database.test'
/** Loopback as well, and nobody listens there. */
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

type Answer = (error: Error | null, addresses: { address: string; family: number }[]) => void

/** Names are looked up here; returns what was answered, call by call. */
function resolving(addresses: (asked: number) => readonly string[]): string[][] {
  const answered: string[][] = []
  const look = (name: string, options: { all?: boolean }, answer: Answer) => {
    const found = [...addresses(answered.length)]
    expect([name, options.all]).toEqual([NAME, true])
    answered.push(found)
    const all = found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
    process.nextTick(() => answer(null, all))
  }
  vi.spyOn(dns, 'lookup').mockImplementation(look as unknown as typeof dns.lookup)
  return answered
}

const submit = () => store.submit([{ options: compileOptions('test'), payload: '1' }])

it('is asked again while it leads to the old address after a fail-over (case 78)', async () => {
  const answered = resolving((asked) => (asked < 3 ? [OLD] : [IPV4]))
  const [run] = await submit()
  expect(await t.places(run?.id as string)).toEqual(['queue'])
  expect(answered.length).toBeGreaterThan(3)
})

it('has an address that is IPv6 and dead before one that is not (case 79)', async () => {
  resolving(() => [IPV6, IPV4])
  const [run] = await submit()
  expect(await t.places(run?.id as string)).toEqual(['queue'])
})
