/** The row that a run with a key of flow control has until it ends. */
import { traits } from '@punctual/core/run'
import type { MemoryDatabase } from '../tables/memory-database.ts'
import type { StoredFlow } from '../tables/rows.ts'

export function insertGated(
  db: MemoryDatabase,
  runId: string,
  bits: number,
  flow: StoredFlow | null,
): void {
  if ((bits & traits.gated) === 0) return
  db.gated.insert(runId, {
    ...{ runId, gate: flow?.gate ?? null, gateLimit: flow?.concurrency?.limit ?? null },
    ...{ rate: flow?.rateGate ?? null, rateIntervalUs: flow?.rateIntervalUs ?? 0 },
    ...{ rateBurst: flow?.rate?.burst ?? 0, bookedUs: null },
  })
}
