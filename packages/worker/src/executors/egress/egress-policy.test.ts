import { expect, test } from 'vitest'
import { EgressPolicy } from './egress-policy.ts'

test('an entry for a tenant opens nothing for the others', () => {
  const policy = new EgressPolicy(['localhost:*', 'acme=10.0.0.0/8:*', 'acme=[fd00::]/8'])
  const allows = (tenant: string | null, address: string) =>
    policy.rulesOf(tenant).allowsAddress(address, address, 80)
  expect(policy.namesTenants).toBe(true)
  expect(allows('acme', '10.0.0.1')).toBe(true)
  expect(allows('acme', 'fd00::1')).toBe(true)
  expect(allows('acme', '127.0.0.1')).toBe(true)
  expect(allows('rival', '10.0.0.1')).toBe(false)
  expect(allows('rival', '127.0.0.1')).toBe(true)
  expect(allows(null, '10.0.0.1')).toBe(false)
})

test('without an entry for a tenant, all have the same rules', () => {
  const policy = new EgressPolicy(['10.0.0.0/8'])
  expect(policy.namesTenants).toBe(false)
  expect(policy.rulesOf('acme')).toBe(policy.shared)
})

test('an invalid entry is refused for a tenant, too', () => {
  expect(() => new EgressPolicy(['acme=10.0.0.0/99'])).toThrow(/egressAllow must be/)
})
