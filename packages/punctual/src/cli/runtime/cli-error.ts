/** Errors that only the command line knows; those of the library keep their own codes. */
import type { ExitName } from './exit-code.ts'

export const cliErrors = {
  port_in_use: { exit: 'failure', meaning: 'Another program listens on the port.' },
  address_unusable: { exit: 'usage', meaning: 'It is not possible to listen on this address.' },
  module_not_found: { exit: 'notFound', meaning: 'The module of handlers does not exist.' },
  module_invalid: { exit: 'usage', meaning: 'The module registers no handlers.' },
  module_failed: { exit: 'failure', meaning: 'The module threw while it was loaded.' },
  file_unreadable: { exit: 'notFound', meaning: 'A file that was named cannot be read.' },
  file_invalid: { exit: 'usage', meaning: 'A file that was named does not hold what it should.' },
  permission_denied: { exit: 'failure', meaning: 'The role may not do this in PostgreSQL.' },
  not_over_http: {
    exit: 'usage',
    meaning: 'The command works on the database only, and a server was named.',
  },
  server_unreachable: { exit: 'failure', meaning: 'The server that was named does not answer.' },
  unexpected: {
    exit: 'failure',
    meaning: 'An error that Punctual does not know; please report it.',
  },
  database_lost: { exit: 'database', meaning: 'The embedded PostgreSQL ended for good.' },
} as const satisfies Record<string, { exit: ExitName; meaning: string }>

export type CliErrorCode = keyof typeof cliErrors

export class CliError extends Error {
  override readonly name = 'CliError'
  readonly code: CliErrorCode
  readonly hint: string | undefined

  constructor(
    code: CliErrorCode,
    message: string,
    details: { hint?: string; cause?: unknown } = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = code
    this.hint = details.hint
  }
}
