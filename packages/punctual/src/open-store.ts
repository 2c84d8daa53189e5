/** Opens the database that a Punctual uses: the configured one, or the embedded one. */
import { randomUUID } from 'node:crypto'
import {
  asUnavailable,
  type EmbeddedServer,
  PostgresStore,
  startEmbedded,
  systemClock,
  systemRandom,
} from '@punctual/store'
import type { CompiledOptions } from './config/options.ts'

export interface OpenStore {
  readonly store: PostgresStore
  /** Null when the database was configured and not started by this process. */
  readonly server: EmbeddedServer | null
  readonly databaseUrl: string
}

/**
 * Connects, or starts the embedded PostgreSQL, and brings the schema up to date. When it rejects,
 * it leaves nothing open.
 */
export async function openStore(options: CompiledOptions): Promise<OpenStore> {
  const { migrate, preparedStatements, roles, schema } = options
  const server =
    options.databaseUrl === null ? await startEmbedded({ dataDir: options.dataDir }) : null
  const databaseUrl = options.databaseUrl ?? (server as EmbeddedServer).url
  const store = new PostgresStore({
    url: databaseUrl,
    schema,
    clock: systemClock,
    random: systemRandom,
    node: randomUUID(),
    keyring: options.keyring,
    outputBytes: options.outputBytes,
    ...(options.readDatabaseUrl !== null && { readUrl: options.readDatabaseUrl }),
    readLagMs: options.readLagMs,
    ...(preparedStatements !== undefined && { preparedStatements }),
  })
  try {
    if (migrate) await store.migrate()
    await store.check({ makeDays: roles.has('janitor'), planning: roles.has('planner') })
    return { store, server, databaseUrl }
  } catch (error) {
    await store.close()
    await server?.stop()
    throw asUnavailable(error)
  }
}
