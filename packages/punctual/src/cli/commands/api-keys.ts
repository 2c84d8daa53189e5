/**
 * `punctual api-keys list|create|rotate|revoke|generate`: the keys that authenticate callers of the
 * HTTP API.
 */
import { type ApiKey, type CreatedApiKey, makeApiKey, type Scope } from '@punctual/core/identity'
import { systemRandom } from '@punctual/store'
import type { Command } from 'commander'
import { createdBy } from '../flags/created-by.ts'
import { parseDuration, showAge } from '../flags/durations.ts'
import { showTable } from '../output/table.ts'
import { exit } from '../runtime/exit-code.ts'
import { type CommandContext, perform } from '../runtime/perform.ts'
import { addFlags } from '../runtime/setting-flags.ts'
import { openPunctual } from '../target/open-punctual.ts'

const LIST = 1_000

interface CreateFlags {
  scopes: string
  tenant?: string
  expiresIn?: string
}

export function addApiKeysList(parent: Command): void {
  const command = parent
    .command('list', { isDefault: true })
    .description('list API keys, oldest first, without the keys themselves')
    .option('--tenant <name>', 'only keys of this tenant')
    .option('--system', 'only system keys')
  addFlags(command, ['database'])
  command.action((flags: { tenant?: string; system?: true }) =>
    perform(command, (context) => list(context, flags)),
  )
}

export function addApiKeysCreate(parent: Command): void {
  const command = parent
    .command('create')
    .description('create an API key and print it once')
    .argument('<name>', 'name of the key')
    .requiredOption('--scopes <list>', 'read, submit, operate, worker, admin; or system alone')
    .option('--tenant <name>', 'tenant of the key; omit for system')
    .option('--expires-in <time>', 'expire after this long, such as 90d (default: never)')
  addFlags(command, ['database'])
  command.action((name: string, flags: CreateFlags) =>
    perform(command, (context) => create(context, name, flags)),
  )
}

export function addApiKeysRotate(parent: Command): void {
  const command = parent
    .command('rotate')
    .description('create a key that replaces another one; the old key stays valid for a while')
    .argument('<id>', 'id of the old key')
    .option('--overlap <time>', 'how long the old key stays valid (default: 1d)')
  addFlags(command, ['database'])
  command.action((id: string, flags: { overlap?: string }) =>
    perform(command, (context) => rotate(context, id, flags.overlap)),
  )
}

export function addApiKeysRevoke(parent: Command): void {
  const command = parent
    .command('revoke')
    .description('revoke a key; every node refuses it within two seconds')
    .argument('<id>', 'id of the key')
  addFlags(command, ['database'])
  command.action((id: string) => perform(command, (context) => revoke(context, id)))
}

export function addApiKeysGenerate(parent: Command): void {
  const command = parent
    .command('generate')
    .description('print a new key for PUNCTUAL_ADMIN_KEY without storing it; needs no database')
  addFlags(command, [])
  command.action(() => perform(command, generate))
}

async function list(context: CommandContext, flags: { tenant?: string; system?: true }) {
  const { terminal, json } = context
  const { apiKeys, store } = await openPunctual(context)
  const all: ApiKey[] = []
  for (let page: readonly ApiKey[] = [], more = true; more; more = page.length === LIST) {
    const after = all.at(-1)?.id
    page = await apiKeys.list({
      limit: LIST,
      ...(flags.tenant !== undefined && { tenant: flags.tenant }),
      ...(flags.system && { system: true }),
      ...(after !== undefined && { after }),
    })
    all.push(...page)
  }
  if (json) terminal.json(all)
  else if (all.length === 0)
    terminal.line('No API keys. Create one: punctual api-keys create operators --scopes system')
  else showKeys(context, all, store.database.clock.nowMs())
  return exit.ok
}

function showKeys({ terminal }: CommandContext, all: readonly ApiKey[], nowMs: number): void {
  showTable(
    terminal,
    ['ID', 'NAME', 'PREFIX', 'TENANT', 'SCOPES', 'STATE', 'LAST USED'],
    all.map((key) => [
      ...[key.id, key.name, key.prefix, key.tenantName ?? '(system)', key.scopes.join(',')],
      stateOf(key, nowMs),
      key.lastUsedAt ? showAge(key.lastUsedAt, nowMs) : 'never',
    ]),
    ['PREFIX'],
  )
}

function stateOf({ revokedAt, expiresAt, rotatedTo }: ApiKey, nowMs: number): string {
  if (revokedAt) return 'revoked'
  if (expiresAt && expiresAt.getTime() <= nowMs) return rotatedTo ? 'rotated' : 'expired'
  if (expiresAt) return `${rotatedTo ? 'rotated, ' : ''}until ${expiresAt.toISOString()}`
  return 'active'
}

async function create(context: CommandContext, name: string, flags: CreateFlags) {
  const { tenant, expiresIn } = flags
  const { apiKeys, store } = await openPunctual(context)
  const created = await apiKeys.create({
    name,
    scopes: flags.scopes.split(',').map((scope) => scope.trim()) as Scope[],
    by: createdBy(),
    ...(tenant !== undefined && { tenant }),
    ...(expiresIn !== undefined && {
      expiresAt: store.database.clock.nowMs() + parseDuration('--expires-in', expiresIn),
    }),
  })
  return showCreated(context, created)
}

/** Only the key goes to stdout, so that a script can read it from there. */
function showCreated({ terminal, json }: CommandContext, created: CreatedApiKey) {
  if (json) terminal.json(created)
  else {
    terminal.note(`Key ${JSON.stringify(created.name)} (${created.id}), shown only once:`)
    terminal.line(created.key)
  }
  return exit.ok
}

async function rotate(context: CommandContext, id: string, overlap: string | undefined) {
  const { apiKeys } = await openPunctual(context)
  const overlapMs = overlap === undefined ? undefined : parseDuration('--overlap', overlap)
  const options = { by: createdBy(), ...(overlapMs !== undefined && { overlapMs }) }
  return showCreated(context, await apiKeys.rotate(id, options))
}

async function revoke(context: CommandContext, id: string) {
  const { terminal, json } = context
  const { apiKeys } = await openPunctual(context)
  const key = await apiKeys.revoke(id, { by: createdBy() })
  if (json) terminal.json(key)
  else
    terminal.line(`Revoked the key ${JSON.stringify(key.name)}. Nodes refuse it within 2 seconds.`)
  return exit.ok
}

async function generate({ terminal, json }: CommandContext) {
  const key = makeApiKey(systemRandom)
  if (json) terminal.json({ key })
  else terminal.line(key)
  return exit.ok
}
