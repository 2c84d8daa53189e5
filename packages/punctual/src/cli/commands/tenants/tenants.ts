/** `punctual tenants list|create|show|update`: tenants and their quotas. */
import { PunctualError } from '@punctual/core/errors'
import type { Tenant } from '@punctual/core/identity'
import type { Command } from 'commander'
import type { Tenants } from '../../../tenants/tenants.ts'
import { parseCount } from '../../flags/counts.ts'
import { createdBy } from '../../flags/created-by.ts'
import { QUOTA_FLAG, quotasOf, quotasText } from '../../flags/quota-flags.ts'
import { showTable } from '../../output/table.ts'
import { exit } from '../../runtime/exit-code.ts'
import { type CommandContext, perform } from '../../runtime/perform.ts'
import { addFlags } from '../../runtime/setting-flags.ts'
import { openPunctual } from '../../target/open-punctual.ts'

const LIMIT_MAX = 1_000
const QUOTA_HELP = 'a quota, such as jobs=100 or timeoutMs=1h; may be repeated'

interface Flags {
  note?: string
  quota?: string[]
}

export function addTenantsList(parent: Command): void {
  const command = parent
    .command('list', { isDefault: true })
    .description('list tenants by name, with their quotas')
    .option('--after <name>', 'continue after this name, the last one of the previous page')
    .option('--limit <n>', `maximum number of tenants, up to ${LIMIT_MAX} (default: 100)`)
  addFlags(command, ['database'])
  command.action((flags: { after?: string; limit?: string }) =>
    perform(command, (context) => list(context, flags)),
  )
}

export function addTenantsCreate(parent: Command): void {
  const command = parent
    .command('create')
    .description('create a tenant')
    .argument('<name>', 'a-z, 0-9, dots, dashes and underscores')
    .option('--note <text>', 'note for operators')
    .option(QUOTA_FLAG, QUOTA_HELP)
  addFlags(command, ['database'])
  command.action((name: string, flags: Flags) =>
    perform(command, (context) => create(context, name, flags)),
  )
}

export function addTenantsShow(parent: Command): void {
  const command = parent
    .command('show')
    .description('show one tenant')
    .argument('<name>', 'name or id of the tenant')
  addFlags(command, ['database'])
  command.action((name: string) => perform(command, (context) => show(context, name)))
}

export function addTenantsUpdate(parent: Command): void {
  const command = parent
    .command('update')
    .description('change the note or the quotas of a tenant; the others stay')
    .argument('<name>', 'name of the tenant')
    .option('--note <text>', 'note for operators; empty removes it')
    .option(QUOTA_FLAG, `${QUOTA_HELP}; jobs=none removes a quota`)
  addFlags(command, ['database'])
  command.action((name: string, flags: Flags) =>
    perform(command, (context) => update(context, name, flags)),
  )
}

async function list(context: CommandContext, flags: { after?: string; limit?: string }) {
  const { terminal, json } = context
  const limit = parseCount('--limit', flags.limit ?? '100', LIMIT_MAX)
  const { tenants } = await openPunctual(context)
  const all = await tenants.list({
    limit,
    ...(flags.after !== undefined && { after: flags.after }),
  })
  if (json) terminal.json(all)
  else
    showTable(
      terminal,
      ['ID', 'NAME', 'STATE', 'NOTE', 'QUOTAS'],
      all.map((tenant) => [
        tenant.id,
        tenant.name,
        stateOf(tenant),
        tenant.note ?? '-',
        quotasText(tenant.quotas),
      ]),
      ['NOTE'],
    )
  const last = all.at(-1)
  if (last && all.length === limit)
    terminal.note(`There may be more. Continue with --after ${last.name}`)
  return exit.ok
}

function stateOf({ suspendedAt, erasingSince }: Tenant): string {
  if (erasingSince) return 'erasing'
  return suspendedAt ? 'suspended' : 'active'
}

async function create(context: CommandContext, name: string, { note, quota }: Flags) {
  const { tenants } = await openPunctual(context)
  const quotas = setOnly(quotasOf(quota))
  const options = { name, quotas, by: createdBy(), ...(note !== undefined && { note }) }
  return showTenant(context, await tenants.create(options))
}

/** Drops `none`: a new tenant has no quotas to remove. */
function setOnly(quotas: ReturnType<typeof quotasOf>): Tenant['quotas'] {
  return Object.fromEntries(Object.entries(quotas).filter(([, value]) => value !== null))
}

async function show(context: CommandContext, name: string) {
  return showTenant(context, await findTenant((await openPunctual(context)).tenants, name))
}

export async function findTenant(tenants: Tenants, name: string | number): Promise<Tenant> {
  const tenant = await tenants.get(name)
  if (tenant) return tenant
  throw new PunctualError('tenant_not_found', `Tenant ${JSON.stringify(name)} does not exist.`, {
    id: String(name),
  })
}

async function update(context: CommandContext, name: string, { note, quota }: Flags) {
  const { tenants } = await openPunctual(context)
  const changes = {
    quotas: quotasOf(quota),
    ...(note !== undefined && { note: note === '' ? null : note }),
  }
  return showTenant(context, await tenants.update(name, changes))
}

export function showTenant({ terminal, json }: CommandContext, tenant: Tenant) {
  const { dim } = terminal.colors
  const field = (title: string, text: string | number | null) => {
    if (text !== null) terminal.line(`${dim(title.padEnd(10))} ${text}`)
  }
  if (json) terminal.json(tenant)
  else {
    const { suspendedAt, suspendedBy, suspendedNote } = tenant
    field('tenant', `${tenant.name} (${tenant.id})`)
    field('state', stateOf(tenant))
    if (suspendedAt) field('suspended', `${suspendedAt.toISOString()} by ${suspendedBy ?? '-'}`)
    field('reason', suspendedNote)
    field('note', tenant.note)
    field('created', `${tenant.createdAt.toISOString()} by ${tenant.createdBy ?? '-'}`)
    field('quotas', quotasText(tenant.quotas))
  }
  return exit.ok
}
