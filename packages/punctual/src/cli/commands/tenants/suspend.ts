/** `punctual tenants suspend` and `tenants resume`. Repeating either is not an error. */
import type { Command } from 'commander'
import { createdBy } from '../../flags/created-by.ts'
import { type CommandContext, perform } from '../../runtime/perform.ts'
import { addFlags } from '../../runtime/setting-flags.ts'
import { openPunctual } from '../../target/open-punctual.ts'
import { showTenant } from './tenants.ts'

export function addTenantsSuspend(parent: Command): void {
  const command = parent
    .command('suspend')
    .description('accept and claim no more runs of a tenant; running runs continue')
    .argument('<name>', 'name of the tenant')
    .option('--note <text>', 'reason, shown while the tenant is suspended')
  addFlags(command, ['database'])
  command.action((name: string, flags: { note?: string }) =>
    perform(command, (context) => suspend(context, name, flags.note)),
  )
}

export function addTenantsResume(parent: Command): void {
  const command = parent
    .command('resume')
    .description('end the suspension of a tenant')
    .argument('<name>', 'name of the tenant')
  addFlags(command, ['database'])
  command.action((name: string) => perform(command, (context) => resume(context, name)))
}

async function suspend(context: CommandContext, name: string, note: string | undefined) {
  const { tenants } = await openPunctual(context)
  const options = { by: createdBy(), ...(note !== undefined && { note }) }
  return showTenant(context, await tenants.suspend(name, options))
}

async function resume(context: CommandContext, name: string) {
  const { tenants } = await openPunctual(context)
  return showTenant(context, await tenants.resume(name))
}
