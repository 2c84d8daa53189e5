/** Translates a node's configuration into the options of the library. */
import type { PunctualOptions, RoleName, WorkerSettings } from './options.ts'
import type { Config } from './settings.ts'

export function libraryOptions(config: Config, roles: readonly RoleName[]): PunctualOptions {
  return {
    ...(config.databaseUrl !== null && { databaseUrl: config.databaseUrl }),
    ...(config.readDatabaseUrl !== null && { readDatabaseUrl: config.readDatabaseUrl }),
    readLagMs: config.readLagMs,
    embedded: config.embedded,
    dataDir: config.dataDir,
    schema: config.schema,
    roles,
    ...(config.secretsKeyFile !== null && { secretsKeyFile: config.secretsKeyFile }),
    worker: workerSettings(config),
    drainMs: config.drainMs,
    retentionDays: config.retentionDays,
    timezone: config.timezone,
    jitterMs: config.jitterMs,
    planAheadMs: config.planAheadMs,
    payloadBytes: config.payloadBytes,
    outputBytes: config.outputBytes,
    ...(config.callbackUrl !== null && { callbackUrl: config.callbackUrl }),
    migrate: config.migrate,
    ...(config.preparedStatements !== 'auto' && { preparedStatements: config.preparedStatements }),
  }
}

function workerSettings(config: Config): WorkerSettings {
  const { concurrency, leaseMs, workerLabels: labels, queues, targets, egressAllow } = config
  const base = { concurrency, leaseMs, labels, targets, egressAllow: egressAllow ?? [] }
  if (queues === null) return base
  const caps = Object.entries(queues).map(([name, cap]) => [
    name,
    cap === null ? {} : { concurrency: cap },
  ])
  return { ...base, queues: Object.fromEntries(caps) }
}
