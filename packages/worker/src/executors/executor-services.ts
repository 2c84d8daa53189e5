/** Services of the process that executors need. */
import type { Clock } from '@punctual/core/clock'
import type { EgressRules } from './egress/egress-rules.ts'
import type { Resolve } from './egress/guarded-lookup.ts'

export interface ExecutorServices {
  readonly clock: Clock
  /** Which hosts the runs of a tenant may reach. */
  readonly egress: (tenantId: number) => EgressRules | Promise<EgressRules>
  /** Resolves names of hosts. */
  readonly resolve: Resolve
  /** PEM certificates that are trusted besides those of Node. */
  readonly ca?: string | undefined
}
