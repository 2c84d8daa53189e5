/** `punctual tenants erase <name> --confirm <name>`: everything of a tenant, for good. */
import type { Command } from 'commander'
import { createProgressLine } from '../../output/progress-line.ts'
import { exit } from '../../runtime/exit-code.ts'
import { type CommandContext, perform } from '../../runtime/perform.ts'
import { addFlags } from '../../runtime/setting-flags.ts'
import { openPunctual } from '../../target/open-punctual.ts'

export function addTenantsErase(parent: Command): void {
  const command = parent
    .command('erase')
    .description('erase a tenant and everything of it, for good; asking again goes on')
    .argument('<name>', 'its name')
    .requiredOption('--confirm <name>', 'its name again')
  addFlags(command, ['database'])
  command.action((name: string, flags: { confirm: string }) =>
    perform(command, (context) => erase(context, name, flags.confirm)),
  )
}

async function erase(context: CommandContext, name: string, confirm: string) {
  const { terminal, json, interrupts } = context
  const { tenants } = await openPunctual(context)
  const progress = createProgressLine()
  const result = await tenants.erase(name, {
    confirm,
    signal: interrupts.signal,
    onProgress: ({ table, tablesDone, tables, rows }) =>
      progress?.show(`${rows} rows are gone; ${table} (${tablesDone + 1} of ${tables})`),
  })
  progress?.clear()
  if (json) terminal.json(result)
  else {
    terminal.line(`Erased the tenant ${result.name} (${result.id}): ${result.rows} rows.`)
    terminal.line(
      'What stays: its number, an entry in the audit log of the installation, rules of schedules, and backups.',
    )
  }
  return exit.ok
}
