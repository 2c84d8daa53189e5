/**
 * Parses database URLs. The driver supports one host; libpq's form names several
 * (`postgres://u:p@h1:5432,h2:5432/db`), of which one is writable at a time. The endpoint tries
 * them in turn.
 */
import { PunctualError } from '@punctual/core/errors'

export interface ServerAddress {
  readonly host: string
  readonly port: number
}

export interface ConnectionTarget {
  readonly servers: readonly ServerAddress[]
  /** From here on: the parts of the URL that hold for each of the servers. */
  readonly user: string | undefined
  readonly password: string | undefined
  readonly database: string | undefined
  readonly parameters: Readonly<Record<string, string>>
}

function refuse(why: string, field: string): never {
  throw new PunctualError(
    'invalid_config',
    `The database URL ${why}. Expected postgres://user:password@host:5432/database, or several hosts separated by commas.`,
    { field },
  )
}

function parseServer(text: string, field: string): ServerAddress {
  const match = /^(\[[^\]]+\]|[^:[\]]*)(?::(\d+))?$/.exec(text)
  if (!match) refuse(`has the invalid host ${JSON.stringify(text)}`, field)
  const port = match[2] === undefined ? 5432 : Number(match[2])
  if (port < 1 || port > 65_535) refuse(`has the invalid port ${match[2]}`, field)
  const host = decodeURIComponent(match[1] ?? '').replace(/^\[|\]$/g, '')
  return { host: host === '' ? 'localhost' : host, port }
}

/** `field` names the setting in the error. */
export function parseConnectionUrl(url: string, field = 'databaseUrl'): ConnectionTarget {
  const match = /^postgres(?:ql)?:\/\/(?:(.*)@)?([^/?@]*)(?:\/([^?]*))?(?:\?(.*))?$/.exec(url)
  if (!match) refuse('cannot be parsed', field)
  const [user, ...password] = (match[1] ?? '').split(':')
  const parameters = Object.fromEntries(new URLSearchParams(match[4] ?? ''))
  const hosts = (match[2] ?? '') || parameters.host || ''
  return {
    servers: hosts.split(',').map((text) => parseServer(text, field)),
    user: user ? decodeURIComponent(user) : undefined,
    password: password.length > 0 ? decodeURIComponent(password.join(':')) : undefined,
    database: match[3] ? decodeURIComponent(match[3]) : undefined,
    parameters,
  }
}

/** Returns the URL without its password, for display and logs. */
export function redactUrl(url: string): string {
  return url
    .replace(/^(postgres(?:ql)?:\/\/[^:@/]*):.*@/, '$1:***@')
    .replace(/([?&](?:password|sslpassword)=)[^&]*/g, '$1***')
}
