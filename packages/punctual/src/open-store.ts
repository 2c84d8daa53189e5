/** The database that a Punctual works on, ready to be used: the one that is named, or the embedded one. */
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
  /** Null when the database is somebody else's. */
  readonly server: EmbeddedServer | null
  readonly databaseUrl: string
}

/** Connects, or starts the embedded PostgreSQL, and brings the schema up to date; leaves nothing open when it rejects. */
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
