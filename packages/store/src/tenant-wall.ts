/**
 * The second wall between tenants: requests of a tenant run as a role that sees the rows of that tenant only (migration
 * 0010, docs/concepts/tenant-wall.md), should a statement ever lack its predicate. The role and the tenant are settings of
 * one transaction, so that a connection that is used again knows nothing of them.
 *
 * Where the role is missing, or this connection may not work as it, there is one wall less; the doctor and the guarantees
 * say so.
 */
import type { TenantWallState } from '@punctual/core'
import type pg from 'pg'
import type { Database } from './database.ts'
import { BEGIN } from './pins.ts'

export async function readWall(client: pg.Client, database: Database): Promise<TenantWallState> {
  const { rows } = await client.query({
    text: database.statement('doctor/read-wall').text,
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

export class TenantWall {
  readonly #database: Database
  #state: TenantWallState = 'no_role'

  constructor(database: Database) {
    this.#database = database
  }

  get state(): TenantWallState {
    return this.#state
  }

  async look(client: pg.Client): Promise<void> {
    this.#state = await readWall(client, this.#database)
  }

  /** Makes what is missing of it, where that is allowed. */
  async raise(client: pg.Client): Promise<void> {
    await this.look(client)
    if (this.#state === 'up') return
    const raise = `select ${this.#database.schema}.raise_walls()`
    await client.query(raise).catch((error: { code?: string }) => {
      if (error.code !== NOT_ALLOWED) throw error
    })
    await this.look(client)
  }

  /** Everything that the store is asked for within the work sees and writes rows of this tenant only. */
  behind<T>(tenantId: number, work: () => Promise<T>): Promise<T> {
    if (this.#state !== 'up') return work()
    const { schema, transactions } = this.#database
    const settings = [`role ${schema}_tenant`, `${schema}.tenant = '${Math.trunc(tenantId)}'`]
    const wall = [BEGIN, ...settings.map((setting) => `set local ${setting}`)].join('; ')
    return transactions.behind(wall, work)
  }
}
