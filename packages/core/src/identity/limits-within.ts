/**
 * Quotas of starts and of runs at once are kept by the limits of the tenant, all queues together, which claims know
 * already. What a tenant sets for itself may be narrower, and never wider.
 */
import type { QueueLimits } from '../flow/queue-limits.ts'
import { type Quotas, quotaExceeded } from './quotas.ts'

type Rate = NonNullable<QueueLimits['rate']>

/** A tenth of a second's starts may come at once, as for every rate. */
function rateOf(perSecond: number): Rate {
  return { limit: perSecond, perMs: 1_000, burst: Math.max(1, Math.ceil(perSecond / 10)) }
}

const perSecondOf = ({ limit, perMs }: Rate): number => (limit / perMs) * 1_000

/**
 * What is set where a tenant asks for limits of its own: those, or the quota where it asks for none.
 * @throws `quota_exceeded` where it asks for more than the quota.
 */
export function limitsWithin(quotas: Quotas, asked: QueueLimits): QueueLimits {
  const { concurrentRuns, dispatchesPerSecond } = quotas
  const { concurrency, rate } = asked
  if (concurrentRuns !== undefined && concurrency !== null && concurrency > concurrentRuns)
    throw quotaExceeded('concurrentRuns', concurrentRuns, {
      ...{ used: concurrency, field: 'concurrency' },
    })
  if (dispatchesPerSecond !== undefined && rate !== null) {
    const used = perSecondOf(rate)
    if (used > dispatchesPerSecond || rate.burst > Math.max(1, dispatchesPerSecond))
      throw quotaExceeded('dispatchesPerSecond', dispatchesPerSecond, {
        ...{ used: Math.max(used, rate.burst), field: 'rate' },
      })
  }
  return {
    ...asked,
    concurrency: concurrency ?? concurrentRuns ?? null,
    rate: rate ?? (dispatchesPerSecond === undefined ? null : rateOf(dispatchesPerSecond)),
  }
}

/**
 * What is set once quotas have changed: what came from the quota before follows it; what the tenant has set for itself
 * stays, as far as the quota now allows.
 */
export function limitsAfterQuotas(before: Quotas, after: Quotas, set: QueueLimits): QueueLimits {
  const concurrency = set.concurrency === before.concurrentRuns ? null : set.concurrency
  const oldRate = before.dispatchesPerSecond
  const own =
    set.rate && oldRate !== undefined && isSameRate(set.rate, rateOf(oldRate)) ? null : set.rate
  const { concurrentRuns = Number.POSITIVE_INFINITY } = after
  const tooFast =
    own !== null &&
    after.dispatchesPerSecond !== undefined &&
    (perSecondOf(own) > after.dispatchesPerSecond ||
      own.burst > Math.max(1, after.dispatchesPerSecond))
  return limitsWithin(after, {
    ...set,
    concurrency: concurrency === null ? null : Math.min(concurrency, concurrentRuns),
    rate: tooFast ? null : own,
  })
}

function isSameRate(a: Rate, b: Rate): boolean {
  return a.limit === b.limit && a.perMs === b.perMs && a.burst === b.burst
}
