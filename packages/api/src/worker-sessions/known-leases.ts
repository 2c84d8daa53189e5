/**
 * The runs that claims of this node returned, so that settling them need not read them again. This
 * is only a cache: a session may be served by another node meanwhile, and whether a lease is still
 * held is decided by its fence when it is settled.
 */
import type { ClaimedRun, Lease } from '@punctual/core/ports'

const MOST = 50_000

/**
 * The lease without the definition of its run, which a success does not need. Each member is named,
 * because spreading many large objects is slow.
 */
export function bare(lease: Lease): ClaimedRun {
  return {
    id: lease.id,
    fence: lease.fence,
    lane: lease.lane,
    tenantId: lease.tenantId,
    handler: lease.handler,
    queue: lease.queue,
    priority: lease.priority,
    weight: lease.weight,
    limited: lease.limited,
    attempt: lease.attempt,
    crashes: lease.crashes,
    traits: lease.traits,
    jobId: lease.jobId,
    gate: lease.gate,
    expiresInMs: null,
    maxAttempts: 0,
    timeoutMs: 0,
    payload: 'null',
    policy: null,
    trace: null,
    dueMs: 0,
    slotMs: null,
    missedFromMs: null,
  }
}

interface Named {
  readonly run_id: string
  readonly fence: string
}

export class KnownLeases {
  readonly #bySession = new Map<string, Map<string, ClaimedRun>>()
  readonly #most: number
  #size = 0

  constructor(most: number = MOST) {
    this.#most = most
  }

  add(sessionId: string, runs: readonly ClaimedRun[]): void {
    if (this.#size + runs.length > this.#most) {
      this.#bySession.clear()
      this.#size = 0
    }
    let leases = this.#bySession.get(sessionId)
    if (!leases) {
      leases = new Map()
      this.#bySession.set(sessionId, leases)
    }
    const before = leases.size
    for (const run of runs) leases.set(run.id, bare(run))
    this.#size += leases.size - before
  }

  /**
   * Returns and forgets the session's leases with these fences, and the ids of the unknown ones.
   */
  take(sessionId: string, named: readonly Named[]) {
    const leases = this.#bySession.get(sessionId)
    const known = new Map<string, ClaimedRun>()
    const others: string[] = []
    for (const { run_id: id, fence } of named) {
      const lease = leases?.get(id)
      if (lease && leases?.delete(id)) this.#size--
      if (lease?.fence === BigInt(fence)) known.set(id, lease)
      else if (!known.has(id)) others.push(id)
    }
    if (leases?.size === 0) this.#bySession.delete(sessionId)
    return { known, others }
  }
}
