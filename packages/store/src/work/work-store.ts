/** The workers' access to PostgreSQL: lanes, sessions, claiming, settling. One statement a verb. */
import type { Lane } from '@punctual/core/flow'
import type {
  ClaimRequest,
  ClaimResult,
  Fence,
  LogEntry,
  SessionAnnouncement,
  SessionDescription,
  Settlement,
  WorkStore,
} from '@punctual/core/ports'
import {
  int2Array,
  int4Array,
  int4ArrayOrNull,
  int8Array,
  jsonbArray,
  textArray,
  uuidArray,
} from '../connection/binary-arrays.ts'
import type { Database } from '../connection/database.ts'
import { retrying } from '../connection/retrying.ts'
import type { Statement } from '../connection/statements.ts'
import { RunClaims } from './run-claims.ts'
import { ago, fences, RunSettlements, type SettlingOptions } from './run-settlements.ts'

export interface WorkStoreOptions extends Omit<SettlingOptions, 'onFreed' | 'onGatesFreed'> {
  /** How many bytes a run of a tenant may log. */
  readonly logBytes: (tenantId: number) => Promise<number>
  /** These runs have cancel requests: their workers are notified. */
  readonly onCancel: (runIds: readonly string[]) => void
}

export class PostgresWorkStore implements WorkStore {
  readonly #database: Database
  readonly #options: WorkStoreOptions
  readonly #claiming: RunClaims
  readonly #settling: RunSettlements

