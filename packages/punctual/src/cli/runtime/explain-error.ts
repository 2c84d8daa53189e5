/** An error as the command line tells it: a stable code, what happened, what to do, and the exit code. */
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
  invalid_config: '`punctual config show` tells every value and where it came from.',
  invalid_payload: `Quote JSON for your shell: '{"to":"a@b.c"}'; a text is '"text"'; @file and - read it from elsewhere.`,
  database_unavailable:
    'Start one with `punctual start`, or name one with DATABASE_URL or --database-url.',
  schema_missing: '`punctual migrate` brings the schema up to date.',
  partition_missing: '`punctual migrate` makes the days that are missing.',
  run_not_found: '`punctual runs list` shows the runs that there are.',
  worker_not_found: '`punctual workers` shows those that there are.',
  dead_letter_not_found:
    '`punctual dead list` shows those there are; --state all also those that were handled.',
  tenant_not_found: '`punctual tenants list` shows those that there are.',
  api_key_not_found: '`punctual api-keys list` shows those that there are.',
  handler_unknown: '`punctual workers` shows which handlers are alive.',
  wait_timeout: '`punctual runs show <id>` tells why it has not ended.',
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

/** PostgreSQL's own errors, which pass the store where no retry can mend them. */
function explainSqlState(state: string, message: string): Explanation | null {
  const check = 'Check user, password and database in DATABASE_URL.'
  if (state.startsWith('28'))
    return explain('database_unavailable', `PostgreSQL refused the login: ${message}.`, check)
  if (state === '3D000')
    return explain('database_unavailable', `PostgreSQL has no such database: ${message}.`, check)
  if (/^(08|53300|57P)/.test(state))
    return explain('database_unavailable', `PostgreSQL: ${message}.`)
  if (state === '53100') return explain('database_full', `PostgreSQL has no room left: ${message}.`)
  if (state === '42P01' || state === '3F000')
    return explain('schema_missing', `The schema is not migrated, or only in part: ${message}.`)
  if (state === '42501')
    return explainCli(
      'permission_denied',
      `PostgreSQL: ${message}.`,
      '`punctual doctor` shows which privileges are missing.',
    )
  return null
}

/** What PostgreSQL said of a connection that it refused is clearer than that there is none. */
function explainCause({ code, cause }: PunctualError): Explanation | null {
  if (code !== 'database_unavailable' || !(cause instanceof Error)) return null
  const state = (cause as { code?: unknown }).code
  return typeof state === 'string' && /^(28|3D)/.test(state)
    ? explainSqlState(state, cause.message)
    : null
}

/** What a server told is told as if it had been told here. */
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
    'This is a bug in Punctual, or an error of PostgreSQL that it does not know. Please report it.',
  )
}
