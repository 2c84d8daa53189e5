/** Opens the library for a command. It runs no roles and changes no schema. */
import { libraryOptions } from '../../config/library-options.ts'
import { Punctual } from '../../punctual.ts'
import { CliError } from '../runtime/cli-error.ts'
import type { CommandContext } from '../runtime/perform.ts'
import { cliActor } from './cli-actor.ts'
import { openDatabase } from './open-database.ts'

export async function openPunctual(context: CommandContext): Promise<Punctual> {
  if (context.config.server !== null)
    throw new CliError(
      'not_over_http',
      `This command needs the database, but ${context.resolved.sources.server.from} names a server.`,
      { hint: 'Unset the server, and set DATABASE_URL or --database-url.' },
    )
  const { url } = await openDatabase(context, 'use')
  const punctual = await Punctual.start({
    ...libraryOptions(context.config, []),
    databaseUrl: url,
    embedded: false,
    migrate: false,
    actor: cliActor(),
  })
  context.onEnd(() => punctual.stop({ drainMs: 0 }))
  return punctual
}
