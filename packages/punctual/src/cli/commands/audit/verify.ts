/** `punctual audit verify`: whether the audit log is intact. Exit 1 when it is not. */
import type { AuditVerification } from '@punctual/core/audit'
import type { Command } from 'commander'
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
    .description('prove that no entry of the audit log was changed, removed or inserted')
    .option('--tenant <name>', 'only of this tenant, or of the installation (default: all)')
    .option(
      '--expect-head <head>',
      'a chain head that this command printed earlier; @file reads one per line; may be repeated',
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
    ['TENANT', 'SEALED', 'UNSEALED', 'RESULT'],
    chains.map(({ tenantId, sealed, unsealed, fault }) => [
      tenantId ?? 'installation',
      sealed,
      unsealed,
      fault ? colors.red(`${fault.kind}: ${fault.message}`) : colors.green('intact'),
    ]),
  )
  line()
  if (clean) showHeads(terminal, chains)
  else line(colors.red('The audit log is not intact.'))
}

function showHeads({ line }: Terminal, chains: AuditVerification['chains']): void {
  line('Store these heads where nobody with write access to the database can change them, and')
  line('pass them to the next verification with --expect-head:')
  for (const { tenantId, head } of chains) if (head) line(`  ${showHead(tenantId, head)}`)
}
