/**
 * Turns an error into what the command line prints: a stable code, a message, a hint, and the exit
 * code.
 */
import { PunctualHttpError } from '@punctual/client'
import { type ErrorCode, errorCatalogue, PunctualError } from '@punctual/core/errors'
import { EmbeddedError, EmbeddedErrorCode } from '@punctual/store'
import { CommanderError } from 'commander'
import { CliError, type CliErrorCode, cliErrors } from './cli-error.ts'
import { type ExitCode, exit } from './exit-code.ts'

export interface Explanation {
  readonly code: string
  readonly message: string
  readonly hint: string | null
  readonly exitCode: ExitCode
}

const hints: Partial<Record<ErrorCode, string>> = {
  invalid_config: '`punctual config show` shows every value and its source.',
  invalid_payload: `Quote JSON for your shell: '{"to":"a@b.c"}', or '"text"' for a string. @file reads a file, - reads standard input.`,
  database_unavailable:
    'Start a database with `punctual start`, or set DATABASE_URL or --database-url.',
  schema_missing: '`punctual migrate` brings the schema up to date.',
  partition_missing: '`punctual migrate` creates the missing daily partitions.',
  run_not_found: '`punctual runs list` lists runs.',
  worker_not_found: '`punctual workers` lists workers.',
  dead_letter_not_found:
    '`punctual dead list` lists open dead letters; with --state all also closed ones.',
  tenant_not_found: '`punctual tenants list` lists tenants.',
  api_key_not_found: '`punctual api-keys list` lists API keys.',
  handler_unknown: '`punctual workers` shows the handlers of each live worker.',
  wait_timeout: '`punctual runs show <id>` shows why the run has not ended.',
}

function exitCodeFor(code: ErrorCode): ExitCode {
  if (code.startsWith('database_') && code !== 'database_required') return exit.database
  const { status } = errorCatalogue[code]
  if (status === 404) return exit.notFound
  return status === 400 || status === 413 ? exit.usage : exit.failure
}

function explain(code: ErrorCode, message: string, hint = hints[code] ?? null): Explanation {
  return { code, message, hint, exitCode: exitCodeFor(code) }
}

function explainCli(code: CliErrorCode, message: string, hint?: string): Explanation {
  return { code, message, hint: hint ?? null, exitCode: exit[cliErrors[code].exit] }
}

/** Translates PostgreSQL errors that the store passes through because no retry can fix them. */
function explainSqlState(state: string, message: string): Explanation | null {
  const check = 'Check the user, password and database in DATABASE_URL.'
  if (state.startsWith('28'))
    return explain('database_unavailable', `PostgreSQL refused the login: ${message}.`, check)
  if (state === '3D000')
    return explain('database_unavailable', `PostgreSQL has no such database: ${message}.`, check)
  if (/^(08|53300|57P)/.test(state))
    return explain('database_unavailable', `PostgreSQL: ${message}.`)
  if (state === '53100') return explain('database_full', `PostgreSQL is out of space: ${message}.`)
  if (state === '42P01' || state === '3F000')
    return explain('schema_missing', `The schema is missing or not fully migrated: ${message}.`)
  if (state === '42501')
    return explainCli(
      'permission_denied',
      `PostgreSQL: ${message}.`,
      '`punctual doctor` shows which privileges are missing.',
    )
  return null
}

/** PostgreSQL's reason for a refused connection says more than "database unavailable". */
function explainCause({ code, cause }: PunctualError): Explanation | null {
  if (code !== 'database_unavailable' || !(cause instanceof Error)) return null
  const state = (cause as { code?: unknown }).code
  return typeof state === 'string' && /^(28|3D)/.test(state)
    ? explainSqlState(state, cause.message)
    : null
}

/** Errors of a server are shown like errors of the library: same codes, hints and exit codes. */
function explainHttp({ status, code, detail }: PunctualHttpError): Explanation {
  if (status === 0)
    return explainCli('server_unreachable', detail, 'Check --server or PUNCTUAL_SERVER.')
  if (Object.hasOwn(errorCatalogue, code)) return explain(code as ErrorCode, detail)
  return { code, message: detail, hint: null, exitCode: status < 500 ? exit.usage : exit.failure }
}

export function explainError(error: unknown): Explanation {
  if (error instanceof PunctualHttpError) return explainHttp(error)
  if (error instanceof PunctualError)
    return explainCause(error) ?? explain(error.code, error.message)
  if (error instanceof CliError) return explainCli(error.code, error.message, error.hint)
  if (error instanceof EmbeddedError)
    return {
      code: error.code.toLowerCase(),
      message: error.message,
      hint: null,
      exitCode: error.code === EmbeddedErrorCode.InvalidOption ? exit.usage : exit.database,
    }
  if (error instanceof CommanderError)
    return {
      code: 'invalid_option',
      message: error.message.replace(/^error: /, ''),
      hint: null,
      exitCode: exit.usage,
    }
  const { code, message } = error as { code?: unknown; message?: string }
  const known = typeof code === 'string' ? explainSqlState(code, message ?? '') : null
  return known ?? unexpected(error)
}

function unexpected(error: unknown): Explanation {
  return explainCli(
    'unexpected',
    error instanceof Error ? (error.stack ?? error.message) : String(error),
    'This is a bug in Punctual, or a PostgreSQL error that it does not recognize. Report it.',
  )
}
