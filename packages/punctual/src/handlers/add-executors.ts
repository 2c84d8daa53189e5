/** Adds the executors of the targets that a process performs to its handlers. */
import type { TargetKindName } from '@punctual/core/target'
import { systemClock } from '@punctual/store'
import { type EgressRules, executorHandler, makeExecutor, systemResolve } from '@punctual/worker'
import type { Handlers } from './handlers.ts'

interface Settings {
  readonly targets: ReadonlySet<TargetKindName>
  readonly egress: EgressRules
}

/** Returns whether there are any, so that the worker has something to do without handlers. */
export function addExecutors(handlers: Handlers, { targets, egress }: Settings): boolean {
  const services = { clock: systemClock, egress: () => egress, resolve: systemResolve }
  const kinds = [...targets].filter((kind) => kind !== 'handler')
  for (const kind of kinds) {
    const executor = makeExecutor(kind, services)
    handlers.add(executorHandler(executor), () => executor.close())
  }
  return kinds.length > 0
}
