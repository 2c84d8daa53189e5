/** `punctual start`: a node with any mix of roles, on the embedded PostgreSQL unless a database is named. */
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
    .description('start a node: HTTP, planner, worker, reaper and janitor, or some of them')
    .option('--sample', 'run sample handlers and show what happens to their runs')
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
      `--sample needs the worker role, but the roles are ${roles.join(', ')}.`,
      { field: '--sample' },
    )
  // HTTP and logging are loaded here, so that every other command starts without them.
  const { runNode } = await import('../node/run-node.ts')
  return runNode(context, {
    roles,
    wish: 'own',
    begin: async (node) => {
      const dataDir = node.database.server ? context.config.dataDir : null
      const first = await ensureFirstKey(node.punctual.store, dataDir, process.env)
      const tellSample = sample ? await prepareSample(context, node) : null
      return () => {
        greet(context, node, roles, sample)
        tellFirstKey(context, node, first)
        tellSample?.()
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
      log.error({ err: error }, `the sample ended: ${error.message}`),
    )
  }
}

/** A key is shown once, when it is made; later starts are silent. */
function tellFirstKey(
  { terminal }: CommandContext,
  { log, url }: RunningNode,
  { key, path, found }: FirstKey,
): void {
  if (!found && url)
    log.warn(
      {},
      'nobody holds a key of the installation yet: punctual api-keys create operators --scopes system',
    )
  if (key === null) return
  if (!log.pretty) {
    log.info({ adminKey: key, path }, 'the first API key was made; it is shown this once')
    return
  }
  const { bold, dim } = terminal.colors
  terminal.line(`  ${dim('API key'.padEnd(9))} ${bold(key)}`)
  terminal.line(`  ${dim(''.padEnd(9))} shown this once, and kept in ${path}\n`)
}

/** The flags that another terminal has to repeat. A URL is not one of them: it holds a password. */
function typed({ resolved }: CommandContext): (command: string) => string {
  const { config, sources } = resolved
  const repeated = (['dataDir', 'schema'] as const).filter((it) => sources[it].origin === 'flag')
  const flags = repeated.map((it) => ` ${settings[it].flag} ${config[it]}`).join('')
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
  if (url) field('HTTP', '/v1, described at /docs; /healthz  /readyz  /metrics')
  if (!sample && roles.includes('worker'))
    field('handlers', 'none here; run some with `npx punctual worker ./worker.ts`')
  if (!sample) field('try', '`npx punctual submit <handler>`, `runs list`, `queues`, `doctor`')
  field(
    'Ctrl-C',
    database.server ? 'drains and stops everything, the database too' : 'drains and stops',
  )
  terminal.line()
}
