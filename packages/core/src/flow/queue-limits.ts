/**
 * The limits of a queue, or of a tenant with all its queues: how many runs may run at the same time
 * and start per unit of time, how it shares workers with others, and how fast the priority of
 * waiting runs grows.
 */
import { checkName, checkText, integer } from '../check/check-value.ts'
import { refuseOption } from '../check/refuse-option.ts'
import { limits } from '../errors/limits.ts'
import { keylessRateFrom, type RateOptions, type RunRate } from './flow.ts'

/** The argument of `punctual.limits.set`: at least one limit. */
export interface LimitOptions {
  /** The queue to limit. @default all queues together */
  queue?: string
  /** How many runs may run at the same time, in the whole fleet. @default no limit */
  concurrency?: number
  /** How many runs may start per unit of time, in the whole fleet. @default no limit */
  rate?: Omit<RateOptions, 'key'>
  /**
   * A run that has waited this long counts as one priority higher, after twice as long as two
   * higher, and so on, so that low priorities do not wait forever. @default never
   */
  ageingMs?: number
  /**
   * Tenant-wide only: the share of worker capacity relative to other tenants with due runs.
   * @default 1
   */
  weight?: number
  /** Who sets the limits. */
  by?: string
}

/** The limits of a queue, or of all queues together; null where there is no limit. */
export interface QueueLimits {
  /** How many runs may run at the same time. */
  readonly concurrency: number | null
  /** How many runs may start per unit of time. */
  readonly rate: Omit<RunRate, 'key'> | null
  /** The waiting time after which a run counts as one priority higher. */
  readonly ageingMs: number | null
  /** The share of worker capacity relative to other tenants. */
  readonly weight: number | null
}

const KNOWN = ['queue', 'concurrency', 'rate', 'ageingMs', 'weight', 'by']

export function compileLimits(options: LimitOptions): {
  readonly queue: string | null
  readonly by: string | null
  readonly limits: QueueLimits
} {
  if (Object.prototype.toString.call(options) !== '[object Object]')
    refuseOption('options', 'an object such as { queue: "mail", concurrency: 10 }', options)
  const unknown = Object.keys(options).find((name) => !KNOWN.includes(name))
  if (unknown !== undefined) refuseOption(unknown, `one of ${KNOWN.join(', ')}`, unknown)
  const { queue, concurrency, rate, ageingMs, weight, by } = options
  const set = [concurrency, rate, ageingMs, weight].some((limit) => limit !== undefined)
  if (!set) refuseOption('options', 'an object with concurrency, rate, ageingMs or weight', options)
  if (queue !== undefined && weight !== undefined)
    refuseOption('weight', 'left out when a queue is named: it applies to the tenant', weight)
  const integerOrNull = (name: string, value: number | undefined, min: number, max: number) =>
    value === undefined ? null : integer(name, value, min, max)
  return {
    queue: queue === undefined ? null : checkName('queue', queue),
    by: by === undefined ? null : checkText('by', by, limits.createdByLength),
    limits: {
      concurrency: integerOrNull('concurrency', concurrency, 1, limits.concurrencyMax),
      rate: rate === undefined ? null : keylessRateFrom(rate),
      ageingMs: integerOrNull('ageingMs', ageingMs, limits.ageingMsMin, limits.ageingMsMax),
      weight: integerOrNull('weight', weight, 1, limits.weightMax),
    },
  }
}
