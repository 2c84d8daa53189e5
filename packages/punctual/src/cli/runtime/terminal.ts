/** Where a command writes: text for people, JSON for programs, errors apart from both. */
import { type Colors, colorsFor } from './colours.ts'
import type { ExitCode } from './exit-code.ts'
import { explainError } from './explain-error.ts'

export interface Terminal {
  /** Whether a person is looking. */
  readonly interactive: boolean
  /** How many characters fit on a line; tables elsewhere are as wide as they need to be. */
  readonly width: number
  readonly colors: Colors
  line(text?: string): void
  /** One document on one line when it streams, otherwise indented. */
  json(value: unknown, options?: { streaming?: boolean }): void
  /** Something to know that is not the answer: it does not disturb a pipe. */
  note(text: string): void
  /** Says what went wrong and returns the exit code that says the same. */
  fail(error: unknown): ExitCode
}

export function createTerminal(): Terminal {
  const { stdout, stderr, env } = process
  // A reader that went away (`| head`) is no error.
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
