/** `punctual runs logs <id>`: what the handler logged so far. */
import type { Command } from 'commander'
import { exit } from '../exit-code.ts'
import { printLogLine } from '../log-lines.ts'
import { openPunctual } from '../open-punctual.ts'
import { type CommandContext, perform } from '../perform.ts'
import { addFlags } from '../setting-flags.ts'
import { findRun } from './runs-show.ts'

export function addRunsLogs(parent: Command): void {
  const command = parent
    .command('logs')
    .description('show what the handler of a run has logged')
    .argument('<id>', 'the id of the run')
  addFlags(command, ['database'])
  command.action((id: string) => perform(command, (context) => showLogs(context, id)))
}

async function showLogs(context: CommandContext, id: string) {
  const { runs } = await openPunctual(context)
  await findRun(runs, id)
  const lines = await runs.logs(id)
  if (context.json) context.terminal.json(lines)
  else if (lines.length === 0) context.terminal.note('This run has logged nothing.')
  else for (const line of lines) printLogLine(context.terminal, line, false)
  return exit.ok
}
