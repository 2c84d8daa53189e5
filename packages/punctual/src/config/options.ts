/** Options as users write them, and their compiled form: defaults are applied once, here. */
import { hostname } from 'node:os'
import { type Actor, checkActor } from '@punctual/core/audit'
import { checkName, checkText, refuseOption } from '@punctual/core/check'
import { defaults, limits, PunctualError } from '@punctual/core/errors'
import { zoneOf } from '@punctual/core/schedule'
import type { TargetKindName } from '@punctual/core/target'
import { isSchemaName, type Keyring, parseConnectionUrl } from '@punctual/store'
import { EgressPolicy, performedKinds } from '@punctual/worker'
import { readKeyring } from '../secrets/read-keyring.ts'
import type { Logger } from './logger.ts'

/** The roles of a process. Any node can have any mix of them. */
export const roles = ['api', 'planner', 'worker', 'reaper', 'janitor', 'auditor'] as const
/** A role of a process. Any number of nodes can have each role. */
export type RoleName = (typeof roles)[number]

/** How this process claims and executes runs. */
export interface WorkerSettings {
  /** How many runs this process executes at once, up to 10,000. @default 50 */
  concurrency?: number
  /**
   * The queues to claim from, each with an optional concurrency limit for this process. @default
   * all
   */
  queues?: readonly string[] | Readonly<Record<string, { concurrency?: number }>>
  /** Labels shown with this worker: names up to 64 characters, values up to 256. @default none */
  labels?: Readonly<Record<string, string>>
  /**
   * How long a worker may send no heartbeat before its runs return to the queue, in ms. @default
   * 30000
   */
  leaseMs?: number
  /**
   * The kinds of targets whose runs this process performs: `handler` for its own handlers, and
   * `http` and others without any. @default ['handler']
   */
  targets?: readonly TargetKindName[]
  /**
   * What HTTP requests of targets may reach besides public addresses on the ports 80, 443, 8080 and
   * 8443: hosts, addresses and networks, each with an optional port, such as `localhost:*` or
   * `10.0.0.0/8`; for one tenant as in `acme=10.0.0.0/8`. @default none
   */
  egressAllow?: readonly string[]
}

/** Options of `Punctual.start`. */
export interface PunctualOptions {
  /**
   * URL of a PostgreSQL 15 to 18; several hosts with commas. @default process.env.DATABASE_URL,
   * else embedded
   */
  databaseUrl?: string
  /**
   * URL of a standby of that PostgreSQL; several hosts with commas. Lists, pages, counts, reports
   * and exports are read from it and may lag behind. It is never used for decisions. Without it all
   * reads use the primary.
   * @default process.env.PUNCTUAL_READ_DATABASE_URL, else none
   */
  readDatabaseUrl?: string
  /**
   * How far the standby may lag, in ms, up to one hour; with a larger lag it is skipped. @default
   * 10000
   */
  readLagMs?: number
  /** Allows the embedded PostgreSQL when NODE_ENV is production. @default false */
  embedded?: boolean
  /** Data directory of the embedded PostgreSQL. @default './.punctual' */
  dataDir?: string
  /**
   * The schema of the tables: a lower-case name of up to 48 characters from a-z, 0-9 and `_`.
   * @default 'punctual'
   */
  schema?: string
  /** The roles of this process. @default ['planner', 'worker', 'reaper', 'janitor', 'auditor'] */
  roles?: readonly RoleName[]
  /** How this process claims and executes runs. */
  worker?: WorkerSettings
  /** How long `stop` waits for running handlers, in ms. @default 30000 */
  drainMs?: number
  /** How many days of history are kept. @default 90 */
  retentionDays?: number
  /** The time zone of jobs that do not set one. @default 'UTC' */
  timezone?: string
  /**
   * How far the runs of a job are spread after their slots, in ms, unless the job sets it. @default
   * 0
   */
  jitterMs?: number
  /** How far ahead planners turn slots into runs, in ms, from 10 s to 10 min. @default 60000 */
  planAheadMs?: number
  /** The largest payload, in bytes of JSON, up to 16 MiB. @default 1048576 */
  payloadBytes?: number
  /** The largest output, in bytes of JSON, up to 16 MiB. @default 1048576 */
  outputBytes?: number
  /**
   * The address at which targets reach the HTTP API, to report the outcome of their runs.
   * @default none: handlers have no callback; `punctual start` uses its own address on loopback
   */
  callbackUrl?: string
  /** Brings the schema up to date at start; false only checks it. @default true */
  migrate?: boolean
  /**
   * Names statements so that the server keeps their plans. @default true, unless a connection
   * pooler is detected
   */
  preparedStatements?: boolean
  /** Receives operational messages; false discards them. @default false */
  logger?: Logger | false
  /**
   * The master key of secrets: 32 random bytes in base64. With several keys, the first encrypts and
   * all decrypt.
   * @default process.env.PUNCTUAL_SECRETS_KEY, where commas separate several keys
   */
  secretsKey?: string | readonly string[]
  /** A file with the master keys, one per line; used if `secretsKey` is not set. @default none */
  secretsKeyFile?: string
  /**
   * The actor that the audit log records for changes made through this object. @default this
   * library on `<host>:<pid>`
   */
  actor?: Actor
}

