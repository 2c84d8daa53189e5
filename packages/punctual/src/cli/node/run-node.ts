/**
 * A long-running process. HTTP, database and library start in this order, and stop in reverse after
 * the first signal. HTTP starts first so that a port in use is reported at once and probes see the
 * node starting.
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
import { type EmbeddedMode, type OpenedDatabase, openDatabase } from '../target/open-database.ts'
import { containFaults } from './contain-faults.ts'
import { type Listening, listen } from './listen.ts'
import { NodeState } from './node-state.ts'

export interface RunningNode {
  readonly punctual: Punctual
  readonly database: OpenedDatabase
  readonly log: NodeLog
  /** The URL of the HTTP server; null without the api role. */
  readonly url: string | null
  /** Aborted when the node is asked to stop. */
  readonly signal: AbortSignal
}

export interface NodeWork {
  readonly roles: readonly RoleName[]
  readonly mode: EmbeddedMode
  /**
   * Called when everything has started, before the node is ready; it may throw. The function that
   * it returns is called once the node is ready. Work that it starts must end with the node's
   * signal.
   */
  begin(node: RunningNode): Promise<() => void>
}

export async function runNode(context: CommandContext, work: NodeWork): Promise<ExitCode> {
  const { config, interrupts } = context
  const log = createLog(config, context.json, context.terminal)
  const state = new NodeState(log)
  context.onEnd(async () => reportStopped(context, log))
  const http = work.roles.includes('api') ? await openHttp(context, state, log) : null
  reportPreparing(context, log)
  const database = await openDatabase(context, work.mode, (exited) => reportExit(log, exited))
  interrupts.signal.throwIfAborted()
  const options = libraryOptions(config, work.roles)
  const punctual = await Punctual.start({
    ...options,
    worker: { ...options.worker, egressAllow: egressOf(config, database) },
    ...callbackTo(config.callbackUrl, http),
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
  const onReady = await work.begin({ punctual, database, log, url: http?.url ?? null, signal })
  state.started(punctual)
  onReady()
  const databaseExit = database.server?.exited ?? new Promise<never>(() => {})
  const end = await Promise.race([interrupts.first, databaseExit])
  state.drains()
  ending.abort()
  if (typeof end !== 'string') throw databaseLost(end)
  reportDraining(context, log, punctual.running)
  return exit.ok
}

const LOOPBACK = /^(127(?:\.\d+){3}|::1|localhost)$/

/** Targets on this machine reach a node that listens on loopback. */
function callbackTo(callbackUrl: string | null, http: Listening | null) {
  if (callbackUrl !== null || http === null) return {}
  const { hostname } = new URL(http.url)
  return LOOPBACK.test(hostname.replace(/^\[|\]$/g, '')) ? { callbackUrl: http.url } : {}
}

/** On a machine that one person uses, targets may reach what that person runs on it. */
function egressOf(
  { egressAllow, host }: CommandContext['config'],
  { server }: OpenedDatabase,
): readonly string[] {
  const isOwn = server !== null && LOOPBACK.test(host)
  return egressAllow ?? (isOwn ? ['localhost:*'] : [])
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

function reportExit(
  log: NodeLog,
  { reason, willRestart, code, signal, logTail }: EmbeddedExit,
): void {
  if (reason === 'stopped') return
  const next = willRestart ? 'restarting it' : 'it will not be restarted'
  log.warn({ reason, code, signal, logTail }, `the embedded PostgreSQL ended; ${next}`)
}

function databaseLost({ reason, logTail }: EmbeddedExit): CliError {
  return new CliError(
    'database_lost',
    `The embedded PostgreSQL ended and was not restarted (${reason}).`,
    {
      hint: `The end of its log:\n${logTail}`,
    },
  )
}

function reportPreparing({ config, terminal }: CommandContext, log: NodeLog): void {
  if (!log.pretty || (config.databaseUrl !== null && !config.embedded)) return
  terminal.line(terminal.colors.dim(`Opening the embedded PostgreSQL in ${config.dataDir} …`))
}

function reportStopped({ interrupts, terminal }: CommandContext, log: NodeLog): void {
  if (!interrupts.signal.aborted) return
  if (log.pretty) terminal.line('Stopped. All data is kept; the next start continues from here.')
  else log.info({}, 'stopped')
}

function reportDraining({ config, terminal }: CommandContext, log: NodeLog, running: number): void {
  if (!log.pretty) {
    log.info({ running }, 'draining')
    return
  }
  const what = running === 1 ? '1 run' : `${running} runs`
  const wait =
    running === 0
      ? 'Stopping.'
      : `Waiting up to ${showDuration(config.drainMs)} for ${what}. Press Ctrl-C again to stop at once.`
  // The terminal has just shown ^C.
  terminal.line(`\n${wait}`)
}
