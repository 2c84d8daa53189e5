/** Reads a file named on the command line, or standard input. */
import { readFileSync } from 'node:fs'
import { CliError } from '../runtime/cli-error.ts'

/** `-` means standard input; `what` begins the sentence of the error. */
export function readInput(what: string, path: string): string {
  try {
    return readFileSync(path === '-' ? 0 : path, 'utf8')
  } catch (cause) {
    throw new CliError(
      'file_unreadable',
      `${what} cannot be read from ${inputName(path)}: ${(cause as Error).message}`,
      { cause },
    )
  }
}

export function inputName(path: string): string {
  return path === '-' ? 'standard input' : path
}

/** The JSON text of an argument: itself, the content of `@file`, or standard input for `-`. */
export function readPayload(argument: string): string {
  if (argument === '-') return readInput('The payload', '-')
  return argument.startsWith('@') ? readInput('The payload', argument.slice(1)) : argument
}
