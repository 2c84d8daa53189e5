/**
 * The quotas of a tenant, as data: docs/guides/tenants-and-keys.md repeats the table, and a test
 * compares the two.
 */
import { integer } from '../check/check-value.ts'
import { refuseOption } from '../check/refuse-option.ts'
import { PunctualError } from '../errors/errors.ts'
import { limits } from '../errors/limits.ts'

/**
 * The quotas of a tenant. A quota that is not set is limited only by the limits of the
 * installation.
 */
export interface Quotas {
  /** The maximum number of jobs. */
  readonly jobs?: number
  /** The largest payload, in bytes of JSON. */
  readonly payloadBytes?: number
  /** How many runs may be submitted per second, in the whole fleet. */
  readonly submissionsPerSecond?: number
  /** How many runs may start per second, in the whole fleet. */
  readonly dispatchesPerSecond?: number
  /** How many runs may run at the same time, in the whole fleet. */
  readonly concurrentRuns?: number
  /** The log size of a run, all attempts together, in bytes; the rest is cut with a mark. */
  readonly logBytesPerRun?: number
  /** The minimum interval between slots of a job. */
  readonly minIntervalMs?: number
  /** The longest timeout of a run or job. */
  readonly timeoutMs?: number
  /** How many sessions of remote workers may be open, in the whole fleet. @default 1000 */
  readonly sessions?: number
  /** How many combinations of queue, handler and priority its runs may have. @default 1000 */
  readonly lanes?: number
  /** The permitted kinds of executors. */
  readonly executors?: readonly string[]
}

/** Changes of quotas: null removes a quota, and quotas that are left out stay unchanged. */
export type QuotaChanges = { readonly [Name in keyof Quotas]?: Quotas[Name] | null }

/** The name of a quota. */
export type QuotaName = keyof Quotas

interface Bounds {
  readonly min: number
  readonly max: number
  readonly unit: string
}

/** The bounds of the integer quotas. */
export const quotaBounds = {
  jobs: { min: 0, max: limits.quotaJobsMax, unit: 'jobs' },
  payloadBytes: { min: 2, max: limits.payloadBytesCeiling, unit: 'bytes of a payload' },
  submissionsPerSecond: { min: 1, max: limits.rateMax, unit: 'submissions per second' },
  dispatchesPerSecond: { min: 1, max: limits.rateMax, unit: 'starts per second' },
  concurrentRuns: { min: 1, max: limits.concurrencyMax, unit: 'concurrent runs' },
  logBytesPerRun: { min: 0, max: limits.logBytesPerRun, unit: 'bytes of a log' },
  minIntervalMs: { min: 1, max: limits.delayMsMax, unit: 'ms between slots' },
  timeoutMs: { min: 1, max: limits.timeoutMsMax, unit: 'ms of a timeout' },
  sessions: { min: 0, max: limits.quotaSessionsMax, unit: 'sessions of remote workers' },
  lanes: { min: 1, max: limits.quotaLanesMax, unit: 'combinations of queue, handler and priority' },
} as const satisfies Record<Exclude<QuotaName, 'executors'>, Bounds>

const EXECUTOR = /^[a-z][a-z0-9-]{0,31}$/

function checkExecutors(field: string, value: unknown): readonly string[] {
  const fits =
    Array.isArray(value) &&
    value.length <= limits.executorKindsMax &&
    value.every((kind) => typeof kind === 'string' && EXECUTOR.test(kind))
  if (!fits) refuseOption(field, 'a list of kinds such as ["handler", "http"]', value)
  return [...new Set(value as string[])].sort()
}

/** Checks changes of quotas; null removes a quota. */
export function compileQuotas(changes: unknown, field = 'quotas'): QuotaChanges {
  if (Object.prototype.toString.call(changes) !== '[object Object]')
    refuseOption(field, 'an object such as { jobs: 100 }', changes)
  const compiled: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(changes as object)) {
    const at = `${field}.${name}`
    if (value === undefined) continue
    if (name !== 'executors' && !Object.hasOwn(quotaBounds, name))
      refuseOption(at, `one of ${[...Object.keys(quotaBounds), 'executors'].join(', ')}`, name)
    const bounds = quotaBounds[name as keyof typeof quotaBounds]
    if (value === null) compiled[name] = null
    else if (name === 'executors') compiled[name] = checkExecutors(at, value)
    else compiled[name] = integer(at, value, bounds.min, bounds.max)
  }
  return compiled as QuotaChanges
}

/**
 * Creates the error that names the quota, its limit and the use; for a rate, also the time to
 * retry.
 */
export function quotaExceeded(
  name: keyof typeof quotaBounds,
  limit: number,
  usage: { readonly used: number; readonly field?: string; readonly retryAfterMs?: number },
): PunctualError {
  const { used, field, retryAfterMs } = usage
  const code = retryAfterMs === undefined ? 'quota_exceeded' : 'rate_exceeded'
  const advice =
    retryAfterMs === undefined
      ? 'The operator of this installation can raise it.'
      : `Retry in ${retryAfterMs} ms.`
  return new PunctualError(
    code,
    `The quota ${name} of the tenant is ${limit} (${quotaBounds[name].unit}); this request would make it ${used}. ${advice}`,
    {
      ...(field !== undefined && { field }),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      quota: { name, limit, used },
    },
  )
}
