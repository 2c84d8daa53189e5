/** `punctual dead list`: dead letters, most recent first. */
import { type DeadLetter, type DeadLetterState, deadLetterStates } from '@punctual/core/dead-letter'
import type { Command } from 'commander'
import { parseCount } from '../../flags/counts.ts'
import {
  addDeadLetterFlags,
  type DeadLetterFlags,
  deadLetterFilter,
} from '../../flags/dead-letter-flags.ts'
import { showAge } from '../../flags/durations.ts'
import { showTable } from '../../output/table.ts'
import { exit } from '../../runtime/exit-code.ts'
import { type CommandContext, perform } from '../../runtime/perform.ts'
import { addFlags } from '../../runtime/setting-flags.ts'
import { openOperator } from '../../target/open-operator.ts'

const LIMIT_MAX = 1_000

interface Flags extends DeadLetterFlags {
  state?: DeadLetterState
  after?: string
  limit?: string
}

export function addDeadList(parent: Command): void {
  const command = parent.command('list').description('list dead letters, most recent first')
  addDeadLetterFlags(command)
    .option('--state <state>', `${deadLetterStates.join(', ')} (default: open)`)
    .option('--after <id>', 'continue after this id, the last one of the previous page')
    .option('--limit <n>', `maximum number of dead letters, up to ${LIMIT_MAX} (default: 50)`)
  addFlags(command, ['database', 'server'])
  command.action((flags: Flags) => perform(command, (context) => listDeadLetters(context, flags)))
}

async function listDeadLetters(context: CommandContext, flags: Flags) {
  const { terminal, json } = context
  const limit = parseCount('--limit', flags.limit ?? '50', LIMIT_MAX)
  const punctual = await openOperator(context)
  const deadLetters = await punctual.deadLetters.list({
    ...(await deadLetterFilter(flags, punctual)),
    ...(flags.state !== undefined && { state: flags.state }),
    ...(flags.after !== undefined && { after: flags.after }),
    limit,
  })
  if (json) terminal.json(deadLetters)
  else if (deadLetters.length === 0) terminal.line('No dead letters.')
  else showDeadLetters(context, deadLetters, punctual.nowMs())
  return exit.ok
}

function showDeadLetters(
  { terminal }: CommandContext,
  deadLetters: readonly DeadLetter[],
  nowMs: number,
) {
  showTable(
    terminal,
    ['ID', 'HANDLER', 'QUEUE', 'DIED', 'REASON', 'HANDLED', 'MESSAGE'],
    deadLetters.map(({ id, handler, queue, diedAt, reason, handled, error }) => [
      id,
      handler,
      queue,
      showAge(diedAt, nowMs),
      reason,
      handled ? `${handled.as} ${showAge(handled.at, nowMs)}` : '-',
      error ? `${error.name}: ${error.message}` : '',
    ]),
    ['QUEUE', 'HANDLED', 'REASON', 'MESSAGE'],
  )
}
