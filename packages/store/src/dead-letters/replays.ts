/**
 * Replays runs: inserts a new run that refers to the original, in the same transaction that closes
 * the original's dead letter. Ids are made before anything is sent, so that after a commit whose
 * answer was lost the replay shows whether the commit took place.
 */
import type { Random } from '@punctual/core/clock'
import { PunctualError } from '@punctual/core/errors'
import { RunIdSource } from '@punctual/core/run'
import type pg from 'pg'
import { textArray, uuidArray } from '../connection/binary-arrays.ts'
import type { ClientPool } from '../connection/client-pool.ts'
import type { Database } from '../connection/database.ts'
import { isLockTimeout } from '../connection/faults.ts'
import type { OpenTransaction } from '../connection/open-transaction.ts'
import { retrying } from '../connection/retrying.ts'
import type { Signals } from '../connection/signals.ts'
import type { Call } from '../sql/typed.ts'
import { findKeys, takeKeys } from '../submit/statements.gen.ts'
import type { QuotaKeeper } from '../tenants/quota-keeper.ts'
import { insertReplays } from './statements.gen.ts'

const DEADLINE_MS = 15_000

export interface Replay {
  /** The run to replay. */
  readonly id: string
  readonly newId: string
  /** Another payload, as JSON; null keeps the original one. */
  readonly payload: string | null
  /** The key that the replay must take; null for none. */
  readonly key: string | null
}

export interface ReplaysOptions {
  readonly database: Database
  readonly clientPool: ClientPool
  readonly random: Random
  readonly ensurePartitions: () => Promise<void>
  readonly signals: Signals
  readonly quotas: QuotaKeeper
}

export class Replays {
  readonly #options: ReplaysOptions
  readonly #ids: RunIdSource
  #sequence = 0

  constructor(options: ReplaysOptions) {
    this.#options = options
    this.#ids = new RunIdSource(options.random)
  }

  /** @throws `tenant_suspended` */
  async checkActive(tenantId: number): Promise<void> {
    await this.#options.quotas.checkActive(tenantId)
  }

  /** Checks the payload of a replay that does not keep the original one. @throws `quota_exceeded` */
  checkPayload(tenantId: number, payload: string, field: string): Promise<void> {
    return this.#options.quotas.checkPayload(tenantId, payload, field)
  }

  newId(): string {
    return this.#ids.next(this.#options.database.clock.nowMs())
  }

  /**
   * Runs the work in a part of the given transaction, or with null in a separate one, which is
   * retried after a transient fault; `again`: an earlier try may have been committed.
   */
  async join<T>(
    transaction: OpenTransaction | null,
    work: (client: pg.Client, again: boolean) => Promise<T>,
  ): Promise<T> {
    const { database, clientPool, ensurePartitions } = this.#options
    const bounds = { clock: database.localClock, deadlineMs: DEADLINE_MS, ensurePartitions }
    return retrying(bounds, (again) =>
      clientPool.joinPinned(transaction, async (client) => {
        await client.query("set local lock_timeout = '5s'")
        return work(client, again)
      }),
    )
  }

  run<Row>(client: pg.Client, call: Call<Row>): Promise<Row[]> {
    return this.#options.database.runOn(client, call, { timeoutMs: DEADLINE_MS })
  }

  /** Takes the keys of these replays; leaves out replays whose key a live run holds. */
  async takeKeys(client: pg.Client, replays: readonly Replay[], tenantId: number) {
    const wanted = new Map<string, string>()
    for (const { key, newId } of replays)
      if (key !== null && !wanted.has(key)) wanted.set(key, newId)
    if (wanted.size === 0) return replays
    const sorted = [...wanted].sort(([a], [b]) => (a < b ? -1 : 1))
    const [keys, newIds] = [sorted.map(([key]) => key), sorted.map(([, newId]) => newId)]
    const call = takeKeys(tenantId, textArray(keys), uuidArray(newIds))
    const taken = await this.run(client, call).catch((cause: unknown) => {
      if (!isLockTimeout(cause)) throw cause
      const message =
        'Another open transaction is submitting the same key. Try again when it has ended.'
      throw new PunctualError('key_busy', message, { field: 'key', cause })
    })
    const got = new Set(taken.map(({ runId }) => runId))
    return replays.filter(({ key, newId }) => key === null || got.has(newId))
  }

  /** The live run that holds a key; null when it has just released it. */
  async holderOf(key: string, tenantId: number): Promise<string | null> {
    const { database } = this.#options
    const [held] = await database.control.run(findKeys(tenantId, [key]))
    return held?.runId ?? null
  }

  /** Inserts the new runs; returns the lanes that have something due after the commit. */
  async insert(
    client: pg.Client,
    replays: readonly Replay[],
    options: { by: string | null; fromCheckpoint: boolean },
  ): Promise<number[]> {
    if (replays.length === 0) return []
    const call = insertReplays(
      uuidArray(replays.map(({ id }) => id)),
      uuidArray(replays.map(({ newId }) => newId)),
      textArray(replays.map(({ payload }) => payload)),
      options.by,
      options.fromCheckpoint,
      this.#sequence,
    )
    const rows = await this.run(client, call)
    this.#sequence = (this.#sequence + replays.length) % (1 << 20)
    return rows.map(({ lane }) => lane)
  }

  /** Sends hints after the commit that these lanes have due runs. */
  announce(transaction: OpenTransaction | null, lanes: readonly number[]): void {
    const { database, signals } = this.#options
    if (lanes.length > 0) void database.ambient.afterCommit(() => signals.due(lanes), transaction)
  }
}
