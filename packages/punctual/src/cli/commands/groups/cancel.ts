/** `punctual groups cancel <id>`: closes a group and cancels its runs that have not ended. */
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
    .description('close a group and cancel its runs that have not ended')
    .argument('<id>', 'id of the group, as `punctual groups` shows it')
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
        ? 'All runs of the group have already ended.'
        : `${cancelled} cancelled; ${cancelling} running, whose handlers were signalled to stop.`,
    )
  return exit.ok
}
