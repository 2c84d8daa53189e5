/** Entry point of the command line. */
import { CommanderError } from 'commander'
import { createProgram } from './program.ts'
import { exit } from './runtime/exit-code.ts'
import { createTerminal } from './runtime/terminal.ts'

try {
  await createProgram().parseAsync()
} catch (error) {
  process.exitCode = report(error)
}

function report(error: unknown): number {
  const { code, exitCode } = error instanceof CommanderError ? error : { code: '', exitCode: 1 }
  // Commander throws after it has printed the help or the version that was requested.
  if (code.startsWith('commander.') && exitCode === 0) return exit.ok
  // A group without a subcommand: commander has printed its help.
  if (code === 'commander.help') return exit.usage
  const terminal = createTerminal()
  const result = terminal.fail(error)
  if (error instanceof CommanderError)
    terminal.note('hint: run `punctual --help`, or `punctual <command> --help`')
  return result
}
