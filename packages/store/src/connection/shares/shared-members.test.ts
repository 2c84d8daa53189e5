import { expect, test } from 'vitest'
import { FairShares, type Party } from './fair-shares.ts'
import { SharedMembers } from './shared-members.ts'

const settled = () => new Promise((resolve) => setImmediate(resolve))

/** Calls that end when the test lets them, with the member that each got. */
function callsOn(members: readonly string[]) {
  const shares = new FairShares({ permits: members.length, permitsOfTenant: 1 })
  const shared = new SharedMembers(members, shares)
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const call = (party: Party, name: string) =>
    shared.with(party, (member) => {
      begun.push(`${name} on ${member}`)
      return new Promise<void>((resolve) => ends.set(name, resolve))
    })
  const end = async (name: string) => {
    ends.get(name)?.()
    await settled()
  }
  return { begun, call, end }
}

test('the calls of one tenant share a member, and those of another get a different one', async () => {
  const { begun, call } = callsOn(['x', 'y', 'z'])
  void call(1, 'a')
  await settled()
  void call(1, 'b')
  void call(2, 'c')
  await settled()
  expect(begun).toEqual(['a on x', 'b on x', 'c on y'])
})

test('a member is free for another tenant only when all calls on it have ended', async () => {
  const { begun, call, end } = callsOn(['x'])
  void call(1, 'a')
  await settled()
  void call(1, 'b')
  await settled()
  void call(2, 'c')
  await end('a')
  expect(begun).toEqual(['a on x', 'b on x'])
  await end('b')
  expect(begun).toEqual(['a on x', 'b on x', 'c on x'])
})

test('a tenant that has a member waits for its turn while another tenant waits', async () => {
  const { begun, call, end } = callsOn(['x'])
  void call(1, 'a')
  await settled()
  void call(2, 'b')
  await settled()
  // Otherwise the tenant that has the member could keep it with one call after another.
  void call(1, 'c')
  await end('a')
  expect(begun).toEqual(['a on x', 'b on x'])
  await end('b')
  expect(begun).toEqual(['a on x', 'b on x', 'c on x'])
})
