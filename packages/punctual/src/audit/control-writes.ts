/**
 * The one seam that records control writes. A write and its audit entry are committed together or
 * not at all. An operation that takes many transactions, such as cancelling a million runs, is
 * recorded twice: before anything is changed, and at the end with its result.
 */
import { type Actor, type AuditTarget, checkActor } from '@punctual/core/audit'
import type { PostgresStore, Queryable, WriteWith } from '@punctual/store'

/** One change, as it is recorded. */
export interface Recorded {
  readonly action: string
  readonly target: AuditTarget
  /** Overrides the chain that the entry goes to; null for the installation's chain. */
  readonly tenantId?: number | null
  /** Overrides the actor of the current call. */
  readonly actor?: Actor
  readonly before?: unknown
  readonly after?: unknown
  readonly note?: string | null | undefined
}

/** The result of a write and its audit entries: none when nothing changed. */
export interface Written<Result> {
  readonly result: Result
  readonly entries: readonly Recorded[]
}

/** A write that takes many transactions. */
export interface ManyWrites<Result> {
  readonly action: string
  readonly target: AuditTarget
  /** The filter and the options that the caller passed. */
  readonly request: unknown
  readonly note?: string | null | undefined
  /** The counts to record from the result. */
  summarise(result: Result): unknown
}

/** What an object needs to change something and to record the change. */
export interface WriteScope<TenantId extends number | null = number> {
  readonly store: PostgresStore
  readonly writes: ControlWrites
  /** The tenant whose chain gets the entries; null for the installation's chain. */
  readonly tenantId: TenantId
}

export class ControlWrites {
  readonly #store: PostgresStore
  readonly #byDefault: Actor

  constructor(store: PostgresStore, byDefault: Actor) {
    this.#store = store
    this.#byDefault = byDefault
  }

  /** The actor of the current call. */
  get actor(): Actor {
    return this.#store.database.ambient.actor ?? this.#byDefault
  }

  /**
   * Runs the work as this actor. Reads inside it use the primary, because the work may decide by
   * them.
   */
  as<T>(actor: Actor, work: () => T): T {
    return this.#store.database.ambient.as(Object.freeze({ ...checkActor(actor) }), work)
  }

  /** Performs the write and appends its entries in the same transaction, or in the caller's. */
  record<T>(
    tenantId: number | null,
    write: (writeWith: WriteWith) => Promise<Written<T>>,
    tx?: Queryable,
  ): Promise<T> {
    const perform = async (writeWith: WriteWith) => {
      const { result, entries } = await write(writeWith)
      if (entries.length > 0) await this.#append(tenantId, entries, tx)
      return result
    }
    if (tx) return perform({ tx })
    return this.#store.transaction((transaction) => perform({ transaction }))
  }

  /** Appends an entry, performs the write in its own transactions, and appends its result. */
  async recordMany<T>(
    tenantId: number | null,
    { action, target, request, note, summarise }: ManyWrites<T>,
    work: () => Promise<T>,
  ): Promise<T> {
    const append = (name: string, after: object) =>
      this.#append(tenantId, [{ action: name, target, after, note }])
    await append(`${action}.begin`, { request })
    try {
      const result = await work()
      await append(action, { request, result: summarise(result) })
      return result
    } catch (error) {
      const failed = error instanceof Error ? error.message : String(error)
      // The caller receives the first error; that the operation began is recorded in any case.
      await append(action, { request, failed }).catch(() => undefined)
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
