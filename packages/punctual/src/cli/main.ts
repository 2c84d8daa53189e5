/** The entry of the command line. */
import { CommanderError } from 'commander'
import { createProgram } from './program.ts'
import { exit } from './runtime/exit-code.ts'
import { createTerminal } from './runtime/terminal.ts'

try {
  await createProgram().parseAsync()
} catch (error) {
  process.exitCode = tell(error)
}

function tell(error: unknown): number {
  const { code, exitCode } = error instanceof CommanderError ? error : { code: '', exitCode: 1 }
  // Help and version were asked for, and are out.
  if (code.startsWith('commander.') && exitCode === 0) return exit.ok
  // A group without its command: its help is out, as the answer.
  if (code === 'commander.help') return exit.usage
  const terminal = createTerminal()
  const result = terminal.fail(error)
  if (error instanceof CommanderError)
    terminal.note('hint: `punctual --help`, or `punctual <command> --help`')
  return result
}
