/**
 * The worker's store in memory: the same verbs in the same transactions as PostgresWorkStore, with
 * the same retries after a fault. A differential test keeps the two equal.
 */
import type { Lane } from '@punctual/core/flow'
import type {
  ClaimRequest,
  ClaimResult,
  Fence,
  LaneWithRuns,
  SessionAnnouncement,
  Settlement,
  WorkStore,
} from '@punctual/core/ports'
import { attemptOutcomes, traits } from '@punctual/core/run'
import { retrying } from '../../connection/retrying.ts'
import type { MemoryStoreOptions } from '../tables/line.ts'
import type { MemoryDatabase } from '../tables/memory-database.ts'
import { overlapOf } from '../tables/rows.ts'
import { claimRuns } from './claim.ts'
import { releaseGates } from './gates.ts'
import { awaitedBy, releaseParked, skipParked, supersedeHolders } from './overlap.ts'
import {
  cancelRequests,
  findSettled,
  giveBack,
  markStarted,
  settle,
  strayLeases,
} from './settle.ts'

const SETTLE_DEADLINE_MS = 10_000
const GIVE_BACK_DEADLINE_MS = 5_000

export class MemoryWorkStore implements WorkStore {
  readonly #options: MemoryStoreOptions
  readonly #db: MemoryDatabase

  constructor(options: MemoryStoreOptions) {
    this.#options = options
    this.#db = options.db
  }

