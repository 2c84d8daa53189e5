/**
 * Settles a batch of outcomes in one transaction. First settles all successes as if this worker
 * held every lease, which it nearly always does; if a lease is gone, pair by pair. A refused run
 * may be one that an earlier try has settled, whose answer was lost: the stored outcome names the
 * fence. So a settle may be repeated, and gets the same answer.
 */
import { fingerprint, invariant } from '@punctual/core/errors'
import type { ClaimedRun, PlanStore, Settlement } from '@punctual/core/ports'
import { type AttemptOutcome, attemptOutcomes, traits } from '@punctual/core/run'
import { awaitRuns } from '../awaiting/statements.gen.ts'
import {
  int2Array,
  int4Array,
  int4ArrayOrNull,
  int8ArrayOfNumbers,
  jsonbArray,
  textArray,
  uuidArray,
} from '../connection/binary-arrays.ts'
import type { Channel } from '../connection/channel.ts'
import type { Database } from '../connection/database.ts'
import { isLeaseGone } from '../connection/faults.ts'
import { retrying } from '../connection/retrying.ts'
import type { Signals } from '../connection/signals.ts'
import type { Call } from '../sql/typed.ts'
import type { ParkedRuns } from './parked-runs.ts'
import { ago, byTenant, fences, outputs, overlapOf, settleAll } from './settle-all.ts'
import {
  findSettled,
  recordStale,
  type SettleAllSucceededRow,
  type SettleSucceededRow,
  settleCancelled,
  settleDead,
  settleRetry,
  settleSkipped,
  settleSucceeded,
  settleUnknown,
} from './statements.gen.ts'

/** The row of a statement that settles: whether all were, or which. */
type SettledRow = SettleAllSucceededRow | SettleSucceededRow

interface Step {
  readonly call: Call<SettledRow>
  readonly runs: readonly ClaimedRun[]
  /** Whether it handles the runs that the step before it left. */
  readonly second: boolean
}

type SettlementOf<K extends Settlement['kind']> = Extract<Settlement, { kind: K }>

const agos = (settlements: readonly Settlement[]) =>
  int4ArrayOrNull(settlements.map((s) => (s.startedAgoMs === null ? null : ago(s.startedAgoMs))))

export interface SettlingOptions {
  readonly database: Database
  readonly ensurePartitions: () => Promise<void>
  readonly horizonMs: number
  readonly signals: Signals
  /** Runs that may wait for one that has ended. */
  readonly parked: ParkedRuns
  /** Enough dead runs in a row pause a job. */
  readonly jobs: Pick<PlanStore, 'pauseFailing'>
  /** How long a settle is retried before the worker gets an error. */
  readonly settleDeadlineMs?: number
}

export class RunSettlements {
  readonly #database: Database
  readonly #options: SettlingOptions
  #settling = 0

  constructor(options: SettlingOptions) {
    this.#options = options
    this.#database = options.database
  }

  async settle(sessionId: string, settlements: readonly Settlement[]): Promise<readonly string[]> {
    const { settle, secondSettle } = this.#database
    const channel = this.#settling === 0 ? settle : secondSettle.orUntilConnected(settle)
    this.#settling++
    try {
      return await this.#settleOn(channel, sessionId, settlements)
    } finally {
      this.#settling--
    }
  }

