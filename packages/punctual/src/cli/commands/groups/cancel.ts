/** `punctual groups cancel <id>`: closes a group and cancels what has not ended. */
import type { Command } from 'commander'
import { exit } from '../../runtime/exit-code.ts'
import { type CommandContext, perform } from '../../runtime/perform.ts'
import { addFlags } from '../../runtime/setting-flags.ts'
import { openPunctual } from '../../target/open-punctual.ts'

interface Flags {
  reason?: string
}

export function addGroupsCancel(parent: Command): void {
  const command = parent
    .command('cancel')
    .description('close a group and cancel those of its runs that have not ended')
    .argument('<id>', 'its id, as `punctual groups` shows it')
    .option('--reason <text>', 'kept with the runs')
  addFlags(command, ['database'])
  command.action((id: string, flags: Flags) =>
    perform(command, (context) => cancelGroup(context, id, flags)),
  )
}

async function cancelGroup(context: CommandContext, id: string, flags: Flags) {
  const { terminal, json } = context
  const punctual = await openPunctual(context)
  const { cancelled, cancelling } = await punctual.groups.cancel(id, flags.reason)
  if (json) terminal.json({ id, cancelled, cancelling })
  else
    terminal.line(
      cancelled + cancelling === 0
        ? 'All of its runs have ended already.'
        : `${cancelled} cancelled; ${cancelling} running, whose handlers are asked to end.`,
    )
  return exit.ok
}
