/**
 * Every setting of a node, as data: flags, variables, file entries, defaults, help and the
 * reference page are all derived from this table. A setting is added here and nowhere else.
 */
import { defaults, limits } from '@punctual/core/errors'
import { prefixOfApiKey } from '@punctual/core/identity'
import { zoneOf } from '@punctual/core/schedule'
import { isSchemaName } from '@punctual/store'
import {
  autoOnOrOff,
  httpUrls,
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
import { type Setting, setting } from './setting.ts'
import { targetSettings } from './target-settings.ts'
import { type TrustedProxies, trustedProxies } from './trusted-proxies.ts'

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

function isHttpUrl(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
}

function isMetricsToken(token: string): boolean {
  return /^[\w-]{32,256}$/.test(token)
}

export const settings = {
  databaseUrl: setting<string | null>({
    group: 'database',
    flag: '--database-url',
    env: 'DATABASE_URL',
    kind: postgresUrl,
    default: null,
    defaultShown: 'none: the embedded PostgreSQL',
    help: 'URL of the PostgreSQL (15 to 18) to use',
    secret: 'url',
  }),
  readDatabaseUrl: setting<string | null>({
    group: 'database',
    flag: '--read-database-url',
    env: 'PUNCTUAL_READ_DATABASE_URL',
    kind: postgresUrl,
    default: null,
    defaultShown: 'none: the primary',
    help: 'URL of a standby for lists and reports; it is never used for decisions',
    secret: 'url',
  }),
  readLagMs: setting<number>({
    group: 'database',
    flag: '--read-lag-ms',
    env: 'PUNCTUAL_READ_LAG_MS',
    kind: whole(0, limits.readLagMsMax),
    default: defaults.readLagMs,
    help: 'how far that standby may lag, in ms; with a larger lag it is skipped',
  }),
  embedded: setting({
    group: 'database',
    flag: '--embedded',
    env: 'PUNCTUAL_EMBEDDED',
    kind: onOrOff,
    default: false,
    help: 'use the embedded PostgreSQL, even if DATABASE_URL or NODE_ENV=production is set',
  }),
  dataDir: setting<string>({
    group: 'database',
    flag: '--data-dir',
    env: 'PUNCTUAL_DATA_DIR',
    kind: text('a path', 'path'),
    default: './.punctual',
    help: 'data directory of the embedded PostgreSQL',
  }),
  schema: setting<string>({
    group: 'database',
    flag: '--schema',
    env: 'PUNCTUAL_SCHEMA',
    kind: text('a lower-case name of a-z, 0-9 and _ (up to 48)', 'name', isSchemaName),
    default: 'punctual',
    help: 'the schema of all tables; several installations can share a database',
  }),
  preparedStatements: setting<boolean | 'auto'>({
    group: 'database',
    flag: '--prepared-statements',
    env: 'PUNCTUAL_PREPARED_STATEMENTS',
    kind: autoOnOrOff,
    default: 'auto',
    help: 'name statements so that the server keeps their plans; auto: unless a pooler is detected',
  }),
  secretsKeyFile: setting<string | null>({
    group: 'database',
    flag: '--secrets-key-file',
    env: 'PUNCTUAL_SECRETS_KEY_FILE',
    kind: text('a path', 'path'),
    default: null,
    defaultShown: 'none: `PUNCTUAL_SECRETS_KEY`',
    help: 'file with the master keys of secrets, one per line; the first one encrypts',
  }),
  server: setting<readonly string[] | null>({
    group: 'server',
    flag: '--server',
    env: 'PUNCTUAL_SERVER',
    kind: httpUrls,
    default: null,
    defaultShown: 'none: the database',
    help: 'send the command to this server over HTTP instead of the database',
  }),
  apiKey: setting<string | null>({
    group: 'server',
    flag: '--api-key',
    env: 'PUNCTUAL_API_KEY',
    kind: text('a complete API key: punctual_…', 'key', (key) => prefixOfApiKey(key) !== null),
    default: null,
    defaultShown: 'none',
    help: 'API key for that server; the variable keeps it out of the process list',
    secret: 'key',
  }),
  roles: setting<readonly RoleName[] | null>({
    group: 'node',
    flag: '--roles',
    env: 'PUNCTUAL_ROLES',
    kind: someOf(...roles),
    default: null,
    defaultShown: '`start`: all; `worker`: all but api',
    help: `roles of this process: ${roles.join(', ')}`,
  }),
  host: setting<string>({
    group: 'http',
    flag: '--host',
    env: 'PUNCTUAL_HOST',
    kind: text('a host name or address of this machine', 'address'),
    default: '127.0.0.1',
    help: 'the address to listen on',
  }),
  port: setting<number>({
    group: 'http',
    flag: '--port',
    env: 'PUNCTUAL_PORT',
    kind: whole(0, 65_535),
    default: 7070,
    help: 'the port to listen on; 0 picks a free port',
  }),
  auth: setting({
    group: 'http',
    flag: '--auth',
    env: 'PUNCTUAL_AUTH',
    kind: onOrOff,
    default: true,
    help: 'require API keys; off is allowed on a loopback address only and permits everything',
  }),
  tlsCert: setting<string | null>({
    group: 'http',
    flag: '--tls-cert',
    env: 'PUNCTUAL_TLS_CERT',
    kind: text('a path', 'path'),
    default: null,
    defaultShown: 'none: plain HTTP',
    help: 'certificate for HTTPS, as a PEM file',
  }),
  tlsKey: setting<string | null>({
    group: 'http',
    flag: '--tls-key',
    env: 'PUNCTUAL_TLS_KEY',
    kind: text('a path', 'path'),
    default: null,
    defaultShown: 'none: plain HTTP',
    help: 'private key of the certificate, as a PEM file',
  }),
  trustProxy: setting<TrustedProxies>({
    group: 'http',
    flag: '--trust-proxy',
    env: 'PUNCTUAL_TRUST_PROXY',
    kind: trustedProxies,
    default: false,
    help: 'take client addresses from X-Forwarded-For, as far as these proxies wrote it',
  }),
  metricsToken: setting<string | null>({
    group: 'http',
    flag: '--metrics-token',
    env: 'PUNCTUAL_METRICS_TOKEN',
    kind: text('a token of 32 or more letters, digits, - and _', 'token', isMetricsToken),
    default: null,
    defaultShown: 'none: `/metrics` names no queue and no handler',
    help: 'what Prometheus sends as a bearer token to read metrics that name queues and handlers',
    secret: 'token',
  }),
  httpRate: setting<number>({
    group: 'http',
    flag: '--http-rate',
    env: 'PUNCTUAL_HTTP_RATE',
    kind: whole(1, limits.httpRateMax),
    default: defaults.httpRate,
    help: 'requests per second that one API key may send to this process',
  }),
  tenantHttpRate: setting<number>({
    group: 'http',
    flag: '--tenant-http-rate',
    env: 'PUNCTUAL_TENANT_HTTP_RATE',
    kind: whole(1, limits.httpRateMax),
    default: defaults.tenantHttpRate,
    help: 'requests per second that all API keys of a tenant may send to this process',
  }),
  tenantStreams: setting<number>({
    group: 'http',
    flag: '--tenant-streams',
    env: 'PUNCTUAL_TENANT_STREAMS',
    kind: whole(1, limits.tenantStreamsMax),
    default: defaults.tenantStreams,
    help: 'activity and log streams that all API keys of a tenant may have open here',
  }),
  tenantWaits: setting<number>({
    group: 'http',
    flag: '--tenant-waits',
    env: 'PUNCTUAL_TENANT_WAITS',
    kind: whole(1, limits.tenantWaitsMax),
    default: defaults.tenantWaits,
    help: 'claims and waits of remote workers of a tenant that this process serves at once',
  }),
  concurrency: setting<number>({
    group: 'node',
    flag: '--concurrency',
    env: 'PUNCTUAL_CONCURRENCY',
    kind: whole(1, limits.concurrencyMax),
    default: defaults.concurrency,
    help: 'how many runs this process executes at once',
  }),
  queues: setting<QueueCaps | null>({
    group: 'node',
    flag: '--queues',
    env: 'PUNCTUAL_QUEUES',
    kind: queueCaps(limits.concurrencyMax),
    default: null,
    defaultShown: 'all',
    help: 'queues to claim from, each with an optional cap: emails,reports=5',
  }),
  ...targetSettings,
  workerLabels: setting<Readonly<Record<string, string>>>({
    group: 'node',
    flag: '--worker-labels',
    env: 'PUNCTUAL_WORKER_LABELS',
    kind: pairs,
    default: {},
    defaultShown: 'none',
    help: 'labels shown with this worker: zone=a,disk=ssd',
  }),
  leaseMs: setting<number>({
    group: 'node',
    flag: '--lease-ms',
    env: 'PUNCTUAL_LEASE_MS',
    kind: whole(1_000, 3_600_000),
    default: defaults.leaseMs,
    help: 'how long a worker may send no heartbeat before its runs return to the queue',
  }),
  drainMs: setting<number>({
    group: 'node',
    flag: '--drain-ms',
    env: 'PUNCTUAL_DRAIN_MS',
    kind: whole(0, 86_400_000),
    default: defaults.drainMs,
    help: 'how long stopping waits for running handlers',
  }),
  retentionDays: setting<number>({
    group: 'node',
    flag: '--retention-days',
    env: 'PUNCTUAL_RETENTION_DAYS',
    kind: whole(1, 3_650),
    default: defaults.retentionDays,
    help: 'how many days of history are kept',
  }),
  timezone: setting<string>({
    group: 'node',
    flag: '--timezone',
    env: 'PUNCTUAL_TIMEZONE',
    kind: text('an IANA time zone such as Europe/Berlin, or UTC', 'zone', isZoneName),
    default: defaults.timezone,
    help: 'time zone of jobs that do not set one',
  }),
  jitterMs: setting<number>({
    group: 'node',
    flag: '--jitter-ms',
    env: 'PUNCTUAL_JITTER_MS',
    kind: whole(0, 86_400_000),
    default: 0,
    help: 'how far runs of jobs are spread after their slots, unless the job sets it',
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
    help: 'largest payload, in bytes of JSON',
  }),
  callbackUrl: setting<string | null>({
    group: 'node',
    flag: '--callback-url',
    env: 'PUNCTUAL_CALLBACK_URL',
    kind: text('an http or https address', 'url', isHttpUrl),
    default: null,
    defaultShown: 'with the role api on loopback: its own address',
    help: 'address at which targets reach the HTTP API, to report the outcome of their runs',
  }),
  outputBytes: setting<number>({
    group: 'node',
    flag: '--output-bytes',
    env: 'PUNCTUAL_OUTPUT_BYTES',
    kind: whole(1_024, limits.payloadBytesCeiling),
    default: limits.outputBytes,
    help: 'largest output, in bytes of JSON',
  }),
  migrate: setting({
    group: 'node',
    flag: '--migrate',
    env: 'PUNCTUAL_MIGRATE',
    kind: onOrOff,
    default: true,
    help: 'bring the schema up to date at start; off only checks it',
  }),
  logLevel: setting<'debug' | 'info' | 'warn' | 'error' | 'silent'>({
    group: 'node',
    flag: '--log-level',
    env: 'PUNCTUAL_LOG_LEVEL',
    kind: oneOf('debug', 'info', 'warn', 'error', 'silent'),
    default: 'info',
    help: 'lowest level that is logged',
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

export type { Setting, SettingGroup } from './setting.ts'
export type Settings = typeof settings
export type SettingName = keyof Settings
export const settingNames = Object.keys(settings) as SettingName[]

/** The values of all settings after resolution. */
export type Config = {
  readonly [Name in SettingName]: Settings[Name] extends Setting<infer T> ? T : never
}
