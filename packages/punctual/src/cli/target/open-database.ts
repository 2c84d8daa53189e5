/**
 * Opens the database of a command: the one given, or the embedded one. An embedded server that
 * `punctual start` already runs is shared; otherwise the command starts one and stops it at its
 * end.
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
 * How a command uses an embedded database: `own` it exclusively, `have` it, shared or started and
 * created if necessary, or `use` it only if it exists (a listing in the wrong directory must not
 * create a database there).
 */
export type EmbeddedMode = 'own' | 'have' | 'use'

export interface OpenedDatabase {
  readonly url: string
  /** Set when this process owns the embedded server. */
  readonly server: EmbeddedServer | null
  /** For output; without a password. */
  readonly description: string
}

export async function openDatabase(
  context: CommandContext,
  mode: EmbeddedMode,
  onExit?: (exit: EmbeddedExit) => void,
): Promise<OpenedDatabase> {
  refuseServer(context)
  // Refuses what the library would refuse before anything is started.
  const { databaseUrl, dataDir } = compileOptions(libraryOptions(context.config, []), process.env)
  if (databaseUrl !== null)
    return { url: databaseUrl, server: null, description: showUrl(databaseUrl) }
  if (mode === 'use' && !(await isEmbeddedDataDir(dataDir)))
    throw new PunctualError(
      'database_unavailable',
      `No database: DATABASE_URL is not set, and ${dataDir} contains no embedded database.`,
    )
  try {
    const server = await startOwned(context, dataDir, onExit)
    const description = `embedded PostgreSQL ${server.version} in ${dataDir}`
    return { url: server.url, server, description }
  } catch (error) {
    const taken = error instanceof EmbeddedError && error.code === EmbeddedErrorCode.DataDirInUse
    if (!taken || mode === 'own') throw error
    const url = await attachEmbedded(dataDir, { signal: context.interrupts.signal })
    return { url, server: null, description: `embedded PostgreSQL in ${dataDir} (shared)` }
  }
}

/** Only a --server flag is refused; the variable may be set for other commands. */
function refuseServer({ resolved }: CommandContext): void {
  if (resolved.sources.server.origin !== 'flag') return
  throw new CliError('not_over_http', 'This command needs the database; got --server.', {
    hint: 'Remove --server, and set DATABASE_URL or --database-url.',
  })
}

async function startOwned(
  context: CommandContext,
  dataDir: string,
  onExit: ((exit: EmbeddedExit) => void) | undefined,
): Promise<EmbeddedServer> {
  const { signal } = context.interrupts
  const starting = startEmbedded({ dataDir, signal, ...(onExit && { onExit }) })
  // Registered before the server has started: a signal may arrive in between.
  const stop = async () => (await starting.catch(() => null))?.stop()
  context.onEnd(stop)
  context.onHurry(stop)
  return starting
}
