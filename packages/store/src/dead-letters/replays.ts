/**
 * How a run is done again: a new run that names the one it replays, inserted by the same transaction that says so of
 * the other. Ids are made before anything is sent, so that after a commit whose answer was lost one can tell whether
 * it took place.
 */
import type { Random } from '@punctual/core/clock'
import { PunctualError } from '@punctual/core/errors'
import { RunIdSource } from '@punctual/core/run'
import type pg from 'pg'
import { textArray, uuidArray } from '../connection/binary-arrays.ts'
import type { Row } from '../connection/channel.ts'
import type { ClientPool } from '../connection/client-pool.ts'
import type { Database } from '../connection/database.ts'
import { isLockTimeout } from '../connection/faults.ts'
import { retrying } from '../connection/retrying.ts'
import type { QuotaKeeper } from '../tenants/quota-keeper.ts'

const DEADLINE_MS = 15_000

export interface Replay {
  /** The run to do again. */
  readonly id: string
  readonly newId: string
  /** Another payload, as JSON; null = its own. */
  readonly payload: string | null
  /** The key that it must have; null = none. */
  readonly key: string | null
}

export interface ReplaysOptions {
  readonly database: Database
  readonly clientPool: ClientPool
  readonly random: Random
  readonly ensurePartitions: () => Promise<void>
  readonly onQueued: (lanes: Iterable<number>) => void
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

  newId(): string {
    return this.#ids.next(this.#options.database.clock.nowMs())
  }

  /** Tried again after a fault of the moment; `again` tells that an earlier try may have been committed. */
  async transaction<T>(work: (client: pg.Client, again: boolean) => Promise<T>): Promise<T> {
    const { database, clientPool, ensurePartitions } = this.#options
    const bounds = { clock: database.localClock, deadlineMs: DEADLINE_MS, ensurePartitions }
    return retrying(bounds, (again) =>
      clientPool.pinned(async (client) => {
        await client.query("set local lock_timeout = '5s'")
        return work(client, again)
      }),
    )
  }

  async run(client: pg.Client, path: string, values: unknown[]): Promise<Row[]> {
    const { text } = this.#options.database.statement(path)
    const query = { text, values, rowMode: 'array' as const, query_timeout: DEADLINE_MS }
    return (await client.query(query)).rows as Row[]
  }

  /** Takes the keys of those that need one; returns those that may run: a key that a live run has is not taken. */
  async takeKeys(client: pg.Client, replays: readonly Replay[], tenantId: number) {
    const wanted = new Map<string, string>()
    for (const { key, newId } of replays)
      if (key !== null && !wanted.has(key)) wanted.set(key, newId)
    if (wanted.size === 0) return replays
    const keys = [...wanted.keys()].sort()
    const values = [tenantId, keys, keys.map((key) => wanted.get(key))]
    const taken = await this.run(client, 'submit/take-keys', values).catch((cause: unknown) => {
      if (!isLockTimeout(cause)) throw cause
      const message =
        'Another open transaction is submitting the same key. Try again when it has ended.'
      throw new PunctualError('key_busy', message, { field: 'key', cause })
    })
    const got = new Set(taken.map(([, newId]) => newId))
    return replays.filter(({ key, newId }) => key === null || got.has(newId))
  }

  /** The live run that has a key; null when it has just been freed. */
  async holderOf(key: string, tenantId: number): Promise<string | null> {
    const { database } = this.#options
    const statement = database.statement('submit/find-keys')
    const [row] = await database.control.query(statement, [tenantId, [key]])
    return row?.[1] ?? null
  }

  /** Returns the lanes that have something due once this is committed. */
  async insert(
    client: pg.Client,
    replays: readonly Replay[],
    options: { by: string | null; fromCheckpoint: boolean },
  ): Promise<number[]> {
    if (replays.length === 0) return []
    const rows = await this.run(client, 'dead-letters/insert-replays', [
      uuidArray(replays.map(({ id }) => id)),
      uuidArray(replays.map(({ newId }) => newId)),
      textArray(replays.map(({ payload }) => payload)),
      options.by,
      options.fromCheckpoint,
      this.#sequence,
    ])
    this.#sequence = (this.#sequence + replays.length) % (1 << 20)
    return rows.map(([lane]) => Number(lane))
  }

  /** Hints at what became due. */
  queued(lanes: readonly number[]): void {
    if (lanes.length > 0) this.#options.onQueued(lanes)
  }
}
