/** Refuses options that the API does not support. */
import { CliError } from '../../runtime/cli-error.ts'

export function notOverHttp(what: string): never {
  throw new CliError(
    'not_over_http',
    `${what} needs the database; the server does not support it.`,
    {
      hint: 'Unset the server, and set DATABASE_URL or --database-url.',
    },
  )
}
