/**
 * Database URLs. The driver knows one host; PostgreSQL's own form names several
 * (`postgres://u:p@h1:5432,h2:5432/db`), of which one is writable at a time. Parsed here, tried in turn.
 */
import { PunctualError } from '@punctual/core/errors'

export interface ServerAddress {
  readonly host: string
  readonly port: number
}

export interface ConnectionTarget {
  readonly servers: readonly ServerAddress[]
  /** The URL with its hosts taken out: the driver adds one of them. */
  readonly user: string | undefined
  readonly password: string | undefined
  readonly database: string | undefined
  readonly parameters: Readonly<Record<string, string>>
}

function refuse(why: string, field: string): never {
  throw new PunctualError(
    'invalid_config',
    `The database URL ${why}. Expected postgres://user:password@host:5432/database, or several hosts with commas.`,
    { field },
  )
}

function parseServer(text: string, field: string): ServerAddress {
  const match = /^(\[[^\]]+\]|[^:[\]]*)(?::(\d+))?$/.exec(text)
  if (!match) refuse(`names the host ${JSON.stringify(text)}, which is not one`, field)
  const port = match[2] === undefined ? 5432 : Number(match[2])
  if (port < 1 || port > 65_535) refuse(`has the port ${match[2]}`, field)
  const host = decodeURIComponent(match[1] ?? '').replace(/^\[|\]$/g, '')
  return { host: host === '' ? 'localhost' : host, port }
}

/** `field` is the setting that is told when it is refused. */
export function parseConnectionUrl(url: string, field = 'databaseUrl'): ConnectionTarget {
  const match = /^postgres(?:ql)?:\/\/(?:(.*)@)?([^/?@]*)(?:\/([^?]*))?(?:\?(.*))?$/.exec(url)
  if (!match) refuse('is not understood', field)
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

/** The URL as it may be shown and logged. */
export function redactUrl(url: string): string {
  return url
    .replace(/^(postgres(?:ql)?:\/\/[^:@/]*):.*@/, '$1:***@')
    .replace(/([?&](?:password|sslpassword)=)[^&]*/g, '$1***')
}
