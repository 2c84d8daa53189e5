/**
 * Row security separates tenants a second time: requests of a tenant run as a role that sees only
 * that tenant's rows (migrations 0010 and 0012, docs/concepts/tenant-isolation.md), in case a
 * statement lacks its tenant predicate. The role and the tenant are settings of one transaction, so
 * that a reused connection keeps nothing of them.
 *
 * It fails closed. Once it has been in force in a schema, the schema requires it: a process that
 * cannot use it refuses the requests of tenants, says so to its readiness probe, and reads the
 * state again until it is repaired. Only an installation whose owner could never create the role
 * runs without it; the doctor and the guarantees report that.
 */
import { PunctualError } from '@punctual/core/errors'
import type { RowSecurityState } from '@punctual/core/ports'
import type pg from 'pg'
import type { Database } from '../connection/database.ts'
import { isForbidden, isTransient } from '../connection/faults.ts'
import { BEGIN } from '../connection/pins.ts'
import { type ReadRowSecurityRow, readRowSecurity as readState } from '../doctor/statements.gen.ts'
import type { Call } from '../sql/typed.ts'

/** How long a process that refuses requests of tenants waits before it reads the state again. */
const LOOK_AGAIN_MS = 2_000

export interface RowSecurityFacts {
  readonly state: RowSecurityState
  /** Whether it has been in force in this schema, so that nothing of a tenant runs without it. */
  readonly required: boolean
}

const UNKNOWN: RowSecurityFacts = { state: 'no_role', required: true }

function factsFrom(row: ReadRowSecurityRow | undefined): RowSecurityFacts {
  return row ? { state: stateOf(row), required: row.required } : UNKNOWN
}

function stateOf(row: ReadRowSecurityRow): RowSecurityState {
  if (!row.role) return 'no_role'
  if (!row.member) return 'not_a_member'
  if (!row.login) return 'login_not_granted'
  if (row.strong) return 'role_too_strong'
  if (row.open > 0) return 'table_open'
  return row.closed > 0 ? 'table_closed' : 'up'
}

/** Whether requests may run as the role: a table without policy and privileges shows it nothing. */
function isUsable(state: RowSecurityState): boolean {
  return state === 'up' || state === 'table_closed'
}

/** `run` sends a statement on a connection of the caller's choice. */
export async function readRowSecurity(
  run: <Row>(call: Call<Row>) => Promise<Row[]>,
  schema: string,
): Promise<RowSecurityFacts> {
  const [row] = await run(readState(schema))
  return factsFrom(row)
}

export class RowSecurity {
  readonly #database: Database
  #facts = UNKNOWN
  /** When the state was read last, by the monotonic clock; null before the first time. */
  #readAtMs: number | null = null
  #looking: Promise<void> | null = null

  constructor(database: Database) {
    this.#database = database
  }

  get state(): RowSecurityState {
    return this.#facts.state
  }

  /** Why requests of tenants are refused; null when they are not. */
  get refusal(): PunctualError | null {
    const { state, required } = this.#facts
    if (isUsable(state) || !required) return null
    return new PunctualError(
      'row_security_missing',
      `This installation separates tenants by row security, which this process cannot use (${state}). It refuses the requests of tenants. Run \`punctual doctor\` with the database URL of this process: it says what is missing.`,
    )
  }

  async refresh(client: pg.Client): Promise<void> {
    const database = this.#database
    this.#found(await readRowSecurity((call) => database.runOn(client, call), database.schema))
  }

  #found(facts: RowSecurityFacts): void {
    this.#facts = facts
    this.#readAtMs = this.#database.localClock.monotonicMs()
  }

  /** Creates what is missing of it, where the user's rights and the locks of others allow that. */
  async enable(client: pg.Client): Promise<void> {
    await this.refresh(client)
    if (this.#facts.state === 'up' && this.#facts.required) return
    const enable = `select ${this.#database.schema}.enable_all_row_security()`
    try {
      await client.query(`${BEGIN}; set local lock_timeout = '2s'; ${enable}; commit`)
    } catch (error) {
      await client.query('rollback').catch(() => undefined)
      // The janitor tries again within an hour.
      if (!isForbidden(error) && !isTransient(error)) throw error
    }
    await this.refresh(client)
  }

  /**
   * Limits every store call of the work to the rows of this tenant, and to its share of the
   * connections. The share holds without row security, too.
   */
  asTenant<T>(tenantId: number, work: () => Promise<T>): Promise<T> {
    if (isUsable(this.#facts.state)) return this.#asRole(tenantId, work)
    return this.#whenKnown(tenantId, work)
  }

  #asRole<T>(tenantId: number, work: () => Promise<T>): Promise<T> {
    const { schema, ambient } = this.#database
    const tenant = `set local ${schema}.tenant = '${Math.trunc(tenantId)}'`
    const begin = `${BEGIN}; set local role ${schema}_tenant; ${tenant}`
    return ambient.withRowSecurity({ tenantId, begin }, work)
  }

  /** Reads the state if that was not done, or if it may have been repaired since. */
  async #whenKnown<T>(tenantId: number, work: () => Promise<T>): Promise<T> {
    if (this.#readAtMs === null || this.refusal !== null) await this.look()
    if (isUsable(this.#facts.state)) return this.#asRole(tenantId, work)
    if (this.refusal) throw this.refusal
    return this.#database.ambient.forTenant(tenantId, work)
  }

  /** Reads the state again, unless it was read a short time ago. Callers share a reading. */
  async look(): Promise<void> {
    const nowMs = this.#database.localClock.monotonicMs()
    const isRecent = this.#readAtMs !== null && nowMs - this.#readAtMs < LOOK_AGAIN_MS
    if (isRecent && this.#looking === null) return
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null
    })
    await this.#looking
  }

  async #look(): Promise<void> {
    const { control, schema, ambient } = this.#database
    const [row] = await ambient.outside(() => control.run(readState(schema)))
    this.#found(factsFrom(row))
  }
}
