import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jitterOf } from './jitter.ts'

test('a job always has the same delay, within its jitter', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.integer({ min: 0, max: 86_400_000 }), (id, jitterMs) => {
      const movedMs = jitterOf(id, jitterMs)
      expect(jitterOf(id, jitterMs)).toBe(movedMs)
      expect(Number.isInteger(movedMs)).toBe(true)
      expect(movedMs).toBeGreaterThanOrEqual(0)
      if (jitterMs > 0) expect(movedMs).toBeLessThan(jitterMs)
      else expect(movedMs).toBe(0)
    }),
  )
})

test.for([
  ['random ids', () => randomUUID()],
  ['ids of one millisecond', idsOfOneMoment()],
] as const)('jobs with %s are spread evenly over the jitter', ([, id]) => {
  const tenths = Array.from({ length: 10 }, () => 0)
  for (let i = 0; i < 10_000; i++) {
    const at = Math.floor(jitterOf(id(), 60_000) / 6_000)
    tenths[at] = (tenths[at] as number) + 1
  }
  // An even share is 1,000, with a standard deviation of 30.
  for (const jobs of tenths) expect(Math.abs(jobs - 1_000)).toBeLessThan(200)
})

/** Ids as `RunIdSource` creates them: they share the time, and a counter follows it. */
function idsOfOneMoment(): () => string {
  let n = 0
  return () => {
    const tail = randomUUID().slice(-12)
    return `019a8c00-1234-7${(n++ % 4096).toString(16).padStart(3, '0')}-8000-${tail}`
  }
}
