/**
 * Every setting of a node, as data: flags, variables, entries of the file, defaults, help and the reference
 * page are all derived from this table. A setting is added here and nowhere else.
 */
import { defaults, limits } from '@punctual/core/errors'
import { prefixOfApiKey } from '@punctual/core/identity'
import { zoneOf } from '@punctual/core/schedule'
import { isSchemaName } from '@punctual/store'
import {
  autoOnOrOff,
  httpUrls,
  type Kind,
  oneOf,
  onOrOff,
  pairs,
  type QueueCaps,
  queueCaps,
  someOf,
  text,
  whole,
} from './kinds.ts'
import { type RoleName, roles } from './options.ts'
import type { SecretKind } from './show-secret.ts'

/** Which commands take the flag: all that use the database, those that run a node, the one with HTTP, or those that can work over it. */
export type SettingGroup = 'database' | 'node' | 'http' | 'server'

export interface Setting<T> {
  readonly group: SettingGroup
  readonly flag: string
  readonly env: string
  readonly kind: Kind<T>
  readonly default: T
  readonly help: string
  /** Shown as this where the default is not a value: "depends on …". */
  readonly defaultShown?: string
  /** Holds a password, or is a key: never shown as it is. */
  readonly secret?: SecretKind
}

function setting<T>(it: Setting<T>): Setting<T> {
  return it
}

const postgresUrl = text(
  'postgres://user:password@host:5432/database, several hosts with commas',
  'url',
  (url) => /^postgres(ql)?:\/\//.test(url),
)

function isZoneName(name: string): boolean {
  try {
    return zoneOf(name) !== null
  } catch {
    return false
  }
}

