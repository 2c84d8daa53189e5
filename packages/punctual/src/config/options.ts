/** Options as users write them, and the compiled ones that are used inside: defaults are applied once, here. */
import { hostname } from 'node:os'
import { type Actor, checkActor } from '@punctual/core/audit'
import { checkName, checkText } from '@punctual/core/check'
import { defaults, limits, PunctualError } from '@punctual/core/errors'
import { zoneOf } from '@punctual/core/schedule'
import { isSchemaName, type Keyring, parseConnectionUrl } from '@punctual/store'
import { readKeyring } from '../secrets/read-keyring.ts'
import type { Logger } from './logger.ts'

/** What a process does: any mix of roles, on any number of nodes. */
export const roles = ['api', 'planner', 'worker', 'reaper', 'janitor', 'auditor'] as const
/** What a process does: any mix of roles, on any number of nodes. */
export type RoleName = (typeof roles)[number]

/** How this process takes runs. */
export interface WorkerSettings {
  /** How many runs this process runs at once, up to 10,000. @default 50 */
  concurrency?: number
  /** The queues to take from, each with an optional cap of its own. @default all */
  queues?: readonly string[] | Readonly<Record<string, { concurrency?: number }>>
  /** Up to 64 characters of a name and 256 of its value, shown with this worker. @default none */
  labels?: Readonly<Record<string, string>>
  /** How long a worker may be silent before its runs go to others. @default 30000 */
  leaseMs?: number
}

/** What `Punctual.start` takes. */
export interface PunctualOptions {
  /** A PostgreSQL 15-18; several hosts with commas. @default process.env.DATABASE_URL, else embedded */
  databaseUrl?: string
  /**
   * A standby of that PostgreSQL, several hosts with commas: lists, pages, counts, reports and exports are read from it, and
   * may be behind. Nothing is decided by it, and without it they come from the primary.
   * @default process.env.PUNCTUAL_READ_DATABASE_URL, else none
   */
  readDatabaseUrl?: string
  /** How far behind it may be, up to an hour; one that is further behind is passed by. @default 10000 */
  readLagMs?: number
  /** Use the embedded PostgreSQL although NODE_ENV is production. @default false */
  embedded?: boolean
  /** Where the embedded PostgreSQL keeps its data. @default './.punctual' */
  dataDir?: string
  /** The schema of its tables: a lower-case name of up to 48 letters, digits and `_`. @default 'punctual' */
  schema?: string
  /** What this process does. @default ['planner', 'worker', 'reaper', 'janitor', 'auditor'] */
  roles?: readonly RoleName[]
  /** How this process takes runs. */
  worker?: WorkerSettings
  /** How long `stop` waits for running handlers. @default 30000 */
  drainMs?: number
  /** Days that history is kept. @default 90 */
  retentionDays?: number
  /** The time zone of jobs that name none. @default 'UTC' */
  timezone?: string
  /** How far runs of jobs are spread, where a job does not say otherwise. @default 0 */
  jitterMs?: number
  /** How far ahead planners turn slots of jobs into runs, 10 s to 10 min. @default 60000 */
  planAheadMs?: number
  /** The largest payload, in bytes of JSON, up to 16 MiB. @default 1048576 */
  payloadBytes?: number
  /** The largest output, in bytes of JSON, up to 16 MiB. @default 1048576 */
  outputBytes?: number
  /** Bring the schema up to date at the start; otherwise only check it. @default true */
  migrate?: boolean
  /** Name statements so that the server keeps their plans. @default true, unless a pooler is seen */
  preparedStatements?: boolean
  /** Where operational messages go; false = nowhere. @default false */
  logger?: Logger | false
  /**
   * The master key of secrets: the base64 of 32 random bytes; of several the first encrypts and all decrypt.
   * @default process.env.PUNCTUAL_SECRETS_KEY, where several are separated by commas
   */
  secretsKey?: string | readonly string[]
  /** A file that has the master keys, one on each line, instead. @default none */
  secretsKeyFile?: string
  /** Who the audit log says changes things through this object. @default this library on `<host>:<pid>` */
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
  readonly drainMs: number
  readonly retentionDays: number
  readonly timezone: string
  readonly jitterMs: number
  readonly planAheadMs: number
  readonly payloadBytes: number
  readonly outputBytes: number
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
  'migrate',
  'preparedStatements',
  'logger',
  'actor',
  'secretsKey',
  'secretsKeyFile',
]

function whole(field: string, value: number, min: number, max: number): number {
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
        `roles takes ${roles.join(', ')}; got ${JSON.stringify(name)}.`,
        { field: 'roles' },
      )
  return new Set(chosen as RoleName[])
}

function refuseUnknown(where: string, options: object, known: readonly string[]): void {
  for (const name of Object.keys(options))
    if (!known.includes(name))
      throw new PunctualError(
        'invalid_config',
        `${where} has no setting ${JSON.stringify(name.slice(0, 80))}. Known: ${known.join(', ')}.`,
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
      whole(
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
  refuseUnknown('worker', options.worker ?? {}, ['concurrency', 'queues', 'labels', 'leaseMs'])
  const databaseUrl = options.embedded ? null : options.databaseUrl || env.DATABASE_URL || null
  if (databaseUrl === null && env.NODE_ENV === 'production' && !options.embedded)
    throw new PunctualError(
      'database_required',
      'NODE_ENV is production and no database is named. Set DATABASE_URL, or say `embedded: true` (--embedded) to run on the embedded PostgreSQL.',
      { field: 'databaseUrl' },
    )
  const readDatabaseUrl = options.readDatabaseUrl || env.PUNCTUAL_READ_DATABASE_URL || null
  if (readDatabaseUrl !== null) parseConnectionUrl(readDatabaseUrl, 'readDatabaseUrl')
  const schema = options.schema ?? 'punctual'
  if (!isSchemaName(schema))
    throw new PunctualError(
      'invalid_config',
      `schema must be a lower-case name of letters, digits and _ (up to 48); got ${JSON.stringify(schema)}.`,
      { field: 'schema' },
    )
  const worker = options.worker ?? {}
  return {
    databaseUrl,
    readDatabaseUrl,
    readLagMs: whole('readLagMs', options.readLagMs ?? defaults.readLagMs, 0, limits.readLagMsMax),
    dataDir: options.dataDir ?? '.punctual',
    schema,
    roles: compileRoles(options.roles),
    concurrency: whole(
      'worker.concurrency',
      worker.concurrency ?? defaults.concurrency,
      1,
      limits.concurrencyMax,
    ),
    ...compileQueues(worker.queues),
    labels: compileLabels(worker.labels),
    leaseMs: whole('worker.leaseMs', worker.leaseMs ?? defaults.leaseMs, 1_000, 3_600_000),
    drainMs: whole('drainMs', options.drainMs ?? defaults.drainMs, 0, 86_400_000),
    retentionDays: whole(
      'retentionDays',
      options.retentionDays ?? defaults.retentionDays,
      1,
      3_650,
    ),
    timezone: zoneOf(options.timezone ?? defaults.timezone).name,
    jitterMs: whole('jitterMs', options.jitterMs ?? 0, 0, 86_400_000),
    planAheadMs: whole(
      'planAheadMs',
      options.planAheadMs ?? defaults.planAheadMs,
      limits.planAheadMsMin,
      limits.planAheadMsMax,
    ),
    payloadBytes: whole(
      'payloadBytes',
      options.payloadBytes ?? limits.payloadBytes,
      1_024,
      limits.payloadBytesCeiling,
    ),
    outputBytes: whole(
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
