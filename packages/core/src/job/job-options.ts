/**
 * Jobs as callers declare them, and the compiled form used inside: checked and completed once,
 * here.
 */

import { checkName, checkText, integer } from '../check/check-value.ts'
import type { Instant } from '../check/instant.ts'
import { instantOf } from '../check/instant.ts'
import { encodeJson } from '../check/json-value.ts'
import { oneOf, refuseOption } from '../check/refuse-option.ts'
import { PunctualError } from '../errors/errors.ts'
import { shown } from '../errors/failure.ts'
import { defaults, limits } from '../errors/limits.ts'
import { type ConcurrencyOptions, flowIn, type RateOptions, type RunFlow } from '../flow/flow.ts'
import type { RetryPolicyInput } from '../run/retry.ts'
import type { Delivery } from '../run/run-policy.ts'
import { traits } from '../run/run-state.ts'
import { type DayRule, dayRules } from '../schedule/cron/parse-cron.ts'
import { localInstant } from '../schedule/local-instant.ts'
import { parseExpression } from '../schedule/parse-expression.ts'
import { parsePeriod } from '../schedule/parse-period.ts'
import { compileTiming, type TimingInput } from '../schedule/timing.ts'
import {
  type FoldPolicy,
  foldPolicies,
  type GapPolicy,
  gapPolicies,
} from '../schedule/zones/dst-policy.ts'
import { zoneOf } from '../schedule/zones/zone.ts'
import { type CompiledOptions, compileOptions } from '../submit/submission.ts'
import {
  encodeRules,
  type JobRules,
  type MisfireRules,
  type Overlap,
  overlapPolicies,
  type When,
} from './job-rules.ts'

/** How clock changes affect fixed times of day. */
export interface DstOptions {
  /** A fixed time that the clocks skip when they go forward. @default 'run-after' */
  gap?: GapPolicy
  /** A fixed time that occurs twice when the clocks go back. @default 'first' */
  fold?: FoldPolicy
}

/** A job as declared. Exactly one of `cron`, `every`, `everyAfterEnd`, `at`, `delayMs` is set. */
export interface JobOptions {
  /** Unique within the tenant; up to 128 characters. */
  name: string
  /** The name of the handler of its runs, which may be registered in another process. */
  handler: string
  /** The payload of its runs: any value that JSON can represent. @default null */
  payload?: unknown

  /** Cron: 5 fields, 6 with seconds first, 7 with the year last; `@daily`, `H`, `L`, `W`, `#` … */
  cron?: string
  /**
   * A fixed rate: `5s`, `1h30m`, `P1M`, milliseconds, or a repeating interval
   * `R5/2026-01-01T00:00:00Z/PT1H`.
   */
  every?: string | number
  /** Wait this long after the previous run ends, however it ends. */
  everyAfterEnd?: string | number
  /** Run once, at this time; a time in the past means now. */
  at?: Instant
  /** Run once, this many milliseconds from now. */
  delayMs?: number

  /** A time zone name of the IANA database. @default the installation's, which is UTC unless set */
  timezone?: string
  /** The earliest slot. A start in the past creates no missed slots. @default now */
  startAt?: Instant
  /** The end: no slot is at or after this instant. */
  endAt?: Instant
  /** The maximum number of runs. @default no limit */
  maxRuns?: number
  /**
   * Delays every run of the job by the same fraction of this, so that jobs with the same slots
   * spread out. @default 0
   */
  jitterMs?: number
  /** Exempts the job from jitter, including the installation's. @default false */
  exact?: boolean
  /** Names of calendars, up to 10; every one must allow a slot. @default none */
  calendars?: readonly string[]
  /** How clock changes affect fixed times of day. */
  dst?: DstOptions
  /** How day of month and weekday combine when both are restricted. @default 'or' */
  dayRule?: DayRule
  /** Slots missed in an outage. @default all of the last hour run, older ones as one run */
  misfire?: MisfireRules['policy'] | Partial<MisfireRules>
  /** The handling of a run that would start while another one is running. @default 'skip' */
  overlap?: Overlap
  /** Pauses the job after this many consecutive dead runs. @default never */
  pauseAfterFailures?: number

