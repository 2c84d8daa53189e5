/** Starts the loops of a process's roles. */
import { RoleLoop } from '@punctual/engine'
import { type PostgresStore, systemClock } from '@punctual/store'
import type { CompiledOptions } from './config/options.ts'
import { makeRoles } from './make-roles.ts'
import type { Metrics } from './metrics/metrics.ts'
import { wakeByHints } from './wake-by-hints.ts'

interface Reports {
  readonly log: (level: 'info' | 'warn' | 'error', fields: object, message: string) => void
  readonly fault: (where: string, error: unknown) => void
}

export function startRoles(
  options: CompiledOptions,
  store: PostgresStore,
  metrics: Metrics,
  { log, fault }: Reports,
): RoleLoop[] {
  return makeRoles(options, store, metrics, log).map((role) => {
    const loop = new RoleLoop(role, systemClock, { onError: fault })
    wakeByHints(role, loop, store.signals)
    loop.start()
    return loop
  })
}
