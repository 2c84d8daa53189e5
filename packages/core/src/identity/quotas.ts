/** What a tenant may have and do, as data: docs/guides/tenants-and-keys.md repeats the table, and a test holds them equal. */
import { integer } from '../check/check-value.ts'
import { refuseOption } from '../check/refuse-option.ts'
import { PunctualError } from '../errors/errors.ts'
import { limits } from '../errors/limits.ts'

/** What a tenant may have and do. What is not named is not limited, but by what limits everybody. */
export interface Quotas {
  /** How many jobs it may have. */
  readonly jobs?: number
  /** The largest payload, in bytes of JSON. */
  readonly payloadBytes?: number
  /** How many runs may be submitted in a second, in the whole fleet. */
  readonly submissionsPerSecond?: number
  /** How many runs may start in a second, in the whole fleet. */
  readonly dispatchesPerSecond?: number
  /** How many runs may go on at once, in the whole fleet. */
  readonly concurrentRuns?: number
  /** How much a run may log, all attempts together, in bytes; the rest is cut with a mark. */
  readonly logBytesPerRun?: number
  /** How far apart slots of a job must be. */
  readonly minIntervalMs?: number
  /** The longest timeout of a run or job. */
  readonly timeoutMs?: number
  /** How runs may be performed: the kinds of executors. */
  readonly executors?: readonly string[]
}

/** Changes of quotas: what is null is not limited any more, what is not named stays. */
export type QuotaChanges = { readonly [Name in keyof Quotas]?: Quotas[Name] | null }

/** The name of a quota. */
export type QuotaName = keyof Quotas

interface Bounds {
  readonly min: number
  readonly max: number
  readonly unit: string
}

/** Those that are integers. */
export const quotaBounds = {
  jobs: { min: 0, max: limits.quotaJobsMax, unit: 'jobs' },
  payloadBytes: { min: 2, max: limits.payloadBytesCeiling, unit: 'bytes of a payload' },
  submissionsPerSecond: { min: 1, max: limits.rateMax, unit: 'submissions a second' },
  dispatchesPerSecond: { min: 1, max: limits.rateMax, unit: 'starts a second' },
  concurrentRuns: { min: 1, max: limits.concurrencyMax, unit: 'runs at once' },
  logBytesPerRun: { min: 0, max: limits.logBytesPerRun, unit: 'bytes of a log' },
  minIntervalMs: { min: 1, max: limits.delayMsMax, unit: 'ms between slots' },
  timeoutMs: { min: 1, max: limits.timeoutMsMax, unit: 'ms of a timeout' },
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

/** What was changed, checked; null stands for what is not limited any more. */
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

/** Says which quota, its limit and the current use. A rate says when to come back. */
export function quotaExceeded(
  name: keyof typeof quotaBounds,
  limit: number,
  about: { readonly used: number; readonly field?: string; readonly retryAfterMs?: number },
): PunctualError {
  const { used, field, retryAfterMs } = about
  const code = retryAfterMs === undefined ? 'quota_exceeded' : 'rate_exceeded'
  const advice =
    retryAfterMs === undefined
      ? 'Whoever runs this installation can raise it.'
      : `Try again in ${retryAfterMs} ms.`
  return new PunctualError(
    code,
    `The quota ${name} of the tenant is ${limit} (${quotaBounds[name].unit}), and this would make it ${used}. ${advice}`,
    {
      ...(field !== undefined && { field }),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      quota: { name, limit, used },
    },
  )
}