export interface CompiledOptions {
  readonly databaseUrl: string | null
  readonly readDatabaseUrl: string | null
  readonly readLagMs: number
  readonly dataDir: string
  readonly schema: string
  readonly roles: ReadonlySet<RoleName>
  readonly concurrency: number
  readonly queues: readonly string[]
  readonly queueConcurrency: Readonly<Record<string, number>>
  readonly labels: Readonly<Record<string, string>>
  readonly leaseMs: number
  readonly targets: ReadonlySet<TargetKindName>
  readonly egress: EgressPolicy
  readonly drainMs: number
  readonly retentionDays: number
  readonly timezone: string
  readonly jitterMs: number
  readonly planAheadMs: number
  readonly payloadBytes: number
  readonly outputBytes: number
  readonly callbackUrl: string | null
  readonly migrate: boolean
  readonly preparedStatements: boolean | undefined
  readonly logger: Logger | false
  readonly actor: Actor
  readonly keyring: Keyring
}

const KNOWN = [
  'databaseUrl',
  'readDatabaseUrl',
  'readLagMs',
  'embedded',
  'dataDir',
  'schema',
  'roles',
  'worker',
  'drainMs',
  'retentionDays',
  'timezone',
  'jitterMs',
  'planAheadMs',
  'payloadBytes',
  'outputBytes',
  'callbackUrl',
  'migrate',
  'preparedStatements',
  'logger',
  'actor',
  'secretsKey',
  'secretsKeyFile',
]

const WORKER_KNOWN = ['concurrency', 'queues', 'labels', 'leaseMs', 'targets', 'egressAllow']

function checkInteger(field: string, value: number, min: number, max: number): number {
  if (Number.isInteger(value) && value >= min && value <= max) return value
  throw new PunctualError(
    'invalid_config',
    `${field} must be an integer from ${min} to ${max}; got ${value}.`,
    { field },
  )
}

function compileRoles(names: readonly string[] | undefined): ReadonlySet<RoleName> {
  const chosen = names ?? roles.filter((name) => name !== 'api')
  for (const name of chosen)
    if (!roles.includes(name as RoleName))
      throw new PunctualError(
        'invalid_config',
        `roles must be a list of ${roles.join(', ')}; got ${JSON.stringify(name)}.`,
        { field: 'roles' },
      )
  return new Set(chosen as RoleName[])
}

function compileTargets(kinds: WorkerSettings['targets']): ReadonlySet<TargetKindName> {
  for (const kind of kinds ?? [])
    if (!performedKinds.includes(kind))
      throw new PunctualError(
        'invalid_config',
        `worker.targets must be a list of ${performedKinds.join(', ')}; got ${JSON.stringify(kind)}.`,
        { field: 'worker.targets' },
      )
  return new Set(kinds ?? ['handler'])
}

function refuseUnknown(where: string, options: object, known: readonly string[]): void {
  for (const name of Object.keys(options))
    if (!known.includes(name))
      throw new PunctualError(
        'invalid_config',
        `${where} has no option ${JSON.stringify(name.slice(0, 80))}. Known: ${known.join(', ')}.`,
        { field: name.slice(0, 80) },
      )
}

function compileLabels(labels: WorkerSettings['labels']): Readonly<Record<string, string>> {
  for (const [name, value] of Object.entries(labels ?? {})) {
    checkText(`worker.labels key ${JSON.stringify(name.slice(0, 80))}`, name, limits.labelKeyLength)
    checkText(`worker.labels.${name}`, value, limits.labelValueLength)
  }
  return { ...labels }
}

