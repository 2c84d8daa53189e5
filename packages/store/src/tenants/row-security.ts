/**
 * Row security separates tenants a second time: requests of a tenant run as a role that sees only
 * that tenant's rows (migration 0010, docs/concepts/tenant-isolation.md), in case a statement lacks
 * its tenant predicate. The role and the tenant are settings of one transaction, so that a reused
 * connection keeps nothing of them.
 *
 * Where the role is missing, or this user may not act as it, there is no row security; the doctor
 * and the guarantees report that.
 */
import type { RowSecurityState } from '@punctual/core/ports'
import type pg from 'pg'
import type { Database } from '../connection/database.ts'
import { isForbidden } from '../connection/faults.ts'
import { BEGIN } from '../connection/pins.ts'
import { readRowSecurity as readState } from '../doctor/statements.gen.ts'

export async function readRowSecurity(
  client: pg.Client,
  database: Database,
): Promise<RowSecurityState> {
  const [found] = await database.runOn(client, readState(database.schema))
  if (!found?.role) return 'no_role'
  if (!found.member) return 'not_a_member'
  if (found.strong) return 'role_too_strong'
  return found.open === 0 ? 'up' : 'table_open'
}

export class RowSecurity {
  readonly #database: Database
  #state: RowSecurityState = 'no_role'

  constructor(database: Database) {
    this.#database = database
  }

  get state(): RowSecurityState {
    return this.#state
  }

  async refresh(client: pg.Client): Promise<void> {
    this.#state = await readRowSecurity(client, this.#database)
  }

  /** Creates what is missing of it, where the user's rights allow that. */
  async enable(client: pg.Client): Promise<void> {
    await this.refresh(client)
    if (this.#state === 'up') return
    const enable = `select ${this.#database.schema}.enable_all_row_security()`
    await client.query(enable).catch((error: unknown) => {
      if (!isForbidden(error)) throw error
    })
    await this.refresh(client)
  }

  /**
   * Limits every store call of the work to the rows of this tenant, and to its share of the
   * connections. The share holds without row security, too.
   */
  asTenant<T>(tenantId: number, work: () => Promise<T>): Promise<T> {
    const { schema, ambient } = this.#database
    if (this.#state !== 'up') return ambient.forTenant(tenantId, work)
    const tenant = `set local ${schema}.tenant = '${Math.trunc(tenantId)}'`
    const begin = `${BEGIN}; set local role ${schema}_tenant; ${tenant}`
    return ambient.withRowSecurity({ tenantId, begin }, work)
  }
}
