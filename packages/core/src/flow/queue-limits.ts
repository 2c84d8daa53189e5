/**
 * What limits a queue, or a tenant with all of its queues: how many of its runs go on at once and start in a time, how it
 * shares workers with others, and how fast the priority of what waits grows.
 */
import { checkName, checkText, integer } from '../check/check-value.ts'
import { refuseOption } from '../check/refuse-option.ts'
import { limits } from '../errors/limits.ts'
import { keylessRateFrom, type RateOptions, type RunRate } from './flow.ts'

/** What `punctual.limits.set` takes: one limit at least. */
export interface LimitOptions {
  /** The queue that they are of. @default all queues together */
  queue?: string
  /** How many runs may go on at once, in the whole fleet. @default no limit */
  concurrency?: number
  /** How many runs may start in a time, in the whole fleet. @default no limit */
  rate?: Omit<RateOptions, 'key'>
  /**
   * A run that has waited so long counts as of the next higher priority, after twice as long of the next but one, and so
   * on: low priorities do not wait for ever. @default never
   */
  ageingMs?: number
  /** Of a tenant, not of a queue: its part of the workers where other tenants have as much to do. @default 1 */
  weight?: number
  /** Who sets them. */
  by?: string
}

/** What limits a queue, or all of them together; null where nothing does. */
export interface QueueLimits {
  /** How many runs may go on at once. */
  readonly concurrency: number | null
  /** How many runs may start in a time. */
  readonly rate: Omit<RunRate, 'key'> | null
  /** A run that has waited so long counts as of the next higher priority. */
  readonly ageingMs: number | null
  /** The part of the workers that the tenant has beside others. */
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
  if (!set) refuseOption('options', 'concurrency, rate, ageingMs or weight among them', options)
  if (queue !== undefined && weight !== undefined)
    refuseOption('weight', 'left out where a queue is named: it is of the tenant', weight)
  const whole = (name: string, value: number | undefined, min: number, max: number) =>
    value === undefined ? null : integer(name, value, min, max)
  return {
    queue: queue === undefined ? null : checkName('queue', queue),
    by: by === undefined ? null : checkText('by', by, limits.createdByLength),
    limits: {
      concurrency: whole('concurrency', concurrency, 1, limits.concurrencyMax),
      rate: rate === undefined ? null : keylessRateFrom(rate),
      ageingMs: whole('ageingMs', ageingMs, limits.ageingMsMin, limits.ageingMsMax),
      weight: whole('weight', weight, 1, limits.weightMax),
    },
  }
}
