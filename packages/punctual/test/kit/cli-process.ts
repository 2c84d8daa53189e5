/** The command line as users run it: the built program, in a separate process. */
import { execFile, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { onTestFinished, vi } from 'vitest'

const bin = fileURLToPath(new URL('../../bin/punctual.js', import.meta.url))
const DEADLINE_MS = 45_000

export interface CliOptions {
  readonly env?: Readonly<Record<string, string>>
  /** @default a new empty folder, so that no stray configuration file is found */
  readonly cwd?: string
  readonly input?: string
  /** Gives the program a terminal, by `script` of util-linux. @default false */
  readonly terminal?: boolean
}

export interface CliResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export function aTemporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'punctual-cli-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))
  return folder
}

/** Removes variables that would configure the program. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const foreign = /^(PUNCTUAL_|DATABASE_URL$|NODE_|NO_COLOR$|FORCE_COLOR$|VITEST)/
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)))
}

export class CliProcess {
  readonly exited: Promise<CliResult>
  readonly #child: ReturnType<typeof spawn>
  readonly #terminal: boolean
  #stdout = ''
  #stderr = ''

  constructor(args: readonly string[], options: CliOptions = {}) {
    const { env, cwd, input, terminal = false } = options
    this.#terminal = terminal
    const command = [process.execPath, bin, ...args]
    const quoted = command.map((word) => `'${word}'`).join(' ')
    const [program = '', ...words] = terminal ? ['script', '-qec', quoted, '/dev/null'] : command
    const child = spawn(program, words, {
      env: { ...cleanEnvironment(), ...env },
      cwd: cwd ?? aTemporaryFolder(),
      stdio: 'pipe',
    })
    this.#child = child
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.#stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr += text
    })
    // The end of the input of a terminal is a key press.
    if (!terminal) child.stdin.end(input)
    this.exited = new Promise((resolve) => {
      child.once('close', (code) => {
        resolve({ code, stdout: this.#stdout, stderr: this.#stderr })
      })
    })
    onTestFinished(async () => {
      if (child.exitCode === null) child.kill('SIGTERM')
      await this.exited
    })
  }

  get stdout(): string {
    return this.#stdout
  }

  get output(): string {
    return `${this.#stdout}\n${this.#stderr}`
  }

  signal(name: NodeJS.Signals): void {
    if (this.#terminal && name === 'SIGINT') this.#child.stdin?.write('\u0003')
    else this.#child.kill(name)
  }

  /** Resolves with the match once the output contains it; rejects after the deadline. */
  async saw(pattern: RegExp): Promise<RegExpMatchArray> {
    return vi.waitFor(
      () => {
        const match = this.output.match(pattern)
        if (match) return match
        const ended =
          this.#child.exitCode === null ? '' : ` and exited with ${this.#child.exitCode}`
        throw new Error(`punctual did not print ${pattern}${ended}:\n${this.output}`)
      },
      { timeout: DEADLINE_MS, interval: 50 },
    )
  }
}

/** Runs a command to its end. */
export function cli(args: readonly string[], options?: CliOptions): Promise<CliResult> {
  return new CliProcess(args, options).exited
}

/** Runs the same command twice: with text output and with `--json`. */
export async function both(args: readonly string[], options?: CliOptions) {
  const [table, json] = await Promise.all([cli(args, options), cli([...args, '--json'], options)])
  return { table, json, value: parse(json) }
}

function parse({ stdout, stderr }: CliResult) {
  try {
    return JSON.parse(stdout)
  } catch {
    throw new Error(`This is not one JSON document:\n${stdout}\n${stderr}`)
  }
}

/** Command lines of the processes that mention a path. */
export async function processesNaming(path: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)('ps', ['-eo', 'pid=,args='], { maxBuffer: 1 << 24 })
  return stdout.split('\n').filter((line) => line.includes(path))
}