  #call<T>(what: string, work: () => T): Promise<T> {
    return this.#options.line.call(what, work)
  }

  lanes(
    handlers: readonly string[],
    queues: readonly string[],
    tenant: number | null = null,
  ): Promise<readonly Lane[]> {
    return this.#call('lanes', () =>
      this.#db.lanes
        .values()
        .filter(({ tenantId }) => tenant === null || tenantId === tenant)
        .filter(({ handler, queue }) => {
          return handlers.includes(handler) && (queues.length === 0 || queues.includes(queue))
        })
        .sort((a, b) => b.priority - a.priority || a.id - b.id)
        // Limits in memory have neither weight nor ageing.
        .map((lane) => ({ ...lane, weight: 1, ageingMs: null })),
    )
  }

  lanesWithRuns(): Promise<readonly LaneWithRuns[]> {
    return this.#call('lanes with runs', () => {
      const first = new Map<number, number>()
      for (const { lane, posMs } of this.#db.queue.values())
        first.set(lane, Math.min(posMs, first.get(lane) ?? posMs))
      return [...first].map(([lane, posMs]) => ({ lane, dueInMs: posMs - this.#db.nowMs }))
    })
  }

  openSession({ id, leaseMs }: SessionAnnouncement): Promise<void> {
    const byWorker = this.#db.mutants.has('lease-by-worker-clock')
    return this.#call('open-session', () => {
      const fromMs = byWorker ? this.#options.clock.wallMs() : this.#db.nowMs
      this.#db.sessions.insert(id, { id, leaseMs, drains: false, expiresMs: fromMs + leaseMs })
    })
  }

  renewSession(id: string): Promise<{ readonly drains: boolean } | null> {
    const byWorker = this.#db.mutants.has('lease-by-worker-clock')
    return this.#call('renew-session', () => {
      const session = this.#db.sessions.get(id)
      if (!session) return null
      const fromMs = byWorker ? this.#options.clock.wallMs() : this.#db.nowMs
      this.#db.sessions.set(id, { ...session, expiresMs: fromMs + session.leaseMs })
      return { drains: session.drains }
    })
  }

  /** Asks a worker to drain, or withdraws the request. */
  askToDrain(id: string, drains: boolean): Promise<void> {
    return this.#call('ask-to-drain', () => {
      const session = this.#db.sessions.get(id)
      if (session) this.#db.sessions.set(id, { ...session, drains })
    })
  }

  /** Only shown to users; decides nothing. */
  async describeSession(): Promise<void> {}

  closeSession(id: string): Promise<void> {
    return this.#call('close-session', () => {
      const holds = this.#db.leases.values().some(({ sessionId }) => sessionId === id)
      if (!holds) this.#db.sessions.delete(id)
    })
  }

  claim(request: ClaimRequest): Promise<ClaimResult> {
    return this.#call('claim', () => claimRuns(this.#db, request))
  }

  saveCheckpoint({ id, fence }: Fence, state: string): Promise<boolean> {
    const retries = { clock: this.#options.clock, deadlineMs: SETTLE_DEADLINE_MS }
    return retrying(retries, () =>
      this.#call('save-checkpoint', () => {
        const lease = this.#db.leases.get(id)
        if (lease?.fence !== fence) return false
        this.#db.leases.set(id, { ...lease, traits: lease.traits | traits.checkpointed })
        this.#db.checkpoints.set(id, state)
        return true
      }),
    )
  }

  checkpoints(runIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return this.#call('list-checkpoints', () => {
      const kept = runIds.map((id) => [id, this.#db.checkpoints.get(id)] as const)
      return new Map(kept.filter((entry): entry is [string, string] => entry[1] !== undefined))
    })
  }

  markStarted(runs: readonly Fence[]): Promise<ReadonlySet<string>> {
    return this.#call('mark-started', () => markStarted(this.#db, runs))
  }

  async giveBack(runs: readonly Fence[]): Promise<void> {
    if (runs.length === 0) return
    const retries = { clock: this.#options.clock, deadlineMs: GIVE_BACK_DEADLINE_MS }
    await retrying(retries, () => this.#call('give-back', () => giveBack(this.#db, runs)))
    this.#options.hints.queued([])
  }

  async settle(sessionId: string, settlements: readonly Settlement[]): Promise<readonly string[]> {
    const { clock, horizonMs, hints } = this.#options
    const { refused, cancelled } = await retrying(
      { clock, deadlineMs: SETTLE_DEADLINE_MS },
      async () => {
        const answer = await this.#call('settle', () => settle(this.#db, settlements, horizonMs))
        return { ...answer, refused: await this.#notOurs(answer.refused, settlements) }
      },
    )
    if (refused.length > 0) await this.#recordStale(sessionId, settlements, new Set(refused))
    hints.queued([])
    const asCancelled = (s: Settlement): Settlement =>
      cancelled.has(s.run.id) ? { ...s, kind: 'cancelled', reason: '', failure: null } : s
    await this.follow(settlements.map(asCancelled))
    return refused
  }

  /**
   * A refused outcome may have been stored by an earlier try: how the attempt ended shows which.
   */
  async #notOurs(ids: readonly string[], settlements: readonly Settlement[]): Promise<string[]> {
    if (ids.length === 0 || this.#db.mutants.has('settle-not-re-read')) return [...ids]
    const rows = await this.#call('find-settled', () => findSettled(this.#db, ids))
    const byId = new Map(settlements.map((s) => [s.run.id, s]))
    return ids.filter((id) => {
      const s = byId.get(id)
      return !rows.some(
        ({ runId, fence, outcome }) =>
          runId === id && fence === s?.run.fence && isOutcomeOf(s, outcome),
      )
    })
  }

  #recordStale(sessionId: string, settlements: readonly Settlement[], refused: Set<string>) {
    return this.#call('record-stale', () => {
      for (const { run } of settlements)
        if (refused.has(run.id) && this.#db.runs.has(run.id))
          this.#db.staleSettles.set(`${run.id} ${run.fence}`, sessionId)
    })
  }

  /** Applies the effects of settled attempts that the settle transaction did not include. */
  async follow(ended: readonly Settlement[]): Promise<void> {
    const jobRuns = ended.filter(({ kind, run }) => kind !== 'retry' && run.jobId !== null)
    const freed = jobRuns.filter(({ run }) => overlapOf(run.traits) > 1)
    await this.releaseGates(ended.flatMap(({ run }) => run.gate ?? []))
    await this.release(freed.flatMap(({ run }) => run.jobId ?? []))
    if (jobRuns.some(({ run }) => (run.traits & traits.rearms) !== 0))
      this.#options.hints.jobsChanged()
  }

  strayLeases(sessionId: string, known: readonly bigint[]): Promise<readonly Fence[]> {
    return this.#call('find-strays', () => strayLeases(this.#db, sessionId, known))
  }

  async resolveParked(runIds: readonly string[]): Promise<void> {
    const cancelled = await this.#call('supersede', () => supersedeHolders(this.#db, runIds))
    if (cancelled.length > 0) this.#options.hints.cancels(cancelled)
    const { jobs, gates } = await this.#call('list-parked', () => awaitedBy(this.#db, runIds))
    await this.release(jobs)
    await this.releaseGates(gates.map(BigInt))
    await this.#call('skip-parked', () => skipParked(this.#db, runIds))
  }

  /** Releases the first run that waits for each of these jobs, unless another run holds the job. */
  async release(jobIds: readonly string[]): Promise<void> {
    if (jobIds.length === 0) return
    await this.#call('release-parked', () => releaseParked(this.#db, jobIds))
    this.#options.hints.queued([])
  }

  /** Admits the first runs that wait for these gates, as many as they have places for. */
  async releaseGates(gates: readonly bigint[]): Promise<void> {
    if (gates.length === 0) return
    await this.#call('release-gates', () => releaseGates(this.#db, gates.map(String)))
    this.#options.hints.queued([])
  }

  cancelRequests(runs: readonly Fence[]): Promise<ReadonlyMap<bigint, string | null>> {
    return this.#call('list-cancels', () => cancelRequests(this.#db, runs))
  }

  /** Progress and logs decide nothing; their cost is not simulated either. */
  async reportProgress(): Promise<void> {}
  async appendLogs(): Promise<void> {}
  async logBytes(): Promise<ReadonlyMap<string, number>> {
    return new Map()
  }
}

/** Ends that no target reports. */
const NOT_REPORTED: ReadonlySet<number> = new Set([
  attemptOutcomes.crashed,
  attemptOutcomes.terminated,
])

/** An end of the same lease by the reaper or by a superseding run is not the worker's outcome. */
function isOutcomeOf(settlement: Settlement, outcome: number | null): boolean {
  if (settlement.kind === 'succeeded') return outcome === attemptOutcomes.succeeded
  if (settlement.kind === 'cancelled') return outcome === attemptOutcomes.cancelled
  if (settlement.kind === 'skipped') return outcome === null
  if (settlement.kind === 'awaiting') return outcome !== null && !NOT_REPORTED.has(outcome)
  if (settlement.kind === 'retry' && outcome === attemptOutcomes.cancelled) return true
  return outcome === attemptOutcomes[settlement.outcome]
}
