/** Errors of the command line itself; errors of the library keep their own codes. */
import type { ExitName } from './exit-code.ts'

export const cliErrors = {
  port_in_use: { exit: 'failure', meaning: 'Another program is listening on the port.' },
  address_unusable: { exit: 'usage', meaning: 'Punctual cannot listen on this address.' },
  module_not_found: { exit: 'notFound', meaning: 'The handler module does not exist.' },
  module_invalid: { exit: 'usage', meaning: 'The handler module registers no handlers.' },
  module_failed: {
    exit: 'failure',
    meaning: 'The handler module threw while it was being loaded.',
  },
  file_unreadable: { exit: 'notFound', meaning: 'A file given to the command cannot be read.' },
  file_invalid: { exit: 'usage', meaning: 'A file given to the command has invalid content.' },
  permission_denied: { exit: 'failure', meaning: 'The PostgreSQL role lacks a privilege.' },
  not_over_http: {
    exit: 'usage',
    meaning: 'The command needs the database and does not work with `--server`.',
  },
  server_unreachable: { exit: 'failure', meaning: 'The server does not answer.' },
  unexpected: {
    exit: 'failure',
    meaning: 'An error that Punctual does not recognize. Report it as a bug.',
  },
  database_lost: {
    exit: 'database',
    meaning: 'The embedded PostgreSQL ended and was not restarted.',
  },
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
