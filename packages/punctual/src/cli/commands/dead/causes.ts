/** `punctual dead groups`: what died alike, together; the largest group first. */
import { type LetterState, letterStates } from '@punctual/core/dead-letter'
import type { Command } from 'commander'
import { parseCount } from '../../flags/counts.ts'
import { addLetterFlags, type LetterFlags, letterFilter } from '../../flags/dead-letter-flags.ts'
import { showAge } from '../../flags/durations.ts'
import { showTable } from '../../output/table.ts'
import { exit } from '../../runtime/exit-code.ts'
import { type CommandContext, perform } from '../../runtime/perform.ts'
import { addFlags } from '../../runtime/setting-flags.ts'
import { openOperator } from '../../target/open-operator.ts'

const LIMIT_MAX = 1_000

interface Flags extends LetterFlags {
  state?: LetterState
  limit?: string
}

export function addDeadGroups(parent: Command): void {
  const command = parent
    .command('groups')
    .description('group dead letters by what they died of, the largest group first')
  addLetterFlags(command)
    .option('--state <state>', `${letterStates.join(', ')} (default: open)`)
    .option('--limit <n>', `at most so many groups, up to ${LIMIT_MAX} (default: 50)`)
  addFlags(command, ['database', 'server'])
  command.action((flags: Flags) => perform(command, (context) => groupLetters(context, flags)))
}

async function groupLetters(context: CommandContext, flags: Flags) {
  const { terminal, json } = context
  const limit = parseCount('--limit', flags.limit ?? '50', LIMIT_MAX)
  const punctual = await openOperator(context)
  const groups = await punctual.deadLetters.groups({
    ...(await letterFilter(flags, punctual)),
    ...(flags.state !== undefined && { state: flags.state }),
    limit,
  })
  const nowMs = punctual.nowMs()
  if (json) terminal.json(groups)
  else if (groups.length === 0) terminal.line('No dead letters.')
  else
    showTable(
      terminal,
      ['COUNT', 'FIRST', 'LAST', 'HANDLERS', 'SAMPLE', 'FINGERPRINT'],
      groups.map((group) => [
        group.count,
        showAge(group.firstDiedAt, nowMs),
        showAge(group.lastDiedAt, nowMs),
        group.handlers.join(', '),
        group.sampleId,
        group.fingerprint,
      ]),
      ['HANDLERS', 'FIRST'],
    )
  return exit.ok
}