  constructor(options: WorkStoreOptions) {
    this.#options = options
    this.#database = options.database
    this.#claiming = new RunClaims(options.database)
    this.#settling = new RunSettlements({
      ...options,
      onFreed: (jobIds) => this.release(jobIds),
      onGatesFreed: (gates) => this.releaseGates(gates),
    })
  }

  #sql(path: string): Statement {
    return this.#database.statement(path)
  }

  async lanes(handlers: readonly string[], queues: readonly string[]): Promise<readonly Lane[]> {
    const rows = await this.#database.claim.query(this.#sql('lanes/list-lanes'), [
      [...handlers],
      [...queues],
    ])
    return rows.map(([id, tenantId, queue, handler, priority, weight, ageingMs]) => ({
      id: Number(id),
      tenantId: Number(tenantId),
      queue: queue as string,
      handler: handler as string,
      priority: Number(priority),
      weight: Number(weight ?? 1),
      ageingMs: ageingMs ? Number(ageingMs) : null,
    }))
  }

  async openSession(session: SessionAnnouncement): Promise<void> {
    await this.#database.settle.query(this.#sql('sessions/open-session'), [
      session.id,
      session.leaseMs,
      session.pid,
      session.capacity,
      session.host,
      session.version,
      [...session.handlers],
      [...session.queues],
      JSON.stringify(session.labels),
      session.drains ?? false,
      session.tenantId ?? null,
    ])
  }

  async renewSession(sessionId: string): Promise<{ readonly drains: boolean } | null> {
    const statement = this.#sql('sessions/renew-session')
    const [row] = await this.#database.settle.query(statement, [sessionId])
    return row ? { drains: row[2] === 't' } : null
  }

  async describeSession(sessionId: string, now: SessionDescription): Promise<void> {
    const values = [sessionId, now.state, [...now.handlers], JSON.stringify(now.stuck)]
    await this.#database.settle.query(this.#sql('sessions/set-session-state'), values)
  }

  async closeSession(sessionId: string): Promise<void> {
    await this.#database.settle.query(this.#sql('sessions/close-session'), [sessionId])
  }

  claim(request: ClaimRequest): Promise<ClaimResult> {
    return this.#claiming.claim(request)
  }

  async markStarted(runs: readonly Fence[]): Promise<ReadonlySet<string>> {
    const rows = await this.#database.claim.pinnedOne(this.#sql('work/mark-started'), fences(runs))
    return new Set(rows.map(([id]) => id as string))
  }

  async saveCheckpoint({ id, fence }: Fence, state: string): Promise<boolean> {
    const rows = await retrying(
      {
        clock: this.#database.localClock,
        deadlineMs: 10_000,
        ensurePartitions: this.#options.ensurePartitions,
      },
      () =>
        this.#database.settle.pinnedOne(this.#sql('work/progress/save-checkpoint'), [
          id,
          fence.toString(),
          state,
        ]),
    )
    return rows.length === 1
  }

  async checkpoints(runIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const values = [uuidArray(runIds)]
    const rows = await this.#database.claim.query(
      this.#sql('work/progress/list-checkpoints'),
      values,
    )
    return new Map(rows.map(([id, state]) => [id as string, state as string]))
  }

  async giveBack(runs: readonly Fence[]): Promise<void> {
    if (runs.length === 0) return
    const [ids, fenceValues] = fences(runs)
    // None of them has started; those with a cancel request are cancelled.
    const starts = int4ArrayOrNull(runs.map(() => null))
    const reasons = textArray(runs.map(() => null))
    const [rows = []] = await retrying(
      {
        clock: this.#database.localClock,
        deadlineMs: 5_000,
        ensurePartitions: this.#options.ensurePartitions,
      },
      () =>
        this.#database.settle.pinned([
          { statement: this.#sql('work/give-back-runs'), values: [ids, fenceValues] },
          {
            statement: this.#sql('work/settle-cancelled'),
            values: [0, ids, fenceValues, starts, jsonbArray(runs.map(() => null)), reasons, true],
          },
        ]),
    )
    if (rows.length > 0) this.#options.onQueued(new Set(rows.map(([lane]) => Number(lane))))
  }

  settle(sessionId: string, settlements: readonly Settlement[]): Promise<readonly string[]> {
    return this.#settling.settle(sessionId, settlements)
  }

  async strayLeases(sessionId: string, known: readonly bigint[]) {
    const rows = await this.#database.claim.query(this.#sql('work/find-strays'), [
      sessionId,
      int8Array(known),
    ])
    return rows.map(([id, fence]) => ({ id: id as string, fence: BigInt(fence as string) }))
  }

  async reportProgress(progress: readonly { run: Fence; value: string }[]): Promise<void> {
    await this.#database.settle.pinnedOne(this.#sql('work/progress/report-progress'), [
      ...fences(progress.map((p) => p.run)),
      textArray(progress.map((p) => p.value)),
    ])
  }

  async appendLogs(entries: readonly LogEntry[]): Promise<void> {
    const values = [
      uuidArray(entries.map((e) => e.runId)),
      int2Array(entries.map((e) => e.attempt)),
      int4Array(entries.map((e) => e.seq)),
      int4Array(entries.map((e) => ago(e.agoMs))),
      int2Array(entries.map((e) => e.level)),
      textArray(entries.map((e) => e.message)),
      textArray(entries.map((e) => e.data)),
    ]
    const append = (path: string) =>
      retrying(
        {
          clock: this.#database.localClock,
          deadlineMs: 10_000,
          ensurePartitions: this.#options.ensurePartitions,
        },
        () => this.#database.settle.pinnedOne(this.#sql(path), values),
      )
    const [row] = await append('work/progress/append-logs')
    // The run has no lease: its own transaction has settled it, or its worker has lost it.
    if (Number(row?.[0]) > 0) await append('work/progress/append-late-logs')
  }

  /**
   * Each run was parked by a claim that has committed. So the session that ended the holder since
   * then either saw the parked run or has freed the job by now: because both sides look again after
   * their commit, no run is left behind.
   */
  async resolveParked(runIds: readonly string[]): Promise<void> {
    const ids = uuidArray(runIds)
    const { settle } = this.#database
    const superseded = await settle.pinnedOne(this.#sql('work/parked/supersede-holders'), [0, ids])
    if (superseded.length > 0) this.#options.onCancel(superseded.map(([id]) => id as string))
    const awaited = await settle.pinnedOne(this.#sql('work/parked/list-parked'), [ids])
    await this.release(awaited.flatMap(([jobId]) => jobId ?? []))
    await this.releaseGates(awaited.flatMap(([, gate]) => (gate ? BigInt(gate) : [])))
    await settle.pinnedOne(this.#sql('work/parked/skip-parked'), [0, ids])
  }

  /** Handles what follows from ends that were committed elsewhere. */
  follow(settlements: readonly Settlement[]): Promise<void> {
    return this.#settling.follow(settlements)
  }

  /** Lets the first run that waits for each of these jobs start, unless the job is held. */
  async release(jobIds: readonly string[]): Promise<void> {
    if (jobIds.length > 0) await this.#admit('work/parked/release-parked', uuidArray(jobIds))
  }

  /** Lets the first runs that wait for each of these gates start, as many as it has places for. */
  async releaseGates(gates: readonly bigint[]): Promise<void> {
    if (gates.length > 0)
      await this.#admit('work/parked/release-gates', int8Array([...new Set(gates)]))
  }

  async #admit(path: string, targets: Buffer): Promise<void> {
    const rows = await this.#database.settle.pinnedOne(this.#sql(path), [targets])
    if (rows.length > 0) this.#options.onQueued(new Set(rows.map(([lane]) => Number(lane))))
  }

  async cancelRequests(runs: readonly Fence[]): Promise<ReadonlyMap<bigint, string | null>> {
    const values = fences(runs)
    const rows = await this.#database.settle.pinnedOne(this.#sql('work/list-cancels'), values)
    return new Map(rows.map(([fence, reason]) => [BigInt(fence as string), reason ?? null]))
  }

  logBytesMax(tenantId: number): Promise<number> {
    const bounds = { clock: this.#database.localClock, deadlineMs: 10_000 }
    return retrying(bounds, () => this.#options.logBytes(tenantId))
  }

  async logBytes(runIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const sorted = [...runIds].sort()
    const values = [uuidArray(sorted), sorted[0] as string, sorted.at(-1) as string]
    const rows = await retrying({ clock: this.#database.localClock, deadlineMs: 10_000 }, () =>
      this.#database.settle.query(this.#sql('work/progress/sum-logs'), values),
    )
    return new Map(rows.map(([id, bytes]) => [id as string, Number(bytes)]))
  }
}