  /** A description for readers, up to 1,024 characters. */

  description?: string
  /** The person or team responsible for the job, up to 128 characters. */
  owner?: string
  /** Up to 16 names and values, shown with its runs. */
  labels?: Readonly<Record<string, string>>
  /** Who declares this job; `sync` removes only jobs of the same source. */
  source?: string
  /** Who or what creates it, up to 256 characters. */
  createdBy?: string

  /** The queue of its runs. @default 'default' */
  queue?: string
  /** The priority of its runs, 0-10, higher first. @default 5 */
  priority?: number
  /** Attempts per run, including the first. @default 3; 1 with delivery `at-most-once` */
  maxAttempts?: number
  /** How long one attempt may take before its signal is aborted. @default 300000 */
  timeoutMs?: number
  /** When failed attempts are retried. @default exponential, from 1 s to 1 h */
  retry?: RetryPolicyInput
  /** How often the effects of its runs may happen. @default 'at-least-once' */
  delivery?: Delivery
  /** How often the handler must send a heartbeat. @default never */
  heartbeatMs?: number
  /** How many runs with the same key, of any job, may run at the same time. @default no limit */
  concurrency?: ConcurrencyOptions
  /** How many runs with the same key may start per unit of time. @default no limit */
  rate?: RateOptions
}

/** A job, checked and complete. */
export interface CompiledJob {
  readonly name: string
  readonly run: CompiledOptions
  readonly payload: string
  readonly rules: JobRules
  readonly rulesText: string
  readonly startMs: number | null
  readonly endMs: number | null
  /** When a one-off job runs; null for other jobs. */
  readonly onceMs: number | null
  readonly delayMs: number | null
  readonly maxRuns: number | null
  readonly traits: number
  readonly flow: RunFlow | null
  readonly description: string | null
  readonly owner: string | null
  readonly source: string | null
}

export interface JobDefaults {
  /** The largest payload, in bytes of JSON. @default 1048576 */
  readonly payloadBytes?: number
  readonly timezone: string
  readonly jitterMs: number
}

const KNOWN: ReadonlySet<string> = new Set([
  ...['name', 'handler', 'payload', 'cron', 'every', 'everyAfterEnd', 'at', 'delayMs', 'timezone'],
  ...['startAt', 'endAt', 'maxRuns', 'jitterMs', 'exact', 'calendars', 'dst', 'dayRule', 'misfire'],
  ...['overlap', 'pauseAfterFailures', 'description', 'owner', 'labels', 'source', 'createdBy'],
  ...['queue', 'priority', 'maxAttempts', 'timeoutMs', 'retry'],
  ...['delivery', 'heartbeatMs', 'concurrency', 'rate'],
])
const WHENS = ['cron', 'every', 'everyAfterEnd', 'at', 'delayMs'] as const
const JITTER_MAX_MS = 86_400_000

