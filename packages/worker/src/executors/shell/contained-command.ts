/**
 * One command and everything that it starts. It has ended when all its processes have, whether by
 * itself or because it was stopped; outputs that an escaped process holds open are not waited for.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import type { Clock } from '@punctual/core/clock'
import type { Containment } from './containment.ts'
import { ProcessTree } from './process-tree.ts'
import { listProcesses, signal } from './processes.ts'

/** How long a command has to end after SIGTERM: a run ends within a second of its signal. */
const GRACE_MS = 300
/** How long to wait for the outputs after the last process has ended. */
const CLOSE_MS = 300
const PAUSE_MS = 5
const COMPLAINT = 'unshare: sigprocmask'
/** Shells add this to the number of the signal that ended a program. */
const SIGNALLED = 128
const numbers: ReadonlyMap<unknown, number> = new Map(Object.entries(constants.signals))

export interface CommandOptions {
  readonly containment: Containment
  readonly clock: Clock
  readonly mark: string
  /** The command with its wrapper. */
  readonly command: readonly string[]
  readonly network: boolean
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  readonly input: string
  onOutput(from: 'stdout' | 'stderr', chunk: Buffer): void
}

export class ContainedCommand {
  readonly tree: ProcessTree
  readonly #options: CommandOptions
  readonly #child: ChildProcessWithoutNullStreams
  readonly #exit: Promise<unknown[]>
  readonly #closed: Promise<unknown>
  /** Aborted when the first process has ended. */
  readonly #gone = new AbortController()
  #killed = false
  #stopping: Promise<void> | undefined

  /** Throws when the system refuses to start a process. */
  static async start(options: CommandOptions): Promise<ContainedCommand> {
    const { containment, command, network, env, cwd } = options
    const [program = '', ...args] = [...containment.prefix(network), ...command]
    const stdio = ['pipe', 'pipe', 'pipe'] as const
    const child = spawn(program, args, { cwd, env, detached: true, stdio: [...stdio] })
    if (child.pid === undefined) {
      const [error] = await once(child, 'error')
      throw error
    }
    return new ContainedCommand(options, child, child.pid)
  }

  private constructor(options: CommandOptions, child: ChildProcessWithoutNullStreams, pid: number) {
    this.#options = options
    this.#child = child
    const byMark = options.containment.kind === 'search'
    this.tree = new ProcessTree({ mark: options.mark, root: pid, byMark })
    this.#exit = once(child, 'exit')
    this.#closed = once(child, 'close')
    child.once('exit', () => this.#gone.abort())
    child.on('error', () => undefined)
    // A command need not read its input.
    child.stdin.on('error', () => undefined)
    child.stdin.end(options.input)
    child.stdout.on('data', (chunk: Buffer) => options.onOutput('stdout', chunk))
    child.stderr.on('data', (chunk: Buffer) => {
      // The program that holds the namespace complains when its child is killed.
      if (!this.#killed || !chunk.includes(COMPLAINT)) options.onOutput('stderr', chunk)
    })
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** Resolves with the exit code when all processes have ended. */
  async ended(): Promise<number> {
    const { clock, containment } = this.#options
    const [code, by] = await this.#exit
    await this.#stopping
    if (containment.kind === 'search') await this.tree.kill(() => clock.sleep(PAUSE_MS))
    const read = new AbortController()
    await Promise.race([this.#closed.then(() => read.abort()), clock.sleep(CLOSE_MS, read.signal)])
    read.abort()
    for (const stream of [this.#child.stdout, this.#child.stderr]) stream.destroy()
    return typeof code === 'number' ? code : SIGNALLED + (numbers.get(by) ?? 0)
  }

  /** Asks the command to end, and kills all of it when it has not after a short while. */
  stop(): void {
    this.#stopping ??= this.#stop()
  }

  async #stop(): Promise<void> {
    const { clock } = this.#options
    this.tree.terminate(new Set(this.#holders()))
    await clock.sleep(GRACE_MS, this.#gone.signal)
    this.kill()
  }

  /** Ends all processes at once. */
  kill(): void {
    if (this.#gone.signal.aborted) return
    this.#killed = true
    const { clock, containment } = this.#options
    const [root, first] = this.#holders()
    if (containment.kind === 'search') void this.tree.kill(() => clock.sleep(PAUSE_MS))
    // The kernel ends a namespace with its first process, and reports its end when all have ended.
    else if (first !== undefined) signal(first, 'SIGKILL')
    else if (root !== undefined) signal(root, 'SIGKILL')
  }

  /** The processes that hold the tree together, and do not run the command themselves. */
  #holders(): number[] {
    if (this.#options.containment.kind === 'search') return [this.pid]
    const first = listProcesses().find(({ parent }) => parent === this.pid)
    return first ? [this.pid, first.pid] : [this.pid]
  }
}
