/**
 * Opens the operator of a command: the server if one is given, else the library on the database.
 */

import type { Operator } from '../runtime/operator.ts'
import type { CommandContext } from '../runtime/perform.ts'
import { openPunctual } from './open-punctual.ts'
import { openRemote } from './remote/open-remote.ts'

export async function openOperator(context: CommandContext): Promise<Operator> {
  if (context.config.server !== null) return openRemote(context.config.server, context.config)
  const punctual = await openPunctual(context)
  return {
    jobs: punctual.jobs,
    runs: punctual.runs,
    deadLetters: punctual.deadLetters,
    queues: punctual.queues,
    submit: punctual.submit.bind(punctual),
    nowMs: () => punctual.store.database.clock.nowMs(),
  }
}
