/**
 * The second wall between tenants: requests of a tenant run as a role that sees the rows of that tenant only (migration
 * 0010, docs/concepts/tenant-isolation.md), should a statement ever lack its predicate. The role and the tenant are settings of
 * one transaction, so that a connection that is used again knows nothing of them.
 *
 * Where the role is missing, or this connection may not work as it, there is one wall less; the doctor and the guarantees
 * say so.
 */
import type { RowSecurityState } from '@punctual/core/ports'
import type pg from 'pg'
import type { Database } from '../connection/database.ts'
import { BEGIN } from '../connection/pins.ts'

export async function readRowSecurity(
  client: pg.Client,
  database: Database,
): Promise<RowSecurityState> {
  const { rows } = await client.query({
    text: database.statement('doctor/read-row-security').text,
    values: [database.schema],
    rowMode: 'array',
  })
  const [role, member, strong, open] = rows[0] as unknown as (string | null)[]
  if (role !== 't') return 'no_role'
  if (member !== 't') return 'not_a_member'
  if (strong === 't') return 'role_too_strong'
  return open === '0' ? 'up' : 'table_open'
}

const NOT_ALLOWED = '42501'

export class RowSecurity {
  readonly #database: Database
  #state: RowSecurityState = 'no_role'

  constructor(database: Database) {
    this.#database = database
  }

  get state(): RowSecurityState {
    return this.#state
  }

  async look(client: pg.Client): Promise<void> {
    this.#state = await readRowSecurity(client, this.#database)
  }

  /** Makes what is missing of it, where that is allowed. */
  async raise(client: pg.Client): Promise<void> {
    await this.look(client)
    if (this.#state === 'up') return
    const raise = `select ${this.#database.schema}.enable_all_row_security()`
    await client.query(raise).catch((error: { code?: string }) => {
      if (error.code !== NOT_ALLOWED) throw error
    })
    await this.look(client)
  }

  /** Everything that the store is asked for within the work sees and writes rows of this tenant only. */
  asTenant<T>(tenantId: number, work: () => Promise<T>): Promise<T> {
    if (this.#state !== 'up') return work()
    const { schema, transactions } = this.#database
    const settings = [`role ${schema}_tenant`, `${schema}.tenant = '${Math.trunc(tenantId)}'`]
    const wall = [BEGIN, ...settings.map((setting) => `set local ${setting}`)].join('; ')
    return transactions.withRowSecurity(wall, work)
  }
}
