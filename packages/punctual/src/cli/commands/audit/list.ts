/** `punctual audit list`: who changed what, the newest first. */
import type { AuditEntry } from '@punctual/core/audit'
import { limits } from '@punctual/core/errors'
import type { Command } from 'commander'
import { parseCount } from '../../flags/counts.ts'
import { parsePastMoment } from '../../flags/instants.ts'
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
    .description('show who changed what, the newest first')
    .option('--action <action>', 'only this, such as job.pause; job.* is all that begins so')
    .option('--target <target>', 'only changes of this, by its id or name')
    .option('--actor <actor>', 'only changes by this one, by its id or name')
    .option('--from <time>', 'only from this moment on')
    .option('--to <time>', 'only before this moment')
    .option('--after <id>', 'those after this one, which are older: the last of the page before')
    .option('--limit <n>', `at most so many, up to ${limits.auditEntriesPerPage} (default: 50)`)
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
  const moment = (flag: string, text: string) => parsePastMoment(flag, text, config.timezone, nowMs)
  const entries = await punctual.audit.list({
    ...(action !== undefined && { action }),
    ...(target !== undefined && { target }),
    ...(actor !== undefined && { actor }),
    ...(after !== undefined && { after }),
    ...(from !== undefined && { from: moment('--from', from) }),
    ...(to !== undefined && { to: moment('--to', to) }),
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
    ['AT', 'TENANT', 'WHO', 'ACTION', 'TARGET', 'NOTE', 'CHANGE'],
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
