/**
 * Starts a program for each attempt. The attempt ends with the program: everything that the program
 * started is ended with it, at its timeout, when it is cancelled, when the lease is lost, and when
 * the worker is killed.
 */
import { stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Clock } from '@punctual/core/clock'
import type { ShellTarget } from '@punctual/core/target'
import type { Call, Execution, Executor } from '../executor.ts'
import { PreparationError } from '../failed.ts'
import { fillText } from '../template.ts'
import { fillCommand, fillDirectory, fillVariables } from './command-texts.ts'
import type { ContainedCommand } from './contained-command.ts'
import { type Containment, findContainment } from './containment.ts'
import { KnownSecrets } from './known-secrets.ts'
import { endCommandsOf, endLeftovers, openFolder } from './leftovers.ts'
import { type Prepared, ShellExecution, type ShellHost } from './shell-execution.ts'
import { startGuard } from './start-guard.ts'
import { TreeWatch } from './tree-watch.ts'

const PAUSE_MS = 5

export interface ShellExecutorOptions {
  readonly clock: Clock
  /** Where the directories of attempts are. @default a directory of this user in the system's */
  readonly directory?: string
  /** @default the strongest that this machine allows */
  readonly containment?: Containment
  /** Whether a guard process ends commands when the worker is killed. @default where needed */
  readonly guard?: boolean
}

export class ShellExecutor implements Executor<ShellTarget> {
  readonly kind = 'shell'
  readonly #options: ShellExecutorOptions
  readonly #running = new Set<ContainedCommand>()
  #host: Promise<ShellHost> | undefined

  constructor(options: ShellExecutorOptions) {
    this.#options = options
  }

  /** Ends what a killed worker has left behind. Before that, nothing is started. */
  open(): Promise<ShellHost> {
    this.#host ??= this.#open().catch((error: unknown) => {
      this.#host = undefined
      throw error
    })
    return this.#host
  }

  async #open(): Promise<ShellHost> {
    if (process.platform === 'win32')
      throw new PreparationError(
        'unsupported',
        'Commands need a worker on Linux, macOS or another Unix.',
      )
    const { clock, directory } = this.#options
    const root = directory ?? join(tmpdir(), `punctual-${process.getuid?.()}`)
    const folder = openFolder(root)
    await endLeftovers(root, () => clock.sleep(PAUSE_MS))
    const containment = this.#options.containment ?? (await findContainment())
    if (this.#options.guard ?? containment.kind === 'search') startGuard(folder)
    const watch = new TreeWatch(clock)
    return { clock, containment, folder, watch, running: this.#running }
  }

  async prepare(target: ShellTarget, call: Call): Promise<Execution> {
    const host = await this.open()
    if (target.network === false && host.containment.kind === 'search')
      throw new PreparationError(
        'unsupported',
        'This worker cannot take the network from a command, because its system refuses namespaces. Leave network out, or run the worker where unshare works.',
      )
    const secrets = new KnownSecrets()
    const prepared = await prepareTarget(target, secrets.watch(call), secrets)
    return new ShellExecution(host, call, prepared)
  }

  async close(): Promise<void> {
    const host = await this.#host?.catch(() => undefined)
    this.#host = undefined
    for (const command of this.#running) command.kill()
    if (host) await endCommandsOf(host.folder, () => host.clock.sleep(PAUSE_MS))
  }
}

/** Makes an executor that at once ends what a killed worker has left behind. */
export function openShellExecutor(options: ShellExecutorOptions): ShellExecutor {
  const executor = new ShellExecutor(options)
  // A run reports the failure: it cannot be prepared.
  executor.open().catch(() => undefined)
  return executor
}

async function prepareTarget(
  target: ShellTarget,
  call: Call,
  secrets: KnownSecrets,
): Promise<Prepared> {
  const { command, env } = target
  const argv = await fillCommand('command', typeof command === 'string' ? [] : command, call)
  const variables = await fillVariables(env, call)
  const cwd = target.cwd === undefined ? undefined : await fillDirectory(target.cwd, call)
  if (cwd !== undefined) await refuseMissing(cwd)
  return {
    target,
    secrets,
    cwd,
    input:
      target.input === undefined
        ? () => JSON.stringify(call.payload ?? null)
        : await fillText('target.input', target.input, call),
    command: (fence) =>
      typeof command === 'string' ? ['/bin/sh', '-c', command] : argv.map((fill) => fill(fence)),
    env: variables,
  }
}

async function refuseMissing(path: string): Promise<void> {
  const found = await stat(path).catch(() => null)
  if (found?.isDirectory()) return
  throw new PreparationError(
    'invalid_cwd',
    `target.cwd must be a directory on this worker; got ${JSON.stringify(path)}.`,
  )
}
