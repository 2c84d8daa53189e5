/**
 * One server process: it is spawned once and ends once. The supervisor restarts servers.
 */
import { spawn } from 'node:child_process'
import { runCommand } from './binaries/run-command.ts'
import type { Toolchain } from './binaries/toolchain.ts'
import type { DataDir } from './data-directory/data-dir.ts'
import type { ServerLog } from './data-directory/server-log.ts'
import { waitUntil } from './data-directory/wait-until.ts'

export interface ProcessExit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** How long an immediate shutdown may take before the process is killed. */
const immediateDeadlineMs = 5_000

export class Postmaster {
  readonly pid: number | undefined
  readonly exited: Promise<ProcessExit>
  readonly #toolchain: Toolchain
  readonly #dataDir: DataDir
  #hasExited = false

  private constructor(
    child: ReturnType<typeof spawn>,
    { toolchain, dataDir }: { toolchain: Toolchain; dataDir: DataDir },
  ) {
    this.#toolchain = toolchain
    this.#dataDir = dataDir
    this.pid = child.pid
    this.exited = new Promise((resolve) => {
      const settle = (exit: ProcessExit) => {
        this.#hasExited = true
        resolve(exit)
      }
      child.once('exit', (code, signal) => settle({ code, signal }))
      child.once('error', () => settle({ code: null, signal: null }))
    })
  }

  static async spawn(
    toolchain: Toolchain,
    dataDir: DataDir,
    args: readonly string[],
    log: ServerLog,
  ): Promise<Postmaster> {
    const server = toolchain.command('postgres', ['-D', dataDir.cluster, ...args])
    const { file, args: fileArgs, ...identity } = server
    const output = await log.openForServer()
    try {
      const child = spawn(file, fileArgs, {
        ...identity,
        stdio: ['ignore', output.fd, output.fd],
        // A separate session: Ctrl-C in a terminal must reach the owner, which still needs the
        // database to finish its work, but not the server.
        detached: true,
        windowsHide: true,
      })
      return new Postmaster(child, { toolchain, dataDir })
    } finally {
      await output.close()
    }
  }

  get hasExited(): boolean {
    return this.#hasExited
  }

  /** Fast shutdown: ends sessions and writes everything. Immediate shutdown after the deadline. */
  async shutDown(deadlineMs: number): Promise<ProcessExit> {
    await this.#request('fast')
    if (!(await this.#exitsWithin(deadlineMs))) await this.shutDownNow()
    return this.exited
  }

  /** An immediate shutdown: the next start recovers from the write-ahead log. */
  async shutDownNow(): Promise<ProcessExit> {
    await this.#request('immediate')
    if (!(await this.#exitsWithin(immediateDeadlineMs))) this.#signal('SIGKILL')
    return this.exited
  }

  async #exitsWithin(deadlineMs: number): Promise<boolean> {
    return waitUntil(() => this.#hasExited, deadlineMs, { pollMs: 5 })
  }

  async #request(mode: 'fast' | 'immediate'): Promise<void> {
    if (process.platform !== 'win32') {
      this.#signal(mode === 'fast' ? 'SIGINT' : 'SIGQUIT')
      return
    }
    // Windows has no signals; pg_ctl reaches the server in another way.
    const args = ['stop', '-D', this.#dataDir.cluster, '-m', mode, '--no-wait']
    await runCommand(this.#toolchain.command('pg_ctl', args))
  }

  #signal(signal: NodeJS.Signals): void {
    if (this.#hasExited || this.pid === undefined) return
    try {
      process.kill(this.pid, signal)
    } catch {
      // The process has just ended; its exit event follows.
    }
  }
}