function compileQueues(queues: WorkerSettings['queues']) {
  if (queues === undefined) return { queues: [], queueConcurrency: {} }
  if (Array.isArray(queues)) for (const name of queues) checkName('worker.queues', name)
  if (Array.isArray(queues)) return { queues: queues as string[], queueConcurrency: {} }
  if (typeof queues !== 'object' || queues === null)
    throw new PunctualError(
      'invalid_config',
      'worker.queues must be a list of names, or an object of settings by name.',
      { field: 'worker.queues' },
    )
  const entries = Object.entries(queues as Readonly<Record<string, { concurrency?: number }>>)
  const caps = entries
    .filter(
      ([name, settings]) => checkName('worker.queues', name) && settings?.concurrency !== undefined,
    )
    .map(([name, settings]) => [
      name,
      checkInteger(
        `worker.queues.${name}.concurrency`,
        settings.concurrency as number,
        1,
        limits.concurrencyMax,
      ),
    ])
  return { queues: entries.map(([name]) => name), queueConcurrency: Object.fromEntries(caps) }
}

export function compileOptions(options: PunctualOptions, env: NodeJS.ProcessEnv): CompiledOptions {
  refuseUnknown('Punctual.start', options, KNOWN)
  refuseUnknown('worker', options.worker ?? {}, WORKER_KNOWN)
  const databaseUrl = options.embedded ? null : options.databaseUrl || env.DATABASE_URL || null
  if (databaseUrl === null && env.NODE_ENV === 'production' && !options.embedded)
    throw new PunctualError(
      'database_required',
      'NODE_ENV is production and no database is configured. Set DATABASE_URL, or set `embedded: true` (--embedded) to use the embedded PostgreSQL.',
      { field: 'databaseUrl' },
    )
  const readDatabaseUrl = options.readDatabaseUrl || env.PUNCTUAL_READ_DATABASE_URL || null
  if (readDatabaseUrl !== null) parseConnectionUrl(readDatabaseUrl, 'readDatabaseUrl')
  const schema = options.schema ?? 'punctual'
  if (!isSchemaName(schema))
    throw new PunctualError(
      'invalid_config',
      `schema must be a lower-case name of a-z, 0-9 and _ (up to 48); got ${JSON.stringify(schema)}.`,
      { field: 'schema' },
    )
  const worker = options.worker ?? {}
  return {
    databaseUrl,
    readDatabaseUrl,
    readLagMs: checkInteger(
      'readLagMs',
      options.readLagMs ?? defaults.readLagMs,
      0,
      limits.readLagMsMax,
    ),
    dataDir: options.dataDir ?? '.punctual',
    schema,
    roles: compileRoles(options.roles),
    concurrency: checkInteger(
      'worker.concurrency',
      worker.concurrency ?? defaults.concurrency,
      1,
      limits.concurrencyMax,
    ),
    ...compileQueues(worker.queues),
    labels: compileLabels(worker.labels),
    leaseMs: checkInteger('worker.leaseMs', worker.leaseMs ?? defaults.leaseMs, 1_000, 3_600_000),
    targets: compileTargets(worker.targets),
    egress: new EgressPolicy(worker.egressAllow ?? []),
    drainMs: checkInteger('drainMs', options.drainMs ?? defaults.drainMs, 0, 86_400_000),
    retentionDays: checkInteger(
      'retentionDays',
      options.retentionDays ?? defaults.retentionDays,
      1,
      3_650,
    ),
    timezone: zoneOf(options.timezone ?? defaults.timezone).name,
    jitterMs: checkInteger('jitterMs', options.jitterMs ?? 0, 0, 86_400_000),
    planAheadMs: checkInteger(
      'planAheadMs',
      options.planAheadMs ?? defaults.planAheadMs,
      limits.planAheadMsMin,
      limits.planAheadMsMax,
    ),
    payloadBytes: checkInteger(
      'payloadBytes',
      options.payloadBytes ?? limits.payloadBytes,
      1_024,
      limits.payloadBytesCeiling,
    ),
    callbackUrl: callbackUrlOf(options.callbackUrl),
    outputBytes: checkInteger(
      'outputBytes',
      options.outputBytes ?? limits.outputBytes,
      1_024,
      limits.payloadBytesCeiling,
    ),
    migrate: options.migrate ?? true,
    preparedStatements: options.preparedStatements,
    logger: options.logger ?? false,
    keyring: readKeyring(options, env),
    actor: checkActor(options.actor ?? { kind: 'library', name: `${hostname()}:${process.pid}` }),
  }
}

/** Without a slash at the end; null when there is none. */
function callbackUrlOf(url: string | undefined): string | null {
  if (url === undefined) return null
  const expected = 'an http or https address such as https://punctual.example.com'
  if (typeof url !== 'string' || !URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    return refuseOption('callbackUrl', expected, url)
  return url.replace(/\/+$/, '')
}
