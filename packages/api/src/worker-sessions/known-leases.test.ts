import type { ClaimedRun } from '@punctual/core/ports'
import { expect, it } from 'vitest'
import { bare, KnownLeases } from './known-leases.ts'

const lease = {
  ...{ lane: 1, tenantId: 1, handler: 'h', queue: 'default', priority: 5, weight: 1 },
  ...{ limited: false, attempt: 0, crashes: 0, traits: 0, jobId: null, gate: null },
}
const run = (id: string, fence: bigint): ClaimedRun => ({
  ...bare({ ...lease, id, fence }),
  payload: '{"large":1}',
})
const named = (run_id: string, fence: bigint) => ({ run_id, fence: String(fence) })

it('returns a lease once, to the session that claimed it and under its fence only', () => {
  const leases = new KnownLeases()
  leases.add('1', [run('a', 7n), run('b', 8n)])
  expect(leases.take('2', [named('a', 7n)])).toEqual({ known: new Map(), others: ['a'] })
  const { known, others } = leases.take('1', [named('a', 7n), named('b', 9n), named('c', 1n)])
  expect([...known.keys()]).toEqual(['a'])
  expect(others, 'a later claim of the same run is looked up').toEqual(['b', 'c'])
  expect(leases.take('1', [named('a', 7n), named('b', 8n)]).others).toEqual(['a', 'b'])
})

it('stores no payload', () => {
  const leases = new KnownLeases()
  leases.add('1', [run('a', 7n)])
  expect(leases.take('1', [named('a', 7n)]).known.get('a')?.payload).toBe('null')
})

it('counts a run that is named twice as one', () => {
  const leases = new KnownLeases()
  leases.add('1', [run('a', 7n)])
  const { known, others } = leases.take('1', [named('a', 7n), named('a', 7n)])
  expect([known.size, others]).toEqual([1, []])
})

it('forgets all leases rather than exceed its limit', () => {
  const leases = new KnownLeases(2)
  leases.add('1', [run('a', 7n), run('b', 8n)])
  leases.add('2', [run('c', 9n)])
  expect(leases.take('1', [named('a', 7n)]).known.size).toBe(0)
  expect(leases.take('2', [named('c', 9n)]).known.size).toBe(1)
})
