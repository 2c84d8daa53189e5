/** Migrates the schema, and checks at the start of a process that it can be used. */
import { defaults, PunctualError } from '@punctual/core/errors'
import type pg from 'pg'
import type { ClientPool } from '../connection/client-pool.ts'
import type { Database } from '../connection/database.ts'
import type { RowSecurity } from '../tenants/row-security.ts'
import { migrate, migrationStatus } from './migrations.ts'
import { checkDays, ensureDays, missingDay } from './partitions.ts'
import { checkKeys } from './primary-keys.ts'

const SERVER_VERSION_MIN = 15

export class SchemaReadiness {
  readonly #database: Database
  readonly #clientPool: ClientPool
  readonly #rowSecurity: RowSecurity

  constructor(database: Database, clientPool: ClientPool, rowSecurity: RowSecurity) {
    this.#database = database
    this.#clientPool = clientPool
    this.#rowSecurity = rowSecurity
  }

  /** Migrates the schema and makes the coming days; returns the names of the new migrations. */
  migrate(): Promise<readonly string[]> {
    return this.#clientPool.with(async (client) => {
      const applied = await migrate(client, this.#database.schema)
      await this.#makeDays(client)
      await this.#rowSecurity.enable(client)
      return applied.map((m) => `${String(m.version).padStart(4, '0')}_${m.name}`)
    })
  }

  #makeDays(client: pg.Client): Promise<readonly string[]> {
    const { schema, clock, localClock } = this.#database
    const pause = (ms: number) => localClock.sleep(ms)
    return ensureDays(client, schema, clock.nowMs(), defaults.partitionDaysAhead, pause)
  }

  /**
   * Throws unless this version supports the schema, its primary keys are valid, and today's
   * partitions exist. With `makeDays` it creates missing days: an installation that was off for
   * weeks has none left.
   */
  check({ makeDays = false, planning = false } = {}): Promise<void> {
    const { schema, clock } = this.#database
    return this.#clientPool.with(async (client) => {
      await checkServer(client)
      const { pending } = await migrationStatus(client, schema)
      const [first] = pending
      if (first)
        throw new PunctualError(
          'schema_missing',
          `The schema ${schema} lacks ${pending.length} migration(s), the first is ${first.version} (${first.name}). Run \`punctual migrate\`.`,
        )
      await this.#rowSecurity.enable(client)
      await checkKeys(client, this.#database, { planning })
      if (makeDays && (await missingDay(client, schema, clock.nowMs())) !== null)
        await this.#makeDays(client)
      await checkDays(client, schema, clock.nowMs())
    })
  }
}

async function checkServer(client: pg.Client): Promise<void> {
  const { rows } = await client.query('show server_version_num')
  const version = Math.floor(Number(rows[0].server_version_num) / 10_000)
  if (version < SERVER_VERSION_MIN)
    throw new PunctualError(
      'database_unsupported',
      `The server is PostgreSQL ${version}; Punctual needs ${SERVER_VERSION_MIN} or newer.`,
    )
}
