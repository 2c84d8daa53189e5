/**
 * Quotas of starts and of concurrent runs are enforced through the tenant-wide limits, which claims
 * check already. A tenant may set narrower limits for itself, never wider ones.
 */
import type { QueueLimits } from '../flow/queue-limits.ts'
import { type Quotas, quotaExceeded } from './quotas.ts'

type Rate = NonNullable<QueueLimits['rate']>

/** A tenth of the starts of a second may happen at the same time, as with every rate. */
function rateOf(perSecond: number): Rate {
  return { limit: perSecond, perMs: 1_000, burst: Math.max(1, Math.ceil(perSecond / 10)) }
}

const perSecondOf = ({ limit, perMs }: Rate): number => (limit / perMs) * 1_000

/**
 * Returns the limits to store when a tenant sets its own: those, or the quota where it sets none.
 * @throws `quota_exceeded` where a limit is wider than the quota.
 */
export function limitsWithin(quotas: Quotas, requested: QueueLimits): QueueLimits {
  const { concurrentRuns, dispatchesPerSecond } = quotas
  const { concurrency, rate } = requested
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
    ...requested,
    concurrency: concurrency ?? concurrentRuns ?? null,
    rate: rate ?? (dispatchesPerSecond === undefined ? null : rateOf(dispatchesPerSecond)),
  }
}

/**
 * Returns the limits to store when quotas change: limits that came from the old quota follow the
 * new one; limits that the tenant set itself stay, as far as the new quota allows.
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
