/**
 * A process that stays: HTTP, database and library come up in this order, and go down in the reverse one after
 * the first signal. HTTP is first so that a taken port is told at once and probes see the node start.
 */
import type { EmbeddedExit } from '@punctual/store'
import { libraryOptions } from '../../config/library-options.ts'
import type { RoleName } from '../../config/options.ts'
import { Punctual } from '../../punctual.ts'
import { showDuration } from '../flags/durations.ts'
import { createLog, type NodeLog } from '../output/log.ts'
import { CliError } from '../runtime/cli-error.ts'
import { type ExitCode, exit } from '../runtime/exit-code.ts'
import type { CommandContext } from '../runtime/perform.ts'
import { type EmbeddedWish, type OpenedDatabase, openDatabase } from '../target/open-database.ts'
import { containFaults } from './contain-faults.ts'
import { type Listening, listen } from './listen.ts'
import { NodeState } from './node-state.ts'

export interface RunningNode {
  readonly punctual: Punctual
  readonly database: OpenedDatabase
  readonly log: NodeLog
  /** Where HTTP answers; null without the api role. */
  readonly url: string | null
  /** Aborted when the node is asked to stop. */
  readonly signal: AbortSignal
}

export interface NodeWork {
  readonly roles: readonly RoleName[]
  readonly wish: EmbeddedWish
  /**
   * Called once everything is up, and before the node says that it is ready: it may fail. What it returns is called when
   * the node is ready. What that starts ends with the node's signal.
   */
  begin(node: RunningNode): Promise<() => void>
}

export async function runNode(context: CommandContext, work: NodeWork): Promise<ExitCode> {
  const { config, interrupts } = context
  const log = createLog(config, context.json, context.terminal)
  const state = new NodeState()
  context.onEnd(async () => tellStopped(context, log))
  const http = work.roles.includes('api') ? await openHttp(context, state, log) : null
  tellPreparing(context, log)
  const database = await openDatabase(context, work.wish, (exited) => tellExit(log, exited))
  interrupts.signal.throwIfAborted()
  const punctual = await Punctual.start({
    ...libraryOptions(config, work.roles),
    databaseUrl: database.url,
    embedded: false,
    logger: log,
  })
  const release = containFaults(punctual, log)
  context.onEnd(async () => {
    await punctual.stop()
    release()
  })
  const ending = new AbortController()
  const signal = AbortSignal.any([interrupts.signal, ending.signal])
  const go = await work.begin({ punctual, database, log, url: http?.url ?? null, signal })
  state.started(punctual)
  go()
  const gone = database.server?.exited ?? new Promise<never>(() => {})
  const end = await Promise.race([interrupts.first, gone])
  state.drains()
  ending.abort()
  if (typeof end !== 'string') throw databaseLost(end)
  tellDraining(context, log, punctual.running)
  return exit.ok
}

async function openHttp(
  context: CommandContext,
  state: NodeState,
  log: NodeLog,
): Promise<Listening> {
  const http = await listen(context.config, state, log)
  context.onEnd(() => http.close())
  return http
}

function tellExit(
  log: NodeLog,
  { reason, willRestart, code, signal, logTail }: EmbeddedExit,
): void {
  if (reason === 'stopped') return
  const next = willRestart ? 'it is started again' : 'it does not come back'
  log.warn({ reason, code, signal, logTail }, `the embedded PostgreSQL ended; ${next}`)
}

function databaseLost({ reason, logTail }: EmbeddedExit): CliError {
  return new CliError('database_lost', `The embedded PostgreSQL ended for good (${reason}).`, {
    hint: `The end of its log:\n${logTail}`,
  })
}

function tellPreparing({ config, terminal }: CommandContext, log: NodeLog): void {
  if (!log.pretty || (config.databaseUrl !== null && !config.embedded)) return
  terminal.line(terminal.colors.dim(`Opening the embedded PostgreSQL in ${config.dataDir} …`))
}

function tellStopped({ interrupts, terminal }: CommandContext, log: NodeLog): void {
  if (!interrupts.signal.aborted) return
  if (log.pretty) terminal.line('Stopped. Everything is kept; the next start goes on from here.')
  else log.info({}, 'stopped')
}

function tellDraining({ config, terminal }: CommandContext, log: NodeLog, running: number): void {
  if (!log.pretty) {
    log.info({ running }, 'draining')
    return
  }
  const what = running === 1 ? '1 run' : `${running} runs`
  const wait =
    running === 0
      ? 'Stopping.'
      : `Waiting up to ${showDuration(config.drainMs)} for ${what}. Ctrl-C again ends at once.`
  // The terminal has just shown ^C.
  terminal.line(`\n${wait}`)
}
