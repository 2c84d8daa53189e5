/**
 * Runs a short program to its end and returns its output. A failure is returned as data: the
 * promise rejects only when `signal` aborts. The program is killed at its deadline.
 */
import { spawn } from 'node:child_process'

export interface Command {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd?: string
  readonly env?: NodeJS.ProcessEnv
  readonly uid?: number
  readonly gid?: number
}

export interface CommandResult {
  readonly ok: boolean
  /** Everything written to stdout and stderr, or the reason why the program could not be run. */
  readonly output: string
}

export interface RunOptions {
  readonly deadlineMs?: number
  readonly input?: string
  readonly signal?: AbortSignal
}

const outputCharactersMax = 64 * 1024

export async function runCommand(
  { file, args, ...spawnOptions }: Command,
  { deadlineMs = 10_000, input = '', signal }: RunOptions = {},
): Promise<CommandResult> {
  signal?.throwIfAborted()
  const result = await new Promise<CommandResult>((resolve) => {
    const child = spawn(file, args, {
      ...spawnOptions,
      stdio: 'pipe',
      timeout: deadlineMs,
      killSignal: 'SIGKILL',
      ...(signal ? { signal } : {}),
    })
    let output = ''
    const collect = (text: string) => {
      output = (output + text).slice(-outputCharactersMax)
    }
    child.stdout.setEncoding('utf8').on('data', collect)
    child.stderr.setEncoding('utf8').on('data', collect)
    // A program that ends before it reads its input is judged by its exit code.
    child.stdin.on('error', () => {})
    child.stdin.end(input)
    child.on('error', (error) => resolve({ ok: false, output: `${output}${error.message}` }))
    child.on('close', (code, killedBy) => {
      const ending = killedBy ? `\nended by ${killedBy}` : ''
      resolve({ ok: code === 0, output: output.trim() + ending })
    })
  })
  signal?.throwIfAborted()
  return result
}
