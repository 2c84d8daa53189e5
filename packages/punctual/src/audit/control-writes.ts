/**
 * The one seam through which control writes are recorded. A write and its entry are committed together or not at all. What
 * takes many transactions by its nature, as cancelling a million runs, is recorded twice: that it begins, before anything is
 * changed, and what it came to.
 *
 * The actor travels with the work (AsyncLocalStorage), so that no signature knows of it. Writes that a recorded write is made
 * of are not recorded again.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { type Actor, type AuditTarget, checkActor } from '@punctual/core/audit'
import type { PostgresStore, Queryable } from '@punctual/store'

/** What is said of one change. */
export interface Recorded {
  readonly action: string
  readonly target: AuditTarget
  /** Where it belongs to another chain than that of whoever asks; null for the installation. */
  readonly tenantId?: number | null
  readonly before?: unknown
  readonly after?: unknown
  readonly note?: string | null | undefined
}

/** What a write came to, and what is said of it: nothing where nothing changed. */
export interface Written<Result> {
  readonly result: Result
  readonly entries: readonly Recorded[]
}

/** A write of many transactions. */
export interface ManyWrites<Result> {
  readonly action: string
  readonly target: AuditTarget
  /** What was asked for: the filter and the options. */
  readonly asked: unknown
  readonly note?: string | null | undefined
  /** What it came to: counts. */
  came(result: Result): unknown
}

export class ControlWrites {
  readonly #store: PostgresStore
  readonly #byDefault: Actor
  readonly #actors = new AsyncLocalStorage<Actor>()
  readonly #recording = new AsyncLocalStorage<true>()

  constructor(store: PostgresStore, byDefault: Actor) {
    this.#store = store
    this.#byDefault = byDefault
  }

  /** Whoever asks for what is going on. */
  get actor(): Actor {
    return this.#actors.getStore() ?? this.#byDefault
  }

  /** Everything that is done within the work is done by this actor, who decides: nothing that is read there is behind. */
  as<T>(actor: Actor, work: () => T): T {
    const deciding = () => this.#store.database.transactions.deciding(work)
    return this.#actors.run(Object.freeze({ ...checkActor(actor) }), deciding)
  }

  /** A part of another write is told of by that one. */
  get recording(): boolean {
    return this.#recording.getStore() === true
  }

  /** Does the write, and appends what it says of itself in the same transaction, or in that of the caller. */
  record<T>(tenantId: number | null, write: () => Promise<Written<T>>, tx?: Queryable): Promise<T> {
    const done = async () => {
      const { result, entries } = await this.#recording.run(true, write)
      if (entries.length > 0) await this.#append(tenantId, entries, tx)
      return result
    }
    return tx ? done() : this.#store.transaction(done)
  }

  async recordMany<T>(
    tenantId: number | null,
    { action, target, asked, note, came }: ManyWrites<T>,
    work: () => Promise<T>,
  ): Promise<T> {
    const say = (what: string, after: object) =>
      this.#append(tenantId, [{ action: what, target, after, note }])
    await say(`${action}.begin`, { asked })
    try {
      const result = await this.#recording.run(true, work)
      await say(action, { asked, came: came(result) })
      return result
    } catch (error) {
      const failed = error instanceof Error ? error.message : String(error)
      // The error is what the caller is told; the beginning is recorded in any case.
      await say(action, { asked, failed }).catch(() => undefined)
      throw error
    }
  }

  async #append(
    tenantId: number | null,
    entries: readonly Recorded[],
    tx?: Queryable,
  ): Promise<void> {
    const { actor } = this
    const writes = entries.map(({ before = null, after = null, note = null, ...entry }) => ({
      ...{ tenantId, actor, before, after, note },
      ...entry,
    }))
    await this.#store.auditLog.append(writes, tx)
  }
}
