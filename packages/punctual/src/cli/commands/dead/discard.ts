/**
 * `punctual dead discard`: closes dead letters without running them again, one by id or many by
 * filter.
 */
import type { Command } from 'commander'
import { parseCount } from '../../flags/counts.ts'
import { createdBy } from '../../flags/created-by.ts'
import {
  addDeadLetterFlags,
  type DeadLetterFlags,
  deadLetterFilter,
  refuseFlagsOfMany,
} from '../../flags/dead-letter-flags.ts'
import { exit } from '../../runtime/exit-code.ts'
import type { Operator } from '../../runtime/operator.ts'
import { type CommandContext, perform } from '../../runtime/perform.ts'
import { addFlags } from '../../runtime/setting-flags.ts'
import { openOperator } from '../../target/open-operator.ts'

const LIMIT_MAX = 100_000

interface Flags extends DeadLetterFlags {
  reason: string
  all?: true
  limit?: string
  dryRun?: true
}

export function addDeadDiscard(parent: Command): void {
  const command = parent
    .command('discard')
    .description('close dead letters without running them again: one, or all that match')
    .argument('[id]', 'id of one dead letter')
    .requiredOption('--reason <text>', 'why; kept with the dead letters')
  addDeadLetterFlags(command)
    .option('--all', 'every open dead letter; required when no filter is given')
    .option('--limit <n>', `discard at most this many, up to ${LIMIT_MAX} (default: 10000)`)
    .option('--dry-run', 'show how many match and change nothing')
  addFlags(command, ['database', 'server'])
  command.action((id: string | undefined, flags: Flags) =>
    perform(command, (context) => discard(context, id, flags)),
  )
}

async function discard(context: CommandContext, id: string | undefined, flags: Flags) {
  if (id !== undefined) refuseFlagsOfMany(flags)
  const punctual = await openOperator(context)
  return id === undefined
    ? discardMany(context, punctual, flags)
    : discardOne(context, punctual, id, flags)
}

async function discardOne(
  { terminal, json }: CommandContext,
  { deadLetters }: Operator,
  id: string,
  { reason }: Flags,
) {
  const result = await deadLetters.discard(id, { reason, by: createdBy() })
  if (json) terminal.json({ id, result })
  else terminal.line(result === 'discarded' ? 'Discarded.' : 'The dead letter was already closed.')
  return result === 'discarded' ? exit.ok : exit.failure
}

async function discardMany({ terminal, json }: CommandContext, punctual: Operator, flags: Flags) {
  const result = await punctual.deadLetters.discardMany(await deadLetterFilter(flags, punctual), {
    ...{ reason: flags.reason, by: createdBy() },
    ...(flags.all && { all: true }),
    ...(flags.limit !== undefined && { limit: parseCount('--limit', flags.limit, LIMIT_MAX) }),
    ...(flags.dryRun && { dryRun: true }),
  })
  const { matching, discarded } = result
  if (json) terminal.json(result)
  else if (flags.dryRun) terminal.line(`${matching} would be discarded.`)
  else terminal.line(`Discarded ${discarded} of ${matching}.`)
  return exit.ok
}
