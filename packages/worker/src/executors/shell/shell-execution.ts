/** One attempt of a command: its directory, its start, its log, and what its end means. */
import { randomBytes } from 'node:crypto'
import type { Clock } from '@punctual/core/clock'
import { failureFrom } from '@punctual/core/errors'
import type { ShellTarget } from '@punctual/core/target'
import type { Call, Execution, ExecutionOutcome } from '../executor.ts'
import { environmentOf } from './command-environment.ts'
import { CommandLog } from './command-log.ts'
import { ContainedCommand } from './contained-command.ts'
import type { Containment } from './containment.ts'
import { failedWith, isFinal, stoppedBecause } from './exit-failure.ts'
import type { KnownSecrets } from './known-secrets.ts'
import { forgetCommand, noteCommand, noteStarted } from './leftovers.ts'
import type { Exceeded, TreeWatch } from './tree-watch.ts'
import { wrapped } from './wrapper.ts'

const MB = 1_048_576

/** The services that all commands of a worker share. */
export interface ShellHost {
  readonly clock: Clock
  readonly containment: Containment
  /** The folder of this worker. */
  readonly folder: string
  readonly watch: TreeWatch
  readonly running: Set<ContainedCommand>
}

/** A target whose placeholders are filled in. */
export interface Prepared {
  readonly target: ShellTarget
  readonly secrets: KnownSecrets
  input(fence: string): string
  /** @default the directory of the attempt */
  readonly cwd: string | undefined
  command(fence: string): readonly string[]
  env(fence: string): Readonly<Record<string, string>>
}

export class ShellExecution implements Execution {
  readonly #host: ShellHost
  readonly #call: Call
  readonly #prepared: Prepared
  readonly #mark = randomBytes(16).toString('hex')
  readonly #log: CommandLog
  #exceeded: Exceeded | undefined

  constructor(host: ShellHost, call: Call, prepared: Prepared) {
    this.#host = host
    this.#call = call
    this.#prepared = prepared
    this.#log = new CommandLog(call, prepared.secrets, prepared.target.outputBytes)
  }

  async execute(signal: AbortSignal, fence: string): Promise<ExecutionOutcome> {
    signal.throwIfAborted()
    const { folder } = this.#host
    const directory = noteCommand(folder, this.#mark)
    try {
      const command = await this.#start(directory, fence).catch((error: unknown) => error)
      if (!(command instanceof ContainedCommand)) return notStarted(command)
      return await this.#follow(command, signal)
    } finally {
      await forgetCommand(folder, this.#mark)
    }
  }

  #start(directory: string, fence: string): Promise<ContainedCommand> {
    const { clock, containment } = this.#host
    const { target, ...prepared } = this.#prepared
    const { umask = '077', fileMb, processes = 256, network = true } = target
    const limits = { umask, fileMb, processes: containment.limitsProcesses ? processes : null }
    const named = prepared.env(fence)
    const mark = this.#mark
    return ContainedCommand.start({
      containment,
      clock,
      mark,
      command: wrapped(prepared.command(fence), limits),
      network,
      env: environmentOf({ call: this.#call, fence, mark, directory, named }),
      cwd: prepared.cwd ?? directory,
      input: prepared.input(fence),
      onOutput: this.#log.push,
    })
  }

  async #follow(command: ContainedCommand, signal: AbortSignal): Promise<ExecutionOutcome> {
    const { folder, watch, running } = this.#host
    const { memoryMb = 1_024, processes = 256 } = this.#prepared.target
    const watched = {
      tree: command.tree,
      bytesMax: memoryMb * MB,
      processesMax: processes,
      onExceeded: (what: Exceeded) => {
        this.#exceeded ??= what
        command.kill()
      },
    }
    const stop = () => command.stop()
    running.add(command)
    watch.add(watched)
    signal.addEventListener('abort', stop)
    try {
      noteStarted(folder, this.#mark, command.pid)
      // The signal may have been aborted while the process was started.
      if (signal.aborted) stop()
      return this.#outcome(await command.ended(), signal)
    } finally {
      signal.removeEventListener('abort', stop)
      watch.remove(watched)
      running.delete(command)
    }
  }

  #outcome(code: number, signal: AbortSignal): ExecutionOutcome {
    const { target } = this.#prepared
    this.#log.end()
    // A command that succeeded just before it was stopped has succeeded.
    if (code === 0) return { kind: 'succeeded', output: this.#log.result }
    const { stderr } = this.#log
    const facts = {
      code,
      stderr,
      exceeded: this.#exceeded,
      stopped: stoppedBecause(signal),
      target,
    }
    const killed = signal.aborted || this.#exceeded !== undefined
    return {
      kind: 'failed',
      failure: failedWith(facts),
      reached: killed ? 'perhaps' : 'yes',
      retry: killed || !isFinal(code, target.noRetryCodes),
    }
  }
}

/** Arguments that are too long, or no memory: nothing of the command has run. */
function notStarted(error: unknown): ExecutionOutcome {
  const failure = failureFrom(error)
  return { kind: 'failed', failure, reached: 'no', retry: failure.code !== 'E2BIG' }
}
