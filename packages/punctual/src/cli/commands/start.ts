/**
 * `punctual start`: a node with any mix of roles, on the embedded PostgreSQL unless a database is
 * given.
 */
import { PunctualError } from '@punctual/core/errors'
import type { Command } from 'commander'
import { roles as allRoles, type RoleName } from '../../config/options.ts'
import { settings } from '../../config/settings.ts'
import { version } from '../../config/version.ts'
import { registerSampleHandlers } from '../../sample/handlers.ts'
import { runSample } from '../../sample/run-sample.ts'
import { ensureFirstKey, type FirstKey } from '../node/first-key.ts'
import type { RunningNode } from '../node/run-node.ts'
import { type CommandContext, perform } from '../runtime/perform.ts'
import { addFlags } from '../runtime/setting-flags.ts'

export function addStart(program: Command): void {
  const command = program
    .command('start')
    .description(
      'start a node: HTTP API, planner, worker, reaper, janitor and auditor, or some of them',
    )
    .option('--sample', 'submit sample runs and show what happens to them')
  addFlags(command, ['http', 'node', 'database'])
  command.action((flags: { sample?: true }) =>
    perform(command, (context) => startNode(context, flags.sample === true), {
      handlesInterrupts: true,
    }),
  )
}

async function startNode(context: CommandContext, sample: boolean) {
  const roles = context.config.roles ?? allRoles
  if (sample && !roles.includes('worker'))
    throw new PunctualError(
      'invalid_option',
      `--sample needs the worker role; got ${roles.join(', ')}.`,
      { field: '--sample' },
    )
  // HTTP and logging are loaded only here, so that every other command starts faster.
  const { runNode } = await import('../node/run-node.ts')
  return runNode(context, {
    roles,
    mode: 'own',
    begin: async (node) => {
      const dataDir = node.database.server ? context.config.dataDir : null
      const first = await ensureFirstKey(node.punctual.store, dataDir, process.env)
      const startSample = sample ? await prepareSample(context, node) : null
      return () => {
        greet(context, node, roles, sample)
        showFirstKey(context, node, first)
        startSample?.()
      }
    },
  })
}

async function prepareSample(context: CommandContext, node: RunningNode): Promise<() => void> {
  const { punctual, signal, log } = node
  registerSampleHandlers(punctual)
  const { createNarrator } = await import('../output/narrator.ts')
  const narrator = createNarrator(log, context.terminal)
  return () => {
    runSample(punctual, { narrator, signal, cli: typed(context) }).catch((error: Error) =>
      log.error({ err: error }, `the sample failed: ${error.message}`),
    )
  }
}

/**
 * A key is shown once, when it is created, and on a terminal only: logs are collected and kept.
 * Later starts print nothing.
 */
function showFirstKey(
  { terminal }: CommandContext,
  { log, url }: RunningNode,
  { key, path, found }: FirstKey,
): void {
  if (!found && url)
    log.warn(
      {},
      'no system API key exists; create one: punctual api-keys create operators --scopes system',
    )
  if (key === null) return
  if (!log.pretty || !terminal.interactive) {
    log.info({ path }, 'created the first API key; the file at `path` has it')
    return
  }
  const { bold, dim } = terminal.colors
  terminal.line(`  ${dim('API key'.padEnd(9))} ${bold(key)}`)
  terminal.line(`  ${dim(''.padEnd(9))} shown only once, and stored in ${path}\n`)
}

/**
 * The flags that a command in another terminal must repeat. Not the URL: it contains a password.
 */
function typed({ resolved }: CommandContext): (command: string) => string {
  const { config, sources } = resolved
  const repeated = (['dataDir', 'schema'] as const).filter(
    (name) => sources[name].origin === 'flag',
  )
  const flags = repeated.map((name) => ` ${settings[name].flag} ${config[name]}`).join('')
  return (command) => `npx punctual ${command}${flags}`
}

function greet(
  { terminal }: CommandContext,
  { log, url, database, punctual }: RunningNode,
  roles: readonly RoleName[],
  sample: boolean,
): void {
  const { description } = database
  if (!log.pretty) {
    log.info({ version, url, roles, database: description, schema: punctual.schema }, 'started')
    return
  }
  const { bold, dim, green } = terminal.colors
  const field = (name: string, text: string) => terminal.line(`  ${dim(name.padEnd(9))} ${text}`)
  const where = url ? ` listens on ${green(url)}` : ' is running'
  terminal.line(`${bold(`Punctual ${version}`)}${where}`)
  field('database', description)
  if (url) field('HTTP', '/v1, documented at /docs; /healthz  /readyz  /metrics')
  if (!sample && roles.includes('worker'))
    field('handlers', 'none; start a worker with `npx punctual worker ./worker.ts`')
  if (!sample) field('try', '`npx punctual submit <handler>`, `runs list`, `queues`, `doctor`')
  field(
    'Ctrl-C',
    database.server ? 'drains and stops everything, including the database' : 'drains and stops',
  )
  terminal.line()
}
