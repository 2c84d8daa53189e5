/** `punctual audit list`: who changed what, newest first. */
import type { AuditEntry } from '@punctual/core/audit'
import { limits } from '@punctual/core/errors'
import type { Command } from 'commander'
import { parseCount } from '../../flags/counts.ts'
import { parsePastInstant } from '../../flags/instants.ts'
import { showTable } from '../../output/table.ts'
import { exit } from '../../runtime/exit-code.ts'
import { type CommandContext, perform } from '../../runtime/perform.ts'
import { addFlags } from '../../runtime/setting-flags.ts'
import { openPunctual } from '../../target/open-punctual.ts'
import { chosenTenant } from './audit-flags.ts'

interface Flags {
  action?: string
  target?: string
  actor?: string
  from?: string
  to?: string
  after?: string
  limit?: string
  tenant?: string
}

export function addAuditList(parent: Command): void {
  const command = parent
    .command('list', { isDefault: true })
    .description('show who changed what, newest first')
    .option('--action <action>', 'only this action, such as job.pause; job.* matches a prefix')
    .option('--target <target>', 'only changes of this target, by id or name')
    .option('--actor <actor>', 'only changes by this actor, by id or name')
    .option('--from <time>', 'only changes at or after this time')
    .option('--to <time>', 'only changes before this time')
    .option('--after <id>', 'continue after this entry, the last one of the previous page')
    .option(
      '--limit <n>',
      `maximum number of entries, up to ${limits.auditEntriesPerPage} (default: 50)`,
    )
    .option('--tenant <name>', 'only of this tenant, or of the installation (default: all)')
  addFlags(command, ['database'])
  command.action((flags: Flags) => perform(command, (context) => listEntries(context, flags)))
}

async function listEntries(context: CommandContext, flags: Flags) {
  const { terminal, json, config } = context
  const { action, target, actor, after, from, to, tenant } = flags
  const limit = parseCount('--limit', flags.limit ?? '50', limits.auditEntriesPerPage)
  const punctual = await openPunctual(context)
  const tenantId = await chosenTenant(punctual, tenant)
  const nowMs = punctual.store.database.clock.nowMs()
  const instant = (flag: string, text: string) =>
    parsePastInstant(flag, text, config.timezone, nowMs)
  const entries = await punctual.audit.list({
    ...(action !== undefined && { action }),
    ...(target !== undefined && { target }),
    ...(actor !== undefined && { actor }),
    ...(after !== undefined && { after }),
    ...(from !== undefined && { from: instant('--from', from) }),
    ...(to !== undefined && { to: instant('--to', to) }),
    ...(tenantId !== undefined && { tenantId }),
    limit,
  })
  if (json) terminal.json(entries)
  else if (entries.length === 0) terminal.line('No entries.')
  else showEntries(context, entries)
  return exit.ok
}

function shown(value: unknown): string {
  return value === null ? '-' : JSON.stringify(value)
}

function showEntries({ terminal }: CommandContext, entries: readonly AuditEntry[]): void {
  showTable(
    terminal,
    ['AT', 'TENANT', 'ACTOR', 'ACTION', 'TARGET', 'NOTE', 'CHANGE'],
    entries.map(({ at, tenantId, actor, action, target, note, before, after }) => [
      at.toISOString(),
      tenantId ?? '-',
      `${actor.kind} ${actor.name ?? actor.id ?? ''}`.trim(),
      action,
      target.name ?? target.id ?? `(${target.kind})`,
      note ?? '-',
      `${shown(before)} -> ${shown(after)}`,
    ]),
    ['CHANGE', 'NOTE', 'TENANT'],
  )
}
