/** The library for a command that looks or submits: it runs no role and changes no schema. */
import { libraryOptions } from '../config/library-options.ts'
import { Punctual } from '../punctual.ts'
import { openDatabase } from './open-database.ts'
import type { CommandContext } from './perform.ts'

export async function openPunctual(context: CommandContext): Promise<Punctual> {
  const { url } = await openDatabase(context, 'use')
  const punctual = await Punctual.start({
    ...libraryOptions(context.config, []),
    databaseUrl: url,
    embedded: false,
    migrate: false,
  })
  context.onEnd(() => punctual.stop({ drainMs: 0 }))
  return punctual
}
