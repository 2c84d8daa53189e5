/**
 * What travels with a caller's work instead of standing in every signature (ADR 0020): the tenant
 * of row security, the actor of the audit log, whether the work decides something, and the
 * transaction that reads and changes take part in. Submissions get their transaction as an
 * argument.
 *
 * Work that must not be rolled back with the caller's, such as filling a cache, runs `outside`.
 * Work that is only right once the change is committed, such as a hint, waits until `afterCommit`.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Actor } from '@punctual/core/audit'
import type pg from 'pg'
import { OpenTransaction, type TransactionSettings } from './open-transaction.ts'
import { SYSTEM_KEYS } from './shares/fair-shares.ts'

interface Context {
  readonly transaction: OpenTransaction | null
  /**
   * The tenant whose share of the connections the work uses: `SYSTEM_KEYS` for requests with keys of
   * the installation, null for its roles and for programs.
   */
  readonly tenantId: number | null
  /** The text that begins a transaction under the row security of a tenant. */
  readonly rowSecurity: string | null
  /** The work decides something: its reads come from the server that it writes to. */
  readonly deciding: boolean
  /** Who changes something; null for the default of the process. */
  readonly actor: Actor | null
}

const NOTHING: Context = {
  transaction: null,
  tenantId: null,
  rowSecurity: null,
  deciding: false,
  actor: null,
}

/** A tenant, and the text that begins its transactions under row security. */
interface TenantBegin {
  readonly tenantId: number
  readonly begin: string
}

/** The context of the work that runs now, on one database. */
export class Ambient {
  readonly #storage = new AsyncLocalStorage<Context>()

  get #context(): Context {
    return this.#storage.getStore() ?? NOTHING
  }

  #with<T>(changes: Partial<Context>, work: () => T): T {
    return this.#storage.run({ ...this.#context, ...changes }, work)
  }

  /** The caller's transaction; null if it has none, or one that has ended. */
  get transaction(): OpenTransaction | null {
    const { transaction } = this.#context
    return transaction?.open ? transaction : null
  }

  /** Whose share of the connections the work here uses; null for roles and programs. */
  get tenantId(): number | null {
    return this.#context.tenantId
  }

  /** The text that begins a transaction here; null without row security. */
  get rowSecurity(): string | null {
    return this.#context.rowSecurity
  }

  /** Who changes something here; null when nobody was named. */
  get actor(): Actor | null {
    return this.#context.actor
  }

  /** Whether the caller must read the primary: it is in a transaction, or decides something. */
  get decides(): boolean {
    return this.transaction !== null || this.#context.deciding
  }

  /** Runs the work within the share of connections that the keys of the installation have. */
  forSystemKeys<T>(work: () => T): T {
    return this.#with({ tenantId: SYSTEM_KEYS }, work)
  }

  /** Runs the work within the share of connections of a tenant. */
  forTenant<T>(tenantId: number, work: () => T): T {
    return this.#with({ tenantId }, work)
  }

  /** Runs the work under row security: this text begins every transaction and lone statement. */
  withRowSecurity<T>({ tenantId, begin }: TenantBegin, work: () => T): T {
    const changes = { tenantId, rowSecurity: begin, deciding: this.decides }
    return this.#with({ transaction: null, ...changes }, work)
  }

  /** Runs work that decides something: it reads nothing from a replica that lags. */
  deciding<T>(work: () => T): T {
    return this.#with({ deciding: true }, work)
  }

  /** Runs the work as this actor, which may decide by what it reads. */
  as<T>(actor: Actor, work: () => T): T {
    return this.#with({ actor, deciding: true }, work)
  }

  /** Runs the work outside the caller's transaction and row security. */
  outside<T>(work: () => T): T {
    const { transaction, rowSecurity } = this.#context
    if (transaction === null && rowSecurity === null) return work()
    return this.#with({ transaction: null, rowSecurity: null }, work)
  }

  /**
   * Runs the work after the commit of a transaction, by default the caller's; with null at once,
   * and then resolves with it.
   */
  async afterCommit(
    work: () => unknown,
    transaction: OpenTransaction | null = this.transaction,
  ): Promise<void> {
    if (transaction) transaction.afterCommit(work)
    else await this.outside(work)
  }

  /** Defers the work until the commit and returns true; without a transaction returns false. */
  defers(work: () => unknown): boolean {
    const { transaction } = this
    transaction?.afterCommit(work)
    return transaction !== null
  }

  /** Runs the work in a transaction that was begun on this connection; the caller commits. */
  async within<T>(
    client: pg.Client,
    settings: Omit<TransactionSettings, 'rowSecurity'>,
    work: (transaction: OpenTransaction) => Promise<T>,
  ): Promise<{ value: T; afterCommit: readonly (() => unknown)[] }> {
    const rowSecurity = this.rowSecurity !== null
    const transaction = new OpenTransaction(client, { ...settings, rowSecurity })
    try {
      const value = await this.#with({ transaction, deciding: true }, () => work(transaction))
      return { value, afterCommit: transaction.takeAfterCommit() }
    } finally {
      transaction.open = false
    }
  }
}