  async #settleOn(
    channel: Channel,
    sessionId: string,
    settlements: readonly Settlement[],
  ): Promise<readonly string[]> {
    // First as if this worker held every lease, which it nearly always does; then one by one.
    let each = false
    const { refused, cancelled } = await retrying(
      {
        clock: this.#database.localClock,
        deadlineMs: this.#options.settleDeadlineMs ?? 10_000,
        ensurePartitions: this.#options.ensurePartitions,
      },
      async (again) => {
        each ||= again
        const answer = await this.#try(channel, sessionId, settlements, each).catch((error) => {
          if (each || !isLeaseGone(error)) throw error
          each = true
          return this.#try(channel, sessionId, settlements, true)
        })
        return { ...answer, refused: await this.#notOurs(answer.refused, settlements) }
      },
    )
    if (refused.length > 0) await this.#recordStale(sessionId, settlements, new Set(refused))
    const again = settlements.filter((s) => s.kind === 'retry' && !cancelled.has(s.run.id))
    const requeued = again.map((s) => s.run.lane)
    if (requeued.length > 0) this.#options.signals.due(new Set(requeued))
    const asCancelled = (s: Settlement): Settlement =>
      cancelled.has(s.run.id) ? { ...s, kind: 'cancelled', reason: '', failure: null } : s
    await this.follow(cancelled.size > 0 ? settlements.map(asCancelled) : settlements)
    return refused
  }

  async #try(
    channel: Channel,
    sessionId: string,
    settlements: readonly Settlement[],
    each: boolean,
  ): Promise<SettleAnswer> {
    const steps = this.#steps(sessionId, settlements, each)
    return refusedIn(steps, await channel.runAll(steps.map(({ call }) => call)))
  }

  /** Handles what ends mean for jobs and for waiting runs, beyond what was committed with them. */
  async follow(all: readonly Settlement[]): Promise<void> {
    const { signals, parked, jobs } = this.#options
    // A run that awaits its target keeps its places.
    const settlements = all.filter(({ kind }) => kind !== 'awaiting')
    // Runs may wait for freed places under the limits of a queue or a tenant.
    if (settlements.some((s) => s.run.limited)) signals.anything()
    const gates: bigint[] = []
    const freed: string[] = []
    const failed: string[] = []
    let rearmed = false
    for (const { kind, run } of settlements) {
      if (run.gate !== null) gates.push(run.gate)
      if (kind === 'retry' || run.jobId === null) continue
      if (overlapOf(run) > 1) freed.push(run.jobId)
      if (kind === 'dead' && (run.traits & traits.failuresCounted) !== 0) failed.push(run.jobId)
      rearmed ||= (run.traits & traits.rearms) !== 0
    }
    if (gates.length > 0) await parked.releaseGates(gates)
    if (freed.length > 0) await parked.release(freed)
    if (failed.length > 0) await jobs.pauseFailing(failed)
    // A job fires again a fixed time after the end of its run.
    if (rearmed) signals.jobsChanged()
  }

  /**
   * Returns the refused runs that were not settled by an earlier try, of this call or of a call
   * that failed after its commit: the fence and the outcome of the attempt show that.
   */
  async #notOurs(ids: readonly string[], settlements: readonly Settlement[]): Promise<string[]> {
    if (ids.length === 0) return []
    const rows = await this.#database.control.run(findSettled(uuidArray(ids)))
    const settled = new Set(rows.map((row) => `${row.runId} ${row.fence} ${row.attemptOutcome}`))
    const byId = new Map(settlements.map((s) => [s.run.id, s]))
    return ids.filter((id) => {
      const settlement = byId.get(id)
      invariant(settlement, 'a refused run is one of those that were settled')
      const { fence } = settlement.run
      return !endsOf(settlement).some((end) => settled.has(`${id} ${fence} ${end}`))
    })
  }

  #steps(sessionId: string, settlements: readonly Settlement[], each: boolean) {
    const steps: Step[] = []
    const succeeded: SettlementOf<'succeeded'>[] = []
    const retries: SettlementOf<'retry'>[] = []
    const dead: SettlementOf<'dead'>[] = []
    const cancelled: SettlementOf<'cancelled'>[] = []
    const skipped: SettlementOf<'skipped'>[] = []
    const unknown: SettlementOf<'unknown'>[] = []
    const awaiting: SettlementOf<'awaiting'>[] = []
    for (const s of settlements) {
      if (s.kind === 'succeeded') succeeded.push(s)
      else if (s.kind === 'retry') retries.push(s)
      else if (s.kind === 'dead') dead.push(s)
      else if (s.kind === 'skipped') skipped.push(s)
      else if (s.kind === 'unknown') unknown.push(s)
      else if (s.kind === 'awaiting') awaiting.push(s)
      else cancelled.push(s)
    }
    const add = (
      batch: readonly Settlement[],
      call: (runs: readonly ClaimedRun[]) => Call<SettledRow>,
      second = false,
    ) => {
      if (batch.length === 0) return
      const runs = batch.map((s) => s.run)
      steps.push({ call: call(runs), runs, second })
    }
    if (each)
      add(succeeded, (runs) =>
        settleSucceeded(
          sessionId,
          ...fences(runs),
          int4Array(succeeded.map((s) => ago(s.startedAgoMs ?? 0))),
          outputs(succeeded),
        ),
      )
    else
      for (const batch of byTenant(succeeded))
        add(batch, (runs) => settleAll(sessionId, runs, batch))
    add(retries, (runs) =>
      settleRetry(
        ...fences(runs),
        agos(retries),
        int2Array(retries.map((s) => attemptOutcomes[s.outcome])),
        jsonbArray(retries.map((s) => JSON.stringify(s.failure))),
        int8ArrayOfNumbers(retries.map((s) => Math.round(s.delayMs))),
        this.#options.horizonMs,
      ),
    )
    // Retries with a cancel request are cancelled instead.
    add(retries, (runs) => this.#cancelRequested(sessionId, runs, retries), true)
    add(dead, (runs) =>
      settleDead(
        sessionId,
        ...fences(runs),
        agos(dead),
        int2Array(dead.map((s) => attemptOutcomes[s.outcome])),
        jsonbArray(dead.map((s) => JSON.stringify(s.failure))),
        textArray(dead.map((s) => s.reason)),
        textArray(dead.map((s) => fingerprint(s.failure))),
      ),
    )
    add(cancelled, (runs) =>
      settleCancelled(
        sessionId,
        ...fences(runs),
        agos(cancelled),
        jsonbArray(cancelled.map((s) => s.failure && JSON.stringify(s.failure))),
        textArray(cancelled.map((s) => s.reason)),
        false,
      ),
    )
    add(unknown, (runs) =>
      settleUnknown(
        sessionId,
        ...fences(runs),
        agos(unknown),
        int2Array(unknown.map((s) => attemptOutcomes[s.outcome])),
        jsonbArray(unknown.map((s) => JSON.stringify(s.failure))),
        textArray(unknown.map((s) => s.reason)),
      ),
    )
    add(awaiting, (runs) =>
      awaitRuns(
        ...fences(runs),
        agos(awaiting),
        int8ArrayOfNumbers(awaiting.map((s) => Math.round(s.timeoutMs))),
        textArray(awaiting.map((s) => s.statusUrl)),
      ),
    )
    // A run with a cancel request does not wait for its target.
    add(awaiting, (runs) => this.#cancelRequested(sessionId, runs, awaiting), true)
    add(skipped, (runs) =>
      settleSkipped(sessionId, ...fences(runs), textArray(skipped.map((s) => s.reason))),
    )
    return steps
  }

  /** Ends those of the runs that were asked to end. */
  #cancelRequested(
    sessionId: string,
    runs: readonly ClaimedRun[],
    settlements: readonly (SettlementOf<'retry'> | SettlementOf<'awaiting'>)[],
  ): Call<SettledRow> {
    const failures = settlements.map((s) => ('failure' in s ? JSON.stringify(s.failure) : null))
    const reasons = textArray(settlements.map(() => null))
    const [ids, fenceValues] = fences(runs)
    const given = [agos(settlements), jsonbArray(failures), reasons] as const
    return settleCancelled(sessionId, ids, fenceValues, ...given, true)
  }

  async #recordStale(
    sessionId: string,
    settlements: readonly Settlement[],
    refused: ReadonlySet<string>,
  ): Promise<void> {
    const runs = settlements.map((s) => s.run).filter((run) => refused.has(run.id))
    await this.#database.settle.run(recordStale(sessionId, ...fences(runs)))
  }
}

