/** `punctual dead list`: the runs that died, the last one first. */
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
  const command = parent.command('list').description('list dead letters, the last to die first')
  addDeadLetterFlags(command)
    .option('--state <state>', `${deadLetterStates.join(', ')} (default: open)`)
    .option('--after <id>', 'those after this one: the last of the page before')
    .option('--limit <n>', `at most so many, up to ${LIMIT_MAX} (default: 50)`)
  addFlags(command, ['database', 'server'])
  command.action((flags: Flags) => perform(command, (context) => listDeadLetters(context, flags)))
}

async function listDeadLetters(context: CommandContext, flags: Flags) {
  const { terminal, json } = context
  const limit = parseCount('--limit', flags.limit ?? '50', LIMIT_MAX)
  const punctual = await openOperator(context)
  const letters = await punctual.deadLetters.list({
    ...(await deadLetterFilter(flags, punctual)),
    ...(flags.state !== undefined && { state: flags.state }),
    ...(flags.after !== undefined && { after: flags.after }),
    limit,
  })
  if (json) terminal.json(letters)
  else if (letters.length === 0) terminal.line('No dead letters.')
  else showDeadLetters(context, letters, punctual.nowMs())
  return exit.ok
}

function showDeadLetters(
  { terminal }: CommandContext,
  letters: readonly DeadLetter[],
  nowMs: number,
) {
  showTable(
    terminal,
    ['ID', 'HANDLER', 'QUEUE', 'DIED', 'REASON', 'HANDLED', 'MESSAGE'],
    letters.map(({ id, handler, queue, diedAt, reason, handled, error }) => [
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
