/** What the API has no way to ask for. */
import { CliError } from '../../runtime/cli-error.ts'

export function notOverHttp(what: string): never {
  throw new CliError('not_over_http', `${what} works on the database only, not over a server.`, {
    hint: 'Leave the server out, and name the database with DATABASE_URL or --database-url.',
  })
}
