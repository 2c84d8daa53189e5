/**
 * The database of a command: the one that is named, or the embedded one. An embedded server that runs
 * already, in `punctual start`, is shared; otherwise it is started for as long as the command takes.
 */
import { PunctualError } from '@punctual/core/errors'
import {
  attachEmbedded,
  EmbeddedError,
  EmbeddedErrorCode,
  type EmbeddedExit,
  type EmbeddedServer,
  isEmbeddedDataDir,
  startEmbedded,
} from '@punctual/store'
import { libraryOptions } from '../../config/library-options.ts'
import { compileOptions } from '../../config/options.ts'
import { showUrl } from '../../config/show-secret.ts'
import { CliError } from '../runtime/cli-error.ts'
import type { CommandContext } from '../runtime/perform.ts'

/**
 * What a command wants of an embedded database: to be its only owner, to have one whoever owns it, or to use
 * one only if it exists (a listing in the wrong directory must not make a new database there).
 */
export type EmbeddedWish = 'own' | 'have' | 'use'

export interface OpenedDatabase {
  readonly url: string
  /** Set when this process owns the embedded server. */
  readonly server: EmbeddedServer | null
  /** For people. */
  readonly description: string
}

export async function openDatabase(
  context: CommandContext,
  wish: EmbeddedWish,
  onExit?: (exit: EmbeddedExit) => void,
): Promise<OpenedDatabase> {
  refuseServer(context)
  // Refuses what the library would refuse, before anything is started.
  const { databaseUrl, dataDir } = compileOptions(libraryOptions(context.config, []), process.env)
  if (databaseUrl !== null)
    return { url: databaseUrl, server: null, description: showUrl(databaseUrl) }
  if (wish === 'use' && !(await isEmbeddedDataDir(dataDir)))
    throw new PunctualError(
      'database_unavailable',
      `There is no database: DATABASE_URL is not set, and ${dataDir} holds no embedded one.`,
    )
  try {
    const server = await startOwned(context, dataDir, onExit)
    const description = `embedded PostgreSQL ${server.version} in ${dataDir}`
    return { url: server.url, server, description }
  } catch (error) {
    const taken = error instanceof EmbeddedError && error.code === EmbeddedErrorCode.DataDirInUse
    if (!taken || wish === 'own') throw error
    const url = await attachEmbedded(dataDir, { signal: context.interrupts.signal })
    return { url, server: null, description: `embedded PostgreSQL in ${dataDir} (shared)` }
  }
}

/** What was said on the command line is meant; a variable may be there for other commands. */
function refuseServer({ resolved }: CommandContext): void {
  if (resolved.sources.server.origin !== 'flag') return
  throw new CliError('not_over_http', 'This command works on the database, not over --server.', {
    hint: 'Leave --server out, and name the database with DATABASE_URL or --database-url.',
  })
}

async function startOwned(
  context: CommandContext,
  dataDir: string,
  onExit: ((exit: EmbeddedExit) => void) | undefined,
): Promise<EmbeddedServer> {
  const { signal } = context.interrupts
  const starting = startEmbedded({ dataDir, signal, ...(onExit && { onExit }) })
  // Registered before it is there: a signal may come while it starts.
  const stop = async () => (await starting.catch(() => null))?.stop()
  context.onEnd(stop)
  context.onHurry(stop)
  return starting
}
