/**
 * `punctual tenants erase <name> --confirm <name>`: deletes a tenant and all of its data
 * permanently.
 */
import type { Command } from 'commander'
import { createProgressLine } from '../../output/progress-line.ts'
import { exit } from '../../runtime/exit-code.ts'
import { type CommandContext, perform } from '../../runtime/perform.ts'
import { addFlags } from '../../runtime/setting-flags.ts'
import { openPunctual } from '../../target/open-punctual.ts'

export function addTenantsErase(parent: Command): void {
  const command = parent
    .command('erase')
    .description('erase a tenant and all of its data permanently; repeat it to resume')
    .argument('<name>', 'name of the tenant')
    .requiredOption('--confirm <name>', 'the name again')
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
      progress?.show(`${rows} rows erased; table ${table} (${tablesDone + 1} of ${tables})`),
  })
  progress?.clear()
  if (json) terminal.json(result)
  else {
    terminal.line(`Erased the tenant ${result.name} (${result.id}): ${result.rows} rows.`)
    terminal.line(
      'Not erased: its id, an entry in the audit log of the installation, schedule rules, and backups.',
    )
  }
  return exit.ok
}
