/** `punctual runs cancel <id>`: cancels a run, also one that is running. */
import type { Command } from 'commander'
import { exit } from '../exit-code.ts'
import { openPunctual } from '../open-punctual.ts'
import { type CommandContext, perform } from '../perform.ts'
import { addFlags } from '../setting-flags.ts'

const messages = {
  cancelled: 'Cancelled.',
  cancelling: 'It is running: its handler is asked to end, and in 30 s it is cancelled anyway.',
  already_finished: 'It has ended already; nothing to cancel.',
} as const

export function addRunsCancel(parent: Command): void {
  const command = parent
    .command('cancel')
    .description('cancel a run; the handler of one that is running is asked to end')
    .argument('<id>', 'the id of the run')
    .option('--reason <text>', 'kept with the run')
  addFlags(command, ['database'])
  command.action((id: string, flags: { reason?: string }) =>
    perform(command, (context) => cancelRun(context, id, flags.reason)),
  )
}

async function cancelRun({ terminal, json, ...rest }: CommandContext, id: string, reason?: string) {
  const { runs } = await openPunctual({ terminal, json, ...rest })
  const result = await runs.cancel(id, reason)
  if (json) terminal.json({ id, result })
  else terminal.line(messages[result])
  return result === 'already_finished' ? exit.failure : exit.ok
}
