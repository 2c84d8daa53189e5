/**
 * A job as a file declares it: its options in the order in which people read them, without those
 * that have their default. Declaring the result again changes nothing.
 */
import { defaults } from '@punctual/core/errors'
import type { RunConcurrency, RunRate } from '@punctual/core/flow'
import { type CompiledJob, type JobDefaults, type JobRules, jobOptions } from '@punctual/core/job'
import { storedIn } from '@punctual/core/option'
import { policyOptions, targetFrom, traits } from '@punctual/core/run'
import type { StoredJob } from '@punctual/store'

export type Declaration = Readonly<Record<string, unknown>>

/** The fields that a registered job and a declared one have in common. */
interface Parts {
  readonly name: string
  readonly handler: string
  readonly queue: string
  readonly priority: number
  readonly payload: unknown
  readonly rules: JobRules
  readonly startMs: number | null
  readonly endMs: number | null
  readonly onceMs: number | null
  readonly maxRuns: number | null
  readonly maxAttempts: number
  readonly timeoutMs: number
  readonly labels: Readonly<Record<string, string>>
  readonly description: string | null
  readonly owner: string | null
  readonly policy: string | null
  readonly traits: number
  readonly concurrency: RunConcurrency | null
  readonly rate: RunRate | null
}

export function declareStored(job: StoredJob, installation: JobDefaults): Declaration {
  const { startAt, endAt, anchorMs } = job
  const startMs = startAt?.getTime() ?? null
  return declare(
    { ...job, startMs, endMs: endAt?.getTime() ?? null, onceMs: anchorMs },
    installation,
  )
}

export function declareCompiled(job: CompiledJob, installation: JobDefaults): Declaration {
  const { run, payload } = job
  const labels = run.labels === null ? {} : JSON.parse(run.labels)
  const { concurrency = null, rate = null } = job.flow ?? {}
  const parts = { ...run, ...job, payload: JSON.parse(payload), labels, concurrency, rate }
  return declare(parts, installation)
}

const storedRules = storedIn(jobOptions, 'rules')

function declare(job: Parts, installation: JobDefaults): Declaration {
  const { rules } = job
  const once = (job.traits & traits.atMostOnce) !== 0
  const unless = <T>(value: T, common: T) => (value === common ? undefined : value)
  const entries = {
    name: job.name,
    handler: targetFrom(job.handler, job.policy).kind === 'handler' ? job.handler : undefined,
    payload: job.payload ?? undefined,
    ...whenOf(job),
    timezone: rules.timezone,
    startAt: isoOf(job.startMs),
    endAt: isoOf(job.endMs),
    maxRuns: job.maxRuns ?? undefined,
    jitterMs: rules.jitterMs,
    exact: rules.jitterMs === undefined && installation.jitterMs > 0 ? true : undefined,
    calendars: rules.calendars,
    dst: dstOf(rules),
    misfire: misfireOf(rules),
    overlap: unless(rules.overlap, defaults.overlap),
    ...Object.fromEntries(storedRules.map((name) => [name, rules[name]])),
    description: job.description ?? undefined,
    owner: job.owner ?? undefined,
    labels: Object.keys(job.labels).length > 0 ? job.labels : undefined,
    queue: unless(job.queue, defaults.queue),
    priority: unless(job.priority, defaults.priority),
    maxAttempts: unless(job.maxAttempts, once ? 1 : defaults.maxAttempts),
    timeoutMs: unless(job.timeoutMs, defaults.timeoutMs),
    ...policyOptions(job.policy),
    ...(once && { delivery: 'at-most-once' }),
    concurrency: job.concurrency ?? undefined,
    rate: rateOf(job.rate),
  }
  return Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== undefined))
}

function whenOf({ rules: { when }, onceMs }: Parts): Declaration {
  switch (when.kind) {
    case 'cron':
      return { cron: when.expression }
    case 'every':
      return { every: when.expression }
    case 'after-end':
      return { everyAfterEnd: when.expression }
    case 'once':
      return { at: isoOf(onceMs) }
  }
}

function rateOf(rate: RunRate | null): Declaration | undefined {
  if (rate === null) return undefined
  const { perMs: per, ...rest } = rate
  return { ...rest, per }
}

function isoOf(ms: number | null): string | undefined {
  return ms === null ? undefined : new Date(ms).toISOString().replace('.000Z', 'Z')
}

function dstOf({ gap, fold }: JobRules): Declaration | undefined {
  if (gap === undefined && fold === undefined) return undefined
  return { ...(gap && { gap }), ...(fold && { fold }) }
}

function misfireOf({ misfire }: JobRules): unknown {
  const isPolicy = misfire?.policy !== undefined && Object.keys(misfire).length === 1
  return isPolicy ? misfire.policy : misfire
}

export interface DeclaredChange {
  readonly field: string
  /** Absent when the option was not set. */
  readonly from?: unknown
  readonly to?: unknown
}

export function changesBetween(from: Declaration, to: Declaration): DeclaredChange[] {
  const fields = [...new Set([...Object.keys(from), ...Object.keys(to)])]
  return fields
    .filter((field) => canonical(from[field]) !== canonical(to[field]))
    .map((field) => ({
      field,
      ...(field in from && { from: from[field] }),
      ...(field in to && { to: to[field] }),
    }))
}

/** The same text for values that differ only in the order of their keys. */
export function canonical(value: unknown): string {
  const text = JSON.stringify(value, (_, nested) =>
    typeof nested === 'object' && nested !== null && !Array.isArray(nested)
      ? Object.fromEntries(Object.entries(nested).sort(([a], [b]) => (a < b ? -1 : 1)))
      : nested,
  )
  return text ?? ''
}

const WHENS = ['cron', 'every', 'everyAfterEnd', 'at', 'delayMs']

const PERFORMERS = ['handler', 'target']

/**
 * A changed schedule replaces the previous one, also when it is of another kind, and so does what
 * performs the runs.
 */
export function withChanges(declared: Declaration, changes: object): Declaration {
  const rest: Record<string, unknown> = { ...declared }
  for (const names of [WHENS, PERFORMERS])
    if (names.some((name) => name in changes)) for (const name of names) delete rest[name]
  return { ...rest, ...changes }
}