/** How a settled attempt is recorded; a retry may have been cancelled on request instead. */
function endsOf(settlement: Settlement): (AttemptOutcome | null)[] {
  if (settlement.kind === 'succeeded' || settlement.kind === 'cancelled') return [settlement.kind]
  // No attempt was made.
  if (settlement.kind === 'skipped') return [null]
  // Its target may have reported any end before it was known to await it.
  if (settlement.kind === 'awaiting') return ['succeeded', 'failed', 'timed_out', 'cancelled']
  const { kind, outcome } = settlement
  return kind === 'retry' ? [outcome, 'cancelled'] : [outcome]
}

interface SettleAnswer {
  readonly refused: readonly string[]
  /** Runs that were to be retried and had a cancel request. */
  readonly cancelled: ReadonlySet<string>
}

/** A second step handles what the step before it left: refused are the runs that both refuse. */
function refusedIn(steps: readonly Step[], answers: readonly SettledRow[][]): SettleAnswer {
  const refused: string[][] = []
  const cancelled = new Set<string>()
  for (const [i, step] of steps.entries()) {
    const ids = new Set(refusedBy(step.runs, answers[i]?.[0]))
    const left = step.second ? (refused.pop() ?? []) : [...ids]
    refused.push(left.filter((id) => ids.has(id)))
    for (const id of left) if (!ids.has(id)) cancelled.add(id)
  }
  return { refused: refused.flat(), cancelled }
}

function refusedBy(runs: readonly ClaimedRun[], row: SettledRow | undefined): string[] {
  if (!row || 'settled' in row || row.accepted === null) return []
  const accepted = new Set(row.accepted)
  return runs.filter((run) => !accepted.has(run.id)).map((run) => run.id)
}
