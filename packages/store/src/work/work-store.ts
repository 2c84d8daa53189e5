/** The workers' access to PostgreSQL: lanes, sessions, claiming, settling. One statement a verb. */
import { defaults, limits } from '@punctual/core/errors'
import type { Lane } from '@punctual/core/flow'
import { quotaExceeded } from '@punctual/core/identity'
import type {
  ClaimRequest,
  ClaimResult,
  Fence,
  LaneWithRuns,
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
import { listLanes, listWaitingLanes } from '../lanes/statements.gen.ts'
import {
  closeSession,
  lockSession,
  openSession,
  renewSession,
  setSessionState,
} from '../sessions/statements.gen.ts'
import type { Call } from '../sql/typed.ts'
import type { QuotaKeeper } from '../tenants/quota-keeper.ts'
import { RunClaims } from './run-claims.ts'
import { RunSettlements, type SettlingOptions } from './run-settlements.ts'
import { ago, fences } from './settle-all.ts'
import {
  appendLateLogs,
  appendLogs,
  findStrays,
  type GiveBackRunsRow,
  giveBackRuns,
  listCancels,
  listCheckpoints,
  markStarted,
  reportProgress,
  type SettleCancelledRow,
  saveCheckpoint,
  settleCancelled,
  sumLogs,
} from './statements.gen.ts'

export interface WorkStoreOptions extends SettlingOptions {
  readonly quotas: QuotaKeeper
}

export class PostgresWorkStore implements WorkStore {
  readonly #database: Database
  readonly #options: WorkStoreOptions
  readonly #claiming: RunClaims
  readonly #settling: RunSettlements

  constructor(options: WorkStoreOptions) {
    this.#options = options
    this.#database = options.database
    this.#claiming = new RunClaims(options.database, (runs) => this.giveBack(runs))
    this.#settling = new RunSettlements(options)
  }

  async lanes(
    handlers: readonly string[],
    queues: readonly string[],
    tenantId: number | null = null,
  ): Promise<readonly Lane[]> {
    const rows = await this.#database.claim.run(listLanes(handlers, queues, tenantId))
    return rows.map((row) => ({ ...row, weight: row.weight ?? 1 }))
  }

  lanesWithRuns(): Promise<readonly LaneWithRuns[]> {
    return this.#database.claim.runPinned(listWaitingLanes())
  }

  async openSession(session: SessionAnnouncement): Promise<void> {
    const { id, leaseMs, pid, capacity, host, version, handlers, queues } = session
    const { labels, drains = false, tenantId = null, sessionsMax = null } = session
    const call = openSession(
      ...([id, leaseMs, pid, capacity, host, version, handlers, queues] as const),
      JSON.stringify(labels),
      drains,
      tenantId,
      sessionsMax,
    )
    // Sessions of one tenant are counted one after another: outcomes must not wait for that.
    const { identity, settle } = this.#database
    const [row] = await (sessionsMax === null ? settle : identity).run(call)
    if (sessionsMax !== null && row?.isLeft === false)
      throw quotaExceeded('sessions', sessionsMax, { used: sessionsMax + 1 })
    if (leaseMs < defaults.shortLeaseMs) this.#options.signals.leaseOpened()
  }

  async renewSession(sessionId: string): Promise<{ readonly drains: boolean } | null> {
    const [row] = await this.#database.settle.run(renewSession(sessionId))
    return row ? { drains: row.drains } : null
  }

  async describeSession(sessionId: string, now: SessionDescription): Promise<void> {
    const call = setSessionState(sessionId, now.state, now.handlers, JSON.stringify(now.stuck))
    await this.#database.settle.run(call)
  }

  async closeSession(sessionId: string): Promise<void> {
    await this.#database.settle.runTogether(lockSession(sessionId), closeSession(sessionId))
  }

  claim(request: ClaimRequest): Promise<ClaimResult> {
    return this.#claiming.claim(request)
  }

  async markStarted(runs: readonly Fence[]): Promise<ReadonlySet<string>> {
    const rows = await this.#database.claim.runPinned(markStarted(...fences(runs)))
    return new Set(rows.map(({ runId }) => runId))
  }

  async saveCheckpoint({ id, fence }: Fence, state: string): Promise<boolean> {
    const rows = await this.#retrying(10_000, () =>
      this.#database.settle.runPinned(saveCheckpoint(id, fence, state)),
    )
    return rows.length === 1
  }

  async checkpoints(runIds: readonly string[]): Promise<ReadonlyMap<string, string | null>> {
    const call = listCheckpoints(uuidArray(runIds), limits.claimBytes)
    const rows = await this.#database.claim.run(call)
    return new Map(rows.map(({ runId, state }) => [runId, state]))
  }

  async giveBack(runs: readonly Fence[]): Promise<void> {
    if (runs.length === 0) return
    const [ids, fenceValues] = fences(runs)
    // None of them has started; those with a cancel request are cancelled.
    const starts = int4ArrayOrNull(runs.map(() => null))
    const errors = jsonbArray(runs.map(() => null))
    const reasons = textArray(runs.map(() => null))
    const [returned = []] = await this.#retrying(5_000, () =>
      this.#database.settle.runAll<GiveBackRunsRow | SettleCancelledRow>([
        giveBackRuns(ids, fenceValues),
        settleCancelled(0, ids, fenceValues, starts, errors, reasons, true),
      ]),
    )
    const lanes = new Set(returned.flatMap((row) => ('lane' in row ? row.lane : [])))
    if (lanes.size > 0) this.#options.signals.due(lanes)
  }

  settle(sessionId: string, settlements: readonly Settlement[]): Promise<readonly string[]> {
    return this.#settling.settle(sessionId, settlements)
  }

  strayLeases(sessionId: string, known: readonly bigint[]): Promise<readonly Fence[]> {
    return this.#database.claim.run(findStrays(sessionId, int8Array(known)))
  }

  async reportProgress(progress: readonly { run: Fence; value: string }[]): Promise<void> {
    const held = fences(progress.map((p) => p.run))
    const values = textArray(progress.map((p) => p.value))
    await this.#database.settle.runPinned(reportProgress(...held, values))
  }

  async appendLogs(entries: readonly LogEntry[]): Promise<void> {
    const values: Parameters<typeof appendLogs> = [
      uuidArray(entries.map((e) => e.runId)),
      int2Array(entries.map((e) => e.attempt)),
      int4Array(entries.map((e) => e.seq)),
      int4Array(entries.map((e) => ago(e.agoMs))),
      int2Array(entries.map((e) => e.level)),
      textArray(entries.map((e) => e.message)),
      textArray(entries.map((e) => e.data)),
    ]
    const append = <Row>(call: Call<Row>) =>
      this.#retrying(10_000, () => this.#database.settle.runPinned(call))
    const [row] = await append(appendLogs(...values))
    // The run has no lease: its own transaction has settled it, or its worker has lost it.
    if (row && row.late > 0) await append(appendLateLogs(...values))
  }

  resolveParked(runIds: readonly string[]): Promise<void> {
    return this.#options.parked.resolve(runIds)
  }

  /** Handles what follows from ends that were committed elsewhere. */
  follow(settlements: readonly Settlement[]): Promise<void> {
    return this.#settling.follow(settlements)
  }

  async cancelRequests(runs: readonly Fence[]): Promise<ReadonlyMap<bigint, string | null>> {
    const rows = await this.#database.settle.runPinned(listCancels(...fences(runs)))
    return new Map(rows.map(({ fence, cancelReason }) => [fence, cancelReason]))
  }

  logBytesMax(tenantId: number): Promise<number> {
    const bounds = { clock: this.#database.localClock, deadlineMs: 10_000 }
    return retrying(bounds, () => this.#options.quotas.logBytes(tenantId))
  }

  async logBytes(runIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const sorted = [...runIds].sort()
    const call = sumLogs(uuidArray(sorted), sorted[0] ?? null, sorted.at(-1) ?? null)
    const rows = await retrying({ clock: this.#database.localClock, deadlineMs: 10_000 }, () =>
      this.#database.settle.run(call),
    )
    return new Map(rows.map(({ runId, bytes }) => [runId, bytes]))
  }

  #retrying<T>(deadlineMs: number, work: () => Promise<T>): Promise<T> {
    const { ensurePartitions } = this.#options
    return retrying({ clock: this.#database.localClock, deadlineMs, ensurePartitions }, work)
  }
}
