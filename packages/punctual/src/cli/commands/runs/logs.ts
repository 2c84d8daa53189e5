/** `punctual runs logs <id>`: the log of a run, whole or only its end. */
import { limits } from '@punctual/core/errors'
import type { Command } from 'commander'
import { parseCount } from '../../flags/counts.ts'
import { printLogLine, readLog, readLogEnd } from '../../output/log-lines.ts'
import { exit } from '../../runtime/exit-code.ts'
import { type CommandContext, perform } from '../../runtime/perform.ts'
import { addFlags } from '../../runtime/setting-flags.ts'
import { openOperator } from '../../target/open-operator.ts'
import { findRun } from './show.ts'

const LAST_MAX = limits.logLinesPerPage - 1

export function addRunsLogs(parent: Command): void {
  const command = parent
    .command('logs')
    .description('show the log of a run')
    .argument('<id>', 'id of the run')
    .option('--last <n>', `only the last n lines, up to ${LAST_MAX}`)
  addFlags(command, ['database', 'server'])
  command.action((id: string, flags: { last?: string }) =>
    perform(command, (context) => showLogs(context, id, flags.last)),
  )
}

async function showLogs(context: CommandContext, id: string, last?: string) {
  const count = last === undefined ? null : parseCount('--last', last, LAST_MAX)
  const { runs } = await openOperator(context)
  await findRun(runs, id)
  const { lines, earlier } =
    count === null
      ? { lines: await readLog(runs, id), earlier: false }
      : await readLogEnd(runs, id, count)
  if (earlier) context.terminal.note('Earlier lines are omitted.')
  if (context.json) context.terminal.json(lines)
  else if (lines.length === 0) context.terminal.note('The run has logged nothing.')
  else for (const line of lines) printLogLine(context.terminal, line, false)
  return exit.ok
}
