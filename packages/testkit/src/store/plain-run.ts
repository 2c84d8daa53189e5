/** A claimed run reads its properties from the answer of its claim: its object has none. */
import type { ClaimedRun } from '@punctual/core/ports'

/** A copy with properties, which a test can spread and compare. */
export function plainRun(run: ClaimedRun): ClaimedRun {
  const { id, fence, lane, tenantId, handler, queue, priority, weight, limited, attempt } = run
  const { crashes, traits, jobId, gate, expiresInMs, maxAttempts, timeoutMs, payload } = run
  const { policy, trace, dueMs, slotMs, missedFromMs } = run
  return {
    ...{ id, fence, lane, tenantId, handler, queue, priority, weight, limited, attempt },
    ...{ crashes, traits, jobId, gate, expiresInMs, maxAttempts, timeoutMs, payload },
    ...{ policy, trace, dueMs, slotMs, missedFromMs },
  }
}