export function compileJob(options: JobOptions, installation: JobDefaults): CompiledJob {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    refuseOption('job', 'an object', options)
  for (const name of Object.keys(options))
    if (!KNOWN.has(name))
      throw new PunctualError(
        'invalid_option',
        `${shown(name)} is not an option of a job. Known: ${[...KNOWN].join(', ')}.`,
        { field: name.slice(0, 80) },
      )
  const rules = rulesOf(options, installation)
  const run = runOptionsOf(options)
  const instant = (field: 'at' | 'startAt' | 'endAt'): number | null =>
    options[field] === undefined ? null : instantIn(rules.timezone, field, options[field])
  const [startMs, endMs] = [instant('startAt'), instant('endAt')]
  if (startMs !== null && endMs !== null && endMs <= startMs)
    refuseOption('endAt', 'later than startAt', options.endAt)
  const payload = encodeJson(
    options.payload ?? null,
    'payload',
    installation.payloadBytes ?? limits.payloadBytes,
  )
  return {
    name: checkJobName(options.name),
    run,
    payload,
    flow: run.flow && flowIn(run.flow, payload),
    rules,
    rulesText: encodeRules(rules),
    startMs,
    endMs,
    onceMs: instant('at'),
    delayMs:
      options.delayMs === undefined
        ? null
        : integer('delayMs', options.delayMs, 0, limits.delayMsMax),
    maxRuns:
      options.maxRuns === undefined ? null : integer('maxRuns', options.maxRuns, 1, 2_147_483_647),
    traits: traitsOf(rules) | run.traits,
    description: textOf('description', options.description, limits.descriptionLength),
    owner: textOf('owner', options.owner, limits.nameLength),
    source: textOf('source', options.source, limits.nameLength),
  }
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const VISIBLE = /[^\s\p{Cf}]/u

/**
 * Jobs are looked up by name or by id, so a name in the form of an id would be taken for one. An
 * invisible name could not be distinguished from others in any list.
 */
function checkJobName(name: unknown): string {
  const checked = checkName('name', name)
  if (!VISIBLE.test(checked)) refuseOption('name', 'a string with visible characters', name)
  return UUID.test(checked)
    ? refuseOption('name', 'a string that does not have the form of an id (UUID)', name)
    : checked
}

/** Reads a time; without an offset it is local time in the job's time zone, on every machine. */
function instantIn(timezone: string, field: string, value: unknown): number {
  const local = typeof value === 'string' ? localInstant(value, timezone) : null
  return local ? local.getTime() : instantOf(field, value)
}

function textOf(field: string, value: unknown, maxLength: number): string | null {
  return value === undefined ? null : checkText(field, value, maxLength)
}

/** The options that its runs share with submitted runs. */
function runOptionsOf(options: JobOptions): CompiledOptions {
  const { handler, queue, priority, maxAttempts, timeoutMs, labels, createdBy } = options
  const { retry, delivery, heartbeatMs, concurrency, rate } = options
  const given = {
    ...{ queue, priority, maxAttempts, timeoutMs, labels, createdBy },
    ...{ retry, delivery, heartbeatMs, concurrency, rate },
  }
  const present = Object.entries(given).filter(([, value]) => value !== undefined)
  return compileOptions(handler, Object.fromEntries(present))
}

/** The trait bits of its runs, from which starting and ending a run derive what follows. */
function traitsOf(rules: JobRules): number {
  const afterEnd = rules.when.kind === 'after-end' ? traits.rearms : 0
  const counted = rules.pauseAfterFailures === undefined ? 0 : traits.failuresCounted
  return afterEnd | counted | (overlapPolicies[rules.overlap] << traits.overlapShift)
}

function rulesOf(options: JobOptions, installation: JobDefaults): JobRules {
  const when = whenOf(options)
  const timezone = zoneOf(options.timezone ?? installation.timezone).name
  const overlap = oneOf(
    'overlap',
    Object.keys(overlapPolicies) as Overlap[],
    options.overlap ?? defaults.overlap,
  )
  const exact = options.exact ?? false
  if (typeof exact !== 'boolean') refuseOption('exact', 'true or false', exact)
  const jitterMs = exact ? 0 : (options.jitterMs ?? installation.jitterMs)
  if (exact && options.jitterMs) refuseOption('jitterMs', 'left out when exact is true', jitterMs)
  integer('jitterMs', jitterMs, 0, JITTER_MAX_MS)
  const { gap, fold } = dstOf(options.dst)
  const misfire = misfireRulesOf(options.misfire)
  const calendars = calendarsOf(options.calendars)
  const rules: JobRules = {
    when,
    timezone,
    overlap,
    ...(gap !== undefined && { gap: oneOf('dst.gap', gapPolicies, gap) }),
    ...(fold !== undefined && { fold: oneOf('dst.fold', foldPolicies, fold) }),
    ...(options.dayRule !== undefined && { dayRule: oneOf('dayRule', dayRules, options.dayRule) }),
    ...(jitterMs > 0 && { jitterMs }),
    ...(misfire && { misfire }),
    ...(calendars.length > 0 && { calendars }),
    ...(options.pauseAfterFailures !== undefined && {
      pauseAfterFailures: integer('pauseAfterFailures', options.pauseAfterFailures, 1, 1_000),
    }),
  }
  // Refuses schedules that cannot be parsed or never fire.
  const input = timingInput(rules, { seed: '', anchorMs: 0 })
  if (input) compileTiming(input)
  return rules
}

/** Returns the timing computation of the rules; null for a job that runs once. */
export function timingInput(
  rules: JobRules,
  job: { seed: string; anchorMs: number },
): TimingInput | null {
  if (rules.when.kind === 'once') return null
  const { gap, fold, dayRule, timezone } = rules
  return {
    expression: rules.when.expression,
    tz: timezone,
    gap,
    fold,
    dayRule,
    seed: job.seed,
    anchor: job.anchorMs,
  }
}

function whenOf(options: JobOptions): When {
  const given = WHENS.filter((name) => options[name] !== undefined)
  const [name, ...others] = given
  if (name === undefined || others.length > 0)
    throw new PunctualError(
      'invalid_schedule',
      `A job needs one of ${WHENS.join(', ')}; got ${given.length === 0 ? 'none' : given.join(' and ')}.`,
      { field: others[0] ?? 'cron' },
    )
  switch (name) {
    case 'cron':
      if (typeof options.cron !== 'string') refuseOption('cron', 'a cron expression', options.cron)
      return { kind: 'cron', expression: options.cron as string }
    case 'every':
      if (
        parseExpression(options.every as string | number, { dayRule: 'or', seed: '' }).kind ===
        'cron'
      )
        throw new PunctualError(
          'invalid_schedule',
          `every takes a duration such as 5m, or a repeating interval; got ${shown(options.every)}. Pass a cron expression as cron.`,
          { field: 'every' },
        )
      return { kind: 'every', expression: options.every as string | number }
    case 'everyAfterEnd':
      parsePeriod(options.everyAfterEnd as string | number)
      return { kind: 'after-end', expression: options.everyAfterEnd as string | number }
    default:
      return { kind: 'once' }
  }
}

function dstOf(dst: unknown = {}): { gap?: GapPolicy; fold?: FoldPolicy } {
  if (typeof dst !== 'object' || dst === null || Array.isArray(dst))
    refuseOption('dst', 'an object with gap and fold', dst)
  for (const name of Object.keys(dst as object))
    if (name !== 'gap' && name !== 'fold')
      refuseOption('dst', 'an object with gap and fold only', name)
  return dst as { gap?: GapPolicy; fold?: FoldPolicy }
}

const POLICIES = ['all', 'latest', 'none'] as const

function misfireRulesOf(misfire: JobOptions['misfire']): Partial<MisfireRules> | null {
  if (misfire === undefined) return null
  if (typeof misfire === 'string') return { policy: oneOf('misfire', POLICIES, misfire) }
  if (typeof misfire !== 'object' || misfire === null || Array.isArray(misfire))
    refuseOption('misfire', `${POLICIES.join(' or ')}, or an object`, misfire)
  const bounds = {
    graceMs: [1_000, 86_400_000],
    maxAgeMs: [0, 366 * 86_400_000],
    maxCount: [0, 10_000],
    dripMs: [0, 3_600_000],
  } as const
  const rules: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(misfire)) {
    if (value === undefined) continue
    if (name === 'policy') rules[name] = oneOf('misfire.policy', POLICIES, value)
    else if (Object.hasOwn(bounds, name)) {
      const [min, max] = bounds[name as keyof typeof bounds]
      rules[name] = integer(`misfire.${name}`, value, min, max)
    } else
      refuseOption('misfire', `an object with policy, ${Object.keys(bounds).join(', ')} only`, name)
  }
  return Object.keys(rules).length > 0 ? (rules as Partial<MisfireRules>) : null
}

function calendarsOf(calendars: unknown = []): readonly string[] {
  if (!Array.isArray(calendars) || calendars.length > limits.calendarsPerJob)
    refuseOption('calendars', `a list of at most ${limits.calendarsPerJob} names`, calendars)
  return [...new Set((calendars as unknown[]).map((name) => checkName('calendars', name)))]
}
