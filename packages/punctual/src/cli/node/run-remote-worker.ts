/**
 * A worker that claims runs from a server over HTTP. It needs no database, has no roles, and drains
 * on the first signal.
 */
import { PunctualError } from '@punctual/core/errors'
import { libraryOptions } from '../../config/library-options.ts'
import type { Punctual } from '../../punctual.ts'
import { RemoteWorker } from '../../workers/remote-worker.ts'
import { showDuration } from '../flags/durations.ts'
import { createLog } from '../output/log.ts'
import { type ExitCode, exit } from '../runtime/exit-code.ts'
import type { CommandContext } from '../runtime/perform.ts'
import { containFaults } from './contain-faults.ts'
import type { HandlerModule } from './load-handlers.ts'

export async function runRemoteWorker(
  context: CommandContext,
  server: readonly string[],
  register: HandlerModule,
): Promise<ExitCode> {
  const { config, interrupts, terminal } = context
  const log = createLog(config, context.json, terminal)
  const { worker: settings } = libraryOptions(config, [])
  const worker = RemoteWorker.start({
    ...{ server, drainMs: config.drainMs, outputBytes: config.outputBytes, logger: log },
    ...(config.apiKey !== null && { apiKey: config.apiKey }),
    ...(settings && { worker: settings }),
  })
  const release = containFaults({ metrics: { failed: () => undefined } }, log)
  context.onEnd(async () => {
    await worker.stop()
    release()
  })
  const handlers = await register(asLibrary(worker))
  if (log.pretty) {
    const { bold, dim } = terminal.colors
    terminal.line(`${bold('Working on')} ${handlers.join(', ')}`)
    terminal.line(`  ${dim('server')}    ${server.join(', ')}`)
    terminal.line(`  ${dim('Ctrl-C')}    drains and stops\n`)
  } else log.info({ handlers, server }, 'working')
  await interrupts.first
  const { running } = worker
  if (!log.pretty) log.info({ running }, 'draining')
  else
    terminal.line(
      `\nWaiting up to ${showDuration(config.drainMs)} for runs to finish; ${running} running.`,
    )
  return exit.ok
}

/**
 * The instance on which a module registers its handlers. Every other use needs the database and
 * throws.
 */
function asLibrary(worker: RemoteWorker): Punctual {
  return new Proxy(worker, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      if (typeof value === 'function') return value.bind(target)
      if (name in target || typeof name === 'symbol' || name === 'then') return value
      throw new PunctualError(
        'not_remote',
        `punctual.${name} needs the database, but this worker claims runs over HTTP. Remove --server, or only register handlers in this module.`,
      )
    },
  }) as unknown as Punctual
}
