/** `punctual secrets list|set|delete|rotate-key`: encrypted values for handlers. */
import type { SecretInfo } from '@punctual/core/identity'
import type { Command } from 'commander'
import type { Punctual } from '../../punctual.ts'
import type { Secrets } from '../../secrets/secrets.ts'
import { showAge } from '../flags/durations.ts'
import { readSecret } from '../flags/read-secret.ts'
import { showTable } from '../output/table.ts'
import { exit } from '../runtime/exit-code.ts'
import { type CommandContext, perform } from '../runtime/perform.ts'
import { addFlags } from '../runtime/setting-flags.ts'
import { openPunctual } from '../target/open-punctual.ts'
import { findTenant } from './tenants/tenants.ts'

const TENANT = 'tenant of the secret (default: the first tenant)'

interface Flags {
  tenant?: string
}

export function addSecretsList(parent: Command): void {
  const command = parent
    .command('list', { isDefault: true })
    .description('list secrets, without their values')
    .option('--tenant <name>', TENANT)
  addFlags(command, ['database'])
  command.action((flags: Flags) => perform(command, (context) => list(context, flags)))
}

export function addSecretsSet(parent: Command): void {
  const command = parent
    .command('set')
    .argument('<name>', 'the name by which handlers read it')
    .description('store a secret or a new value of it, from standard input or a prompt')
    .option('--tenant <name>', TENANT)
  addFlags(command, ['database'])
  command.action((name: string, flags: Flags) =>
    perform(command, (context) => set(context, name, flags)),
  )
}

export function addSecretsDelete(parent: Command): void {
  const command = parent
    .command('delete')
    .argument('<name>', 'name of the secret')
    .description('delete a secret')
    .option('--tenant <name>', TENANT)
  addFlags(command, ['database'])
  command.action((name: string, flags: Flags) =>
    perform(command, (context) => remove(context, name, flags)),
  )
}

export function addSecretsRotateKey(parent: Command): void {
  const command = parent
    .command('rotate-key')
    .description('re-encrypt secrets of all tenants with the first master key')
  addFlags(command, ['database'])
  command.action(() => perform(command, rotate))
}

/** The secrets of the given tenant, or of the first tenant. */
async function secretsOf(punctual: Punctual, { tenant }: Flags): Promise<Secrets> {
  if (tenant === undefined) return punctual.secrets
  return punctual.tenant((await findTenant(punctual.tenants, tenant)).id).secrets
}

async function list(context: CommandContext, flags: Flags) {
  const { terminal, json } = context
  const punctual = await openPunctual(context)
  const all = await (await secretsOf(punctual, flags)).list()
  if (json) terminal.json(all)
  else if (all.length === 0) terminal.line('No secrets. Set one: punctual secrets set <name>')
  else showSecrets(context, all, punctual)
  return exit.ok
}

function showSecrets(
  { terminal }: CommandContext,
  all: readonly SecretInfo[],
  { store }: Punctual,
): void {
  const nowMs = store.database.clock.nowMs()
  showTable(
    terminal,
    ['NAME', 'VERSION', 'SET', 'BY', 'KEY'],
    all.map(({ name, version, updatedAt, updatedBy, keyId }) => [
      ...[name, version, showAge(updatedAt, nowMs), updatedBy ?? '-', keyId],
    ]),
    ['KEY', 'BY'],
  )
}

async function set(context: CommandContext, name: string, flags: Flags) {
  const { terminal, json } = context
  const value = await readSecret(name)
  const secrets = await secretsOf(await openPunctual(context), flags)
  const { version } = await secrets.set(name, value)
  if (json) terminal.json({ name, version })
  else terminal.line(`Set ${name}, version ${version}.`)
  return exit.ok
}

async function remove(context: CommandContext, name: string, flags: Flags) {
  const { terminal, json } = context
  const secrets = await secretsOf(await openPunctual(context), flags)
  const deleted = await secrets.delete(name)
  if (json) terminal.json({ name, result: deleted ? 'deleted' : 'not_found' })
  else terminal.line(deleted ? `Deleted ${name}.` : `The secret ${name} does not exist.`)
  return deleted ? exit.ok : exit.notFound
}

async function rotate(context: CommandContext) {
  const { terminal, json } = context
  const punctual = await openPunctual(context)
  const result = await punctual.secrets.rotateKey()
  if (json) terminal.json(result)
  else {
    terminal.line(`Re-encrypted with the first master key: ${result.recrypted}.`)
    if (result.unreadable > 0)
      terminal.line(
        `Unchanged, because no configured master key decrypts them: ${result.unreadable}.`,
      )
  }
  return result.unreadable === 0 ? exit.ok : exit.failure
}
