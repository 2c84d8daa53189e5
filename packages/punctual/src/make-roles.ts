/** Makes the roles that time drives, according to the `roles` option of this process. */
import { defaults } from '@punctual/core/errors'
import { auditKinds } from '@punctual/core/job'
import {
  Attendant,
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
      new Attendant({ store: store.awaiting }),
      new RateKeeper({ store: store.upkeep }),
    )
  if (options.roles.has('janitor')) roles.push(janitor(options, store, log))
  if (options.roles.has('auditor')) roles.push(auditor(store, metrics, log))
  // Only together with another role: a process that only works opens no connection for sealing.
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
      log('error', { job, reason }, 'a job cannot be planned; it is set aside until it is changed'),
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
        'the clock of the database jumped ahead; nothing is planned until it is correct again',
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
    hintsArrive: () => store.signals.connected,
    onReaped: (result) => {
      metrics.reaped(result)
      const message = 'reaped sessions whose lease expired and returned their runs to the queue'
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
    onDays: (made, dropped) =>
      log('info', { made, dropped }, 'made and dropped daily partitions of the history'),
  })
}

const LOGGED_MAX = 10

function auditor(store: PostgresStore, metrics: Metrics, log: Log): Auditor {
  return new Auditor({
    store: store.schedules.audit,
    clock: systemClock,
    onAudited: (result) => {
      metrics.audited(result)
      const report = (repaired: boolean, verdict: (count: string) => string) => {
        const matching = result.findings.filter((finding) => finding.repaired === repaired)
        const count = matching.length
        const findings = matching.slice(0, LOGGED_MAX).map(({ kind, ...finding }) => {
          return { kind, meaning: auditKinds[kind], ...finding }
        })
        const noun = count === 1 ? 'inconsistency' : 'inconsistencies'
        if (count > 0) log('warn', { count, findings }, verdict(`${count} ${noun}`))
      }
      report(true, (count) => `auditor repaired ${count}`)
      report(
        false,
        (count) => `auditor cannot repair ${count}; run \`punctual verify\` for details`,
      )
    },
  })
}
