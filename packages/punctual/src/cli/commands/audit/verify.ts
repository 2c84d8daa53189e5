/** `punctual audit verify`: whether the audit log is as it was written. Exit 1 when it is not. */
import type { Command } from 'commander'
import type { AuditVerification } from '../../../audit/audit.ts'
import { showTable } from '../../output/table.ts'
import { exit } from '../../runtime/exit-code.ts'
import { type CommandContext, perform } from '../../runtime/perform.ts'
import { addFlags } from '../../runtime/setting-flags.ts'
import type { Terminal } from '../../runtime/terminal.ts'
import { openPunctual } from '../../target/open-punctual.ts'
import { chosenTenant, parseHeads, showHead } from './audit-flags.ts'

interface Flags {
  tenant?: string
  expectHead: string[]
}

export function addAuditVerify(parent: Command): void {
  const command = parent
    .command('verify')
    .description('prove that no entry of the audit log was changed, removed or put in')
    .option('--tenant <name>', 'only of this tenant, or of the installation (default: all)')
    .option(
      '--expect-head <head>',
      'an end that a chain had, as this command showed it; @file has one on each line. May be repeated',
      (head: string, all: string[]) => [...all, head],
      [],
    )
  addFlags(command, ['database'])
  command.action((flags: Flags) => perform(command, (context) => runVerify(context, flags)))
}

async function runVerify(context: CommandContext, { tenant, expectHead }: Flags) {
  const { terminal, json } = context
  const expect = parseHeads('--expect-head', expectHead)
  const punctual = await openPunctual(context)
  const tenantId = await chosenTenant(punctual, tenant)
  const result = await punctual.audit.verify({
    ...(tenantId !== undefined && { tenantId }),
    expect,
  })
  if (json) terminal.json(result)
  else showResult(context, result)
  return result.clean ? exit.ok : exit.failure
}

function showResult({ terminal }: CommandContext, { clean, chains }: AuditVerification): void {
  const { colors, line } = terminal
  if (chains.length === 0) {
    line('The audit log is empty.')
    return
  }
  showTable(
    terminal,
    ['TENANT', 'SEALED', 'NOT YET', 'FOUND'],
    chains.map(({ tenantId, sealed, unsealed, fault }) => [
      tenantId ?? 'installation',
      sealed,
      unsealed,
      fault ? colors.red(`${fault.kind}: ${fault.message}`) : colors.green('as it was written'),
    ]),
  )
  line()
  if (clean) showHeads(terminal, chains)
  else line(colors.red('The audit log is not as it was written.'))
}

function showHeads({ line }: Terminal, chains: AuditVerification['chains']): void {
  line('Keep these heads where nobody who can write to the database can write, and give them')
  line('to the next --expect-head:')
  for (const { tenantId, head } of chains) if (head) line(`  ${showHead(tenantId, head)}`)
}
