/**
 * Where a command writes: text for users or JSON for programs on stdout, notes and errors on
 * stderr.
 */
import { type Colors, colorsFor } from './colours.ts'
import type { ExitCode } from './exit-code.ts'
import { explainError } from './explain-error.ts'

export interface Terminal {
  /** Whether stdout is a terminal. */
  readonly interactive: boolean
  /** Characters per line; unlimited when stdout is not a terminal. */
  readonly width: number
  readonly colors: Colors
  line(text?: string): void
  /** Prints one document: on one line when streaming, otherwise indented. */
  json(value: unknown, options?: { streaming?: boolean }): void
  /** Prints to stderr, for information that must not enter a pipe. */
  note(text: string): void
  /** Prints an error and returns its exit code. */
  fail(error: unknown): ExitCode
}

export function createTerminal(): Terminal {
  const { stdout, stderr, env } = process
  // A reader that closed the pipe early (`| head`) is not an error.
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0)
  })
  stderr.on('error', () => undefined)
  const errorColors = colorsFor(stderr, env)
  const note = (text: string) => void stderr.write(`${text}\n`)
  return {
    interactive: stdout.isTTY === true,
    width: stdout.isTTY ? Math.max(60, stdout.columns || 80) : Number.POSITIVE_INFINITY,
    colors: colorsFor(stdout, env),
    line: (text = '') => void stdout.write(`${text}\n`),
    json: (value, options) =>
      void stdout.write(`${JSON.stringify(value, null, options?.streaming ? 0 : 2)}\n`),
    note,
    fail: (error) => {
      const { code, message, hint, exitCode } = explainError(error)
      note(`${errorColors.red(`error[${code}]`)}: ${message}`)
      if (hint !== null) note(`${errorColors.dim('hint:')} ${hint}`)
      return exitCode
    },
  }
}
