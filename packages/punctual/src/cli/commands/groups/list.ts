/** `punctual groups`: groups of runs, newest first. */
import { PunctualError } from '@punctual/core/errors'
import type { GroupSummary } from '@punctual/core/run'
import type { Command } from 'commander'
import { parseCount } from '../../flags/counts.ts'
import { showAge } from '../../flags/durations.ts'
import { showTable } from '../../output/table.ts'
import { exit } from '../../runtime/exit-code.ts'
import { type CommandContext, perform } from '../../runtime/perform.ts'
import { addFlags } from '../../runtime/setting-flags.ts'
import { openPunctual } from '../../target/open-punctual.ts'

const LIMIT_MAX = 1_000

interface Flags {
  done?: true
  notDone?: true
  before?: string
  limit?: string
}

export function addGroupsList(parent: Command): void {
  const command = parent
    .command('list', { isDefault: true })
    .description('list groups of runs, newest first')
    .option('--done', 'only groups that are done')
    .option('--not-done', 'only groups that are not done')
    .option('--before <id>', 'continue before this id, the last one of the previous page')
    .option('--limit <n>', `maximum number of groups, up to ${LIMIT_MAX} (default: 50)`)
  addFlags(command, ['database'])
  command.action((flags: Flags) => perform(command, (context) => listGroups(context, flags)))
}

async function listGroups(context: CommandContext, flags: Flags) {
  const { terminal, json } = context
  const limit = parseCount('--limit', flags.limit ?? '50', LIMIT_MAX)
  if (flags.done && flags.notDone)
    throw new PunctualError('invalid_option', '--done and --not-done exclude each other.', {
      field: '--done',
    })
  const punctual = await openPunctual(context)
  const groups = await punctual.groups.list({
    ...((flags.done || flags.notDone) && { done: flags.done === true }),
    ...(flags.before !== undefined && { before: flags.before }),
    limit,
  })
  if (json) terminal.json(groups)
  else if (groups.length === 0) terminal.line('No groups.')
  else showGroups(context, groups, punctual.store.database.clock.nowMs())
  return exit.ok
}

function showGroups({ terminal }: CommandContext, groups: readonly GroupSummary[], nowMs: number) {
  const { green, yellow } = terminal.colors
  showTable(
    terminal,
    ['ID', 'NAME', 'STATE', 'RUNS', 'CREATED', 'DONE'],
    groups.map(({ id, name, open, done, total, createdAt, doneAt }) => [
      id,
      name ?? '-',
      done ? green('done') : open ? yellow('open') : 'closed',
      total,
      showAge(createdAt, nowMs),
      doneAt ? showAge(doneAt, nowMs) : '-',
    ]),
    ['CREATED', 'DONE'],
  )
}
