/** `punctual worker <module>`: runs the handlers of a module. */
import type { Command } from 'commander'
import { roles as allRoles } from '../../config/options.ts'
import { loadHandlers } from '../node/load-handlers.ts'
import { type CommandContext, perform } from '../runtime/perform.ts'
import { addFlags } from '../runtime/setting-flags.ts'

export function addWorker(program: Command): void {
  const command = program
    .command('worker')
    .description('run the handlers of a module (.ts, .js, .mjs)')
    .argument('<module>', 'exports a function that registers handlers, or handlers = { name: fn }')
  addFlags(command, ['http', 'node', 'database', 'server'])
  command.action((path: string) =>
    perform(command, (context) => startWorker(context, path), { handlesInterrupts: true }),
  )
}

async function startWorker(context: CommandContext, path: string) {
  const { config, terminal, interrupts } = context
  // The module is loaded before anything is started: most mistakes are in it.
  const register = await loadHandlers(path, process.cwd())
  interrupts.signal.throwIfAborted()
  if (config.server !== null) {
    const { runRemoteWorker } = await import('../node/run-remote-worker.ts')
    return runRemoteWorker(context, config.server, register)
  }
  // HTTP and logging are loaded only here, so that every other command starts faster.
  const { runNode } = await import('../node/run-node.ts')
  return runNode(context, {
    roles: config.roles ?? allRoles.filter((role) => role !== 'api'),
    mode: 'have',
    begin: async ({ punctual, database, log, url }) => {
      const handlers = await register(punctual)
      return () => {
        if (!log.pretty) {
          log.info({ handlers, url, database: database.description }, 'working')
          return
        }
        const { bold, dim } = terminal.colors
        terminal.line(`${bold('Working on')} ${handlers.join(', ')}`)
        terminal.line(`  ${dim('database')}  ${database.description}`)
        if (url) terminal.line(`  ${dim('probes')}    ${url}/healthz  /readyz  /metrics`)
        terminal.line(`  ${dim('Ctrl-C')}    drains and stops\n`)
      }
    },
  })
}
