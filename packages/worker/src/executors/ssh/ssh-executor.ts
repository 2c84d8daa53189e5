/**
 * Starts commands on other hosts with the OpenSSH client of this machine. The key of the host is
 * checked, and the command ends with the attempt, also when the worker is killed.
 */
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import type { Clock } from '@punctual/core/clock'
import type { SshTarget } from '@punctual/core/target'
import type { Call, Execution, Executor } from '../executor.ts'
import { CommandLog } from '../shell/command-log.ts'
import { fillCommand, fillDirectory, fillVariables } from '../shell/command-texts.ts'
import { KnownSecrets } from '../shell/known-secrets.ts'
import { removeLeftKeys } from './key-files.ts'
import { SshExecution } from './ssh-execution.ts'

export interface SshExecutorOptions {
  readonly clock: Clock
}

export class SshExecutor implements Executor<SshTarget> {
  readonly kind = 'ssh'
  readonly #clock: Clock
  readonly #running = new Set<ChildProcessWithoutNullStreams>()
  #cleaned: Promise<void> | undefined

  constructor({ clock }: SshExecutorOptions) {
    this.#clock = clock
  }

  async prepare(target: SshTarget, given: Call): Promise<Execution> {
    this.#cleaned ??= removeLeftKeys()
    await this.#cleaned
    const secrets = new KnownSecrets()
    const call = secrets.watch(given)
    const { command, env, cwd, outputBytes } = target
    return new SshExecution({
      target,
      call,
      clock: this.#clock,
      log: new CommandLog(call, secrets, outputBytes),
      key: await call.secret(target.key),
      cwd: cwd === undefined ? undefined : await fillDirectory(cwd, call),
      command: await fillCommand('command', command, call),
      env: await fillVariables(env, call),
      running: this.#running,
    })
  }

  async close(): Promise<void> {
    for (const client of this.#running) client.stdin.end()
  }
}