export const settings = {
  databaseUrl: setting<string | null>({
    group: 'database',
    flag: '--database-url',
    env: 'DATABASE_URL',
    kind: postgresUrl,
    default: null,
    defaultShown: 'none: the embedded PostgreSQL',
    help: 'the PostgreSQL (15 to 18) to use',
    secret: 'url',
  }),
  readDatabaseUrl: setting<string | null>({
    group: 'database',
    flag: '--read-database-url',
    env: 'PUNCTUAL_READ_DATABASE_URL',
    kind: postgresUrl,
    default: null,
    defaultShown: 'none: the primary',
    help: 'a standby that lists and reports are read from; nothing is decided by it',
    secret: 'url',
  }),
  readLagMs: setting<number>({
    group: 'database',
    flag: '--read-lag-ms',
    env: 'PUNCTUAL_READ_LAG_MS',
    kind: whole(0, limits.readLagMsMax),
    default: defaults.readLagMs,
    help: 'how far behind that standby may be; one that is further behind is passed by',
  }),
  embedded: setting({
    group: 'database',
    flag: '--embedded',
    env: 'PUNCTUAL_EMBEDDED',
    kind: onOrOff,
    default: false,
    help: 'use the embedded PostgreSQL, whatever DATABASE_URL and NODE_ENV say',
  }),
  dataDir: setting<string>({
    group: 'database',
    flag: '--data-dir',
    env: 'PUNCTUAL_DATA_DIR',
    kind: text('a path', 'path'),
    default: './.punctual',
    help: 'where the embedded PostgreSQL keeps its data',
  }),
  schema: setting<string>({
    group: 'database',
    flag: '--schema',
    env: 'PUNCTUAL_SCHEMA',
    kind: text('a lower-case name of letters, digits and _ (up to 48)', 'name', isSchemaName),
    default: 'punctual',
    help: 'the schema that holds everything; several installations share a database',
  }),
  preparedStatements: setting<boolean | 'auto'>({
    group: 'database',
    flag: '--prepared-statements',
    env: 'PUNCTUAL_PREPARED_STATEMENTS',
    kind: autoOnOrOff,
    default: 'auto',
    help: 'name statements so that the server keeps their plans; auto: unless a pooler is seen',
  }),
  secretsKeyFile: setting<string | null>({
    group: 'database',
    flag: '--secrets-key-file',
    env: 'PUNCTUAL_SECRETS_KEY_FILE',
    kind: text('a path', 'path'),
    default: null,
    defaultShown: 'none: `PUNCTUAL_SECRETS_KEY`',
    help: 'a file with the master keys of secrets, one on each line; the first encrypts',
  }),
  server: setting<readonly string[] | null>({
    group: 'server',
    flag: '--server',
    env: 'PUNCTUAL_SERVER',
    kind: httpUrls,
    default: null,
    defaultShown: 'none: the database itself',
    help: 'ask this server over HTTP instead of the database',
  }),
  apiKey: setting<string | null>({
    group: 'server',
    flag: '--api-key',
    env: 'PUNCTUAL_API_KEY',
    kind: text('a whole API key: punctual_…', 'key', (key) => prefixOfApiKey(key) !== null),
    default: null,
    defaultShown: 'none',
    help: 'the key to ask it with; the variable keeps it out of the list of processes',
    secret: 'key',
  }),
  roles: setting<readonly RoleName[] | null>({
    group: 'node',
    flag: '--roles',
    env: 'PUNCTUAL_ROLES',
    kind: someOf(...roles),
    default: null,
    defaultShown: '`start`: all; `worker`: all but api',
    help: `what this process does: ${roles.join(', ')}`,
  }),
  host: setting<string>({
    group: 'http',
    flag: '--host',
    env: 'PUNCTUAL_HOST',
    kind: text('a name or address of this machine', 'address'),
    default: '127.0.0.1',
    help: 'the address to listen on',
  }),
  port: setting<number>({
    group: 'http',
    flag: '--port',
    env: 'PUNCTUAL_PORT',
    kind: whole(0, 65_535),
    default: 7070,
    help: 'the port to listen on; 0 picks a free one',
  }),
  auth: setting({
    group: 'http',
    flag: '--auth',
    env: 'PUNCTUAL_AUTH',
    kind: onOrOff,
    default: true,
    help: 'ask for API keys; off: on a loopback address only, where everybody may do everything',
  }),
  tlsCert: setting<string | null>({
    group: 'http',
    flag: '--tls-cert',
    env: 'PUNCTUAL_TLS_CERT',
    kind: text('a path', 'path'),
    default: null,
    defaultShown: 'none: plain HTTP',
    help: 'the certificate to serve HTTPS with, as a PEM file',
  }),
  tlsKey: setting<string | null>({
    group: 'http',
    flag: '--tls-key',
    env: 'PUNCTUAL_TLS_KEY',
    kind: text('a path', 'path'),
    default: null,
    defaultShown: 'none: plain HTTP',
    help: 'its private key, as a PEM file',
  }),
  trustProxy: setting({
    group: 'http',
    flag: '--trust-proxy',
    env: 'PUNCTUAL_TRUST_PROXY',
    kind: onOrOff,
    default: false,
    help: 'take the address of clients from X-Forwarded-For, as the proxy in front sets it',
  }),
  httpRate: setting<number>({
    group: 'http',
    flag: '--http-rate',
    env: 'PUNCTUAL_HTTP_RATE',
    kind: whole(1, limits.httpRateMax),
    default: defaults.httpRate,
    help: 'how many requests one API key may send to this process in a second',
  }),
  concurrency: setting<number>({
    group: 'node',
    flag: '--concurrency',
    env: 'PUNCTUAL_CONCURRENCY',
    kind: whole(1, limits.concurrencyMax),
    default: defaults.concurrency,
    help: 'how many runs this process runs at once',
  }),
  queues: setting<QueueCaps | null>({
    group: 'node',
    flag: '--queues',
    env: 'PUNCTUAL_QUEUES',
    kind: queueCaps(limits.concurrencyMax),
    default: null,
    defaultShown: 'all',
    help: 'the queues to take from, each with an optional cap: emails,reports=5',
  }),
  workerLabels: setting<Readonly<Record<string, string>>>({
    group: 'node',
    flag: '--worker-labels',
    env: 'PUNCTUAL_WORKER_LABELS',
    kind: pairs,
    default: {},
    defaultShown: 'none',
    help: 'shown with this worker: zone=a,disk=ssd',
  }),
  leaseMs: setting<number>({
    group: 'node',
    flag: '--lease-ms',
    env: 'PUNCTUAL_LEASE_MS',
    kind: whole(1_000, 3_600_000),
    default: defaults.leaseMs,
    help: 'how long a worker may be silent before its runs go to others',
  }),
  drainMs: setting<number>({
    group: 'node',
    flag: '--drain-ms',
    env: 'PUNCTUAL_DRAIN_MS',
    kind: whole(0, 86_400_000),
    default: defaults.drainMs,
    help: 'how long stopping waits for handlers that run',
  }),
  retentionDays: setting<number>({
    group: 'node',
    flag: '--retention-days',
    env: 'PUNCTUAL_RETENTION_DAYS',
    kind: whole(1, 3_650),
    default: defaults.retentionDays,
    help: 'days that history is kept',
  }),
  timezone: setting<string>({
    group: 'node',
    flag: '--timezone',
    env: 'PUNCTUAL_TIMEZONE',
    kind: text('a name of the IANA database such as Europe/Berlin, or UTC', 'zone', isZoneName),
    default: defaults.timezone,
    help: 'the time zone of jobs that name none',
  }),
  jitterMs: setting<number>({
    group: 'node',
    flag: '--jitter-ms',
    env: 'PUNCTUAL_JITTER_MS',
    kind: whole(0, 86_400_000),
    default: 0,
    help: 'how far runs of jobs are spread behind their slots, where a job does not say otherwise',
  }),
  planAheadMs: setting<number>({
    group: 'node',
    flag: '--plan-ahead-ms',
    env: 'PUNCTUAL_PLAN_AHEAD_MS',
    kind: whole(limits.planAheadMsMin, limits.planAheadMsMax),
    default: defaults.planAheadMs,
    help: 'how far ahead planners turn slots of jobs into runs',
  }),
  payloadBytes: setting<number>({
    group: 'database',
    flag: '--payload-bytes',
    env: 'PUNCTUAL_PAYLOAD_BYTES',
    kind: whole(1_024, limits.payloadBytesCeiling),
    default: limits.payloadBytes,
    help: 'the largest payload, in bytes of JSON',
  }),
  outputBytes: setting<number>({
    group: 'node',
    flag: '--output-bytes',
    env: 'PUNCTUAL_OUTPUT_BYTES',
    kind: whole(1_024, limits.payloadBytesCeiling),
    default: limits.outputBytes,
    help: 'the largest output, in bytes of JSON',
  }),
  migrate: setting({
    group: 'node',
    flag: '--migrate',
    env: 'PUNCTUAL_MIGRATE',
    kind: onOrOff,
    default: true,
    help: 'bring the schema up to date at the start; off: only check it',
  }),
  logLevel: setting<'debug' | 'info' | 'warn' | 'error' | 'silent'>({
    group: 'node',
    flag: '--log-level',
    env: 'PUNCTUAL_LOG_LEVEL',
    kind: oneOf('debug', 'info', 'warn', 'error', 'silent'),
    default: 'info',
    help: 'the least that is logged',
  }),
  logFormat: setting<'auto' | 'json' | 'pretty'>({
    group: 'node',
    flag: '--log-format',
    env: 'PUNCTUAL_LOG_FORMAT',
    kind: oneOf('auto', 'json', 'pretty'),
    default: 'auto',
    help: 'auto: readable lines on a terminal, JSON elsewhere',
  }),
} as const

export type Settings = typeof settings
export type SettingName = keyof Settings
export const settingNames = Object.keys(settings) as SettingName[]

/** The values in effect. */
export type Config = {
  readonly [Name in SettingName]: Settings[Name] extends Setting<infer T> ? T : never
}
