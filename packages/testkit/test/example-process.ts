/** A program of examples/, started as its README says; tests can wait for its output lines. */
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { eventually } from '@punctual/testkit'
import { onTestFinished } from 'vitest'

const root = fileURLToPath(new URL('../../..', import.meta.url))

interface ExampleOptions {
  /** The working folder, relative to the repository. @default the repository's root */
  readonly folder?: string
  readonly env: NodeJS.ProcessEnv
}

export class ExampleProcess {
  readonly lines: string[] = []
  readonly ended: Promise<number | null>
  readonly #child: ChildProcess

  /** Starts `node` with these arguments as a process group, so that no child outlives the test. */
  constructor(args: readonly string[], { folder = '', env }: ExampleOptions) {
    this.#child = spawn(process.execPath, args, {
      cwd: join(root, folder),
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    })
    const { stdout } = this.#child
    if (stdout) createInterface({ input: stdout }).on('line', (line) => this.lines.push(line))
    this.ended = new Promise((resolve) => this.#child.once('close', resolve))
    onTestFinished(() => void this.#signalGroup('SIGKILL'))
  }

  /** Waits for the first line that matches. */
  async line(pattern: RegExp): Promise<RegExpExecArray> {
    const found = () => this.lines.map((line) => pattern.exec(line)).find((match) => match !== null)
    await eventually(`a line like ${pattern}; so far: ${this.lines}`, () => Boolean(found()))
    return found() as RegExpExecArray
  }

  stop(): Promise<number | null> {
    this.#child.kill('SIGTERM')
    return this.ended
  }

  /** Whether any process that it started is alive. */
  get alive(): boolean {
    return this.#signalGroup(0)
  }

  #signalGroup(signal: NodeJS.Signals | 0): boolean {
    try {
      return process.kill(-(this.#child.pid as number), signal)
    } catch {
      return false
    }
  }
}
