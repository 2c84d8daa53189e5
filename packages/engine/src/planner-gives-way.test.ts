/** When a planner avoids the full second, and when it does not. */
import type { DueJob } from '@punctual/core/job'
import type { PlanStore } from '@punctual/core/ports'
import { ManualClock } from '@punctual/testkit'
import { expect, it } from 'vitest'
import { Planner } from './planner.ts'

/** A planner over a store that returns this time and this job. */
function planning(at: { nowMs: number; nextMs: number | null }) {
  const limits: number[] = []
  const store = {
    announcePlanner: async (id: string) => ({
      ...{ nowMs: at.nowMs, planners: [id], newerZoneData: null, anyJob: true },
    }),
    dueJobs: async ({ limit }: { limit: number }) => {
      limits.push(limit)
      const job = { id: 'a', tenantId: 1, timing: 1, nextMs: at.nextMs } as DueJob
      return at.nextMs === null ? [] : [job]
    },
    rules: async () => new Map(),
    calendars: async () => new Map(),
    setAside: async () => undefined,
    plan: async () => 0,
  } as unknown as PlanStore
  const planner = new Planner({
    ...{ store, clock: new ManualClock(), id: '1', aheadMs: 20_000, ttlMs: 7_000 },
    ...{ hintsArrive: () => true, givesWay: true },
  })
  return { planner, limits }
}

it('around a full second it rests, and then plans in small batches', async () => {
  const at = { nowMs: 50_500, nextMs: 70_000 }
  const { planner, limits } = planning(at)
  await planner.tick()
  const before = limits.length
  for (const [nowMs, restMs] of [
    [51_000, 120],
    [51_119, 1],
    [51_880, 240],
    [51_999, 121],
  ] as const) {
    at.nowMs = nowMs
    expect(await planner.tick()).toBe(restMs)
  }
  expect(limits).toHaveLength(before)
  at.nowMs = 52_120
  await planner.tick()
  expect(limits.slice(before)[0]).toBe(400)
})

it('a planner that is behind ignores full seconds and plans in large batches', async () => {
  const at = { nowMs: 50_500, nextMs: 53_000 }
  const { planner, limits } = planning(at)
  await planner.tick()
  at.nowMs = 51_000
  await planner.tick()
  expect(limits.length).toBeGreaterThan(1)
  expect(limits.every((limit) => limit === 2_000)).toBe(true)
})
