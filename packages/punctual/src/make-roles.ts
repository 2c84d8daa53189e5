/** The roles that time drives, as this process was asked to have them. */
import { defaults } from '@punctual/core/errors'
import { auditKinds } from '@punctual/core/job'
import {
  Auditor,
  GroupFinisher,
  Janitor,
  Planner,
  Promoter,
  RateKeeper,
  Reaper,
  type Role,
  Sealer,
} from '@punctual/engine'
import { type PostgresStore, systemClock, systemRandom } from '@punctual/store'
import type { CompiledOptions } from './config/options.ts'
import type { Metrics } from './metrics/metrics.ts'

type Log = (level: 'info' | 'warn' | 'error', fields: object, message: string) => void

export function makeRoles(
  options: CompiledOptions,
  store: PostgresStore,
  metrics: Metrics,
  log: Log,
): Role[] {
  const roles: Role[] = []
  if (options.roles.has('planner')) roles.push(promoter(store), planner(options, store, log))
  if (options.roles.has('reaper'))
    roles.push(
      reaper(options, store, metrics, log),
      groupFinisher(store),
      new RateKeeper({ store: store.upkeep }),
    )
  if (options.roles.has('janitor')) roles.push(janitor(options, store, log))
  if (options.roles.has('auditor')) roles.push(auditor(store, metrics, log))
  // Beside the others that time drives: a process that only works opens no connection for it.
  if (roles.length > 0) roles.push(new Sealer({ store: store.auditLog.sealing }))
  return roles
}

function promoter(store: PostgresStore): Promoter {
  return new Promoter({
    store: store.upkeep,
    horizonMs: store.horizonMs,
    onPromoted: () => store.signals.anything(),
  })
}

function planner(options: CompiledOptions, store: PostgresStore, log: Log): Planner {
  return new Planner({
    store: store.schedules.plan,
    clock: systemClock,
    id: systemRandom.token(),
    aheadMs: options.planAheadMs,
    ttlMs: defaults.plannerTtlMs,
    hintsArrive: () => store.signals.connected,
    givesWay: true,
    onSetAside: (job, reason) =>
      log('error', { job, reason }, 'a job cannot be planned, and waits until it is changed'),
    onOutdated: (newer) =>
      log(
        'warn',
        { own: process.versions.tz, newer },
        'another node has newer time zone data and plans the jobs; update Node.js here',
      ),
    onHeld: (aheadMs) =>
      log(
        'error',
        { aheadMs },
        "the database's clock has jumped ahead; nothing is planned until it is right",
      ),
  })
}

function reaper(
  options: CompiledOptions,
  store: PostgresStore,
  metrics: Metrics,
  log: Log,
): Reaper {
  return new Reaper({
    store: store.upkeep,
    clock: systemClock,
    leaseMs: options.leaseMs,
    crashesUntilQuarantine: defaults.crashesUntilQuarantine,
    onReaped: (result) => {
      metrics.reaped(result)
      const message = 'fenced sessions that were not heard of, and took back what they held'
      log('warn', { ...result }, message)
      store.signals.anything()
      store.signals.jobsChanged()
    },
  })
}

function groupFinisher(store: PostgresStore): GroupFinisher {
  return new GroupFinisher({
    store: store.groups,
    clock: systemClock,
    hintsArrive: () => store.signals.connected,
  })
}

function janitor(options: CompiledOptions, store: PostgresStore, log: Log): Janitor {
  return new Janitor({
    store: store.upkeep,
    clock: systemClock,
    retentionDays: options.retentionDays,
    daysAhead: defaults.partitionDaysAhead,
    onDays: (made, dropped) => log('info', { made, dropped }, 'made and dropped days of history'),
  })
}

const TOLD_MAX = 10

function auditor(store: PostgresStore, metrics: Metrics, log: Log): Auditor {
  return new Auditor({
    store: store.schedules.audit,
    clock: systemClock,
    onAudited: (result) => {
      metrics.audited(result)
      const tell = (repaired: boolean, message: string) => {
        const of = result.findings.filter((finding) => finding.repaired === repaired)
        const findings = of.slice(0, TOLD_MAX).map(({ kind, ...it }) => {
          return { kind, meaning: auditKinds[kind], ...it }
        })
        if (of.length > 0) log('warn', { count: of.length, findings }, message)
      }
      tell(true, 'the auditor put right what it found')
      tell(false, 'the auditor found what it cannot put right; `punctual verify` tells more')
    },
  })
}
