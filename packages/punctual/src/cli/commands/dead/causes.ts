/** `punctual dead causes`: dead letters grouped by cause, most frequent first. */
import { type DeadLetterState, deadLetterStates } from '@punctual/core/dead-letter'
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
  limit?: string
}

export function addDeadCauses(parent: Command): void {
  const command = parent
    .command('causes')
    .description('show dead letters grouped by cause, most frequent first')
  addDeadLetterFlags(command)
    .option('--state <state>', `${deadLetterStates.join(', ')} (default: open)`)
    .option('--limit <n>', `maximum number of causes, up to ${LIMIT_MAX} (default: 50)`)
  addFlags(command, ['database', 'server'])
  command.action((flags: Flags) =>
    perform(command, (context) => listDeadLetterCauses(context, flags)),
  )
}

async function listDeadLetterCauses(context: CommandContext, flags: Flags) {
  const { terminal, json } = context
  const limit = parseCount('--limit', flags.limit ?? '50', LIMIT_MAX)
  const punctual = await openOperator(context)
  const causes = await punctual.deadLetters.causes({
    ...(await deadLetterFilter(flags, punctual)),
    ...(flags.state !== undefined && { state: flags.state }),
    limit,
  })
  const nowMs = punctual.nowMs()
  if (json) terminal.json(causes)
  else if (causes.length === 0) terminal.line('No dead letters.')
  else
    showTable(
      terminal,
      ['COUNT', 'FIRST', 'LAST', 'HANDLERS', 'SAMPLE', 'FINGERPRINT'],
      causes.map((cause) => [
        cause.count,
        showAge(cause.firstDiedAt, nowMs),
        showAge(cause.lastDiedAt, nowMs),
        cause.handlers.join(', '),
        cause.sampleId,
        cause.fingerprint,
      ]),
      ['HANDLERS', 'FIRST'],
    )
  return exit.ok
}
