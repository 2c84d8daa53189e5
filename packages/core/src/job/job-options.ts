/** Jobs as people write them, and the compiled form that is used inside: checked and completed once, here. */

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
import { momentIn } from '../schedule/moment-in.ts'
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

/** What becomes of fixed times of the day that a change of the clocks leaves out or repeats. */
export interface DstOptions {
  /** A fixed time that clocks go forward over. @default 'run-after' */
  gap?: GapPolicy
  /** A fixed time that clocks go back over. @default 'first' */
  fold?: FoldPolicy
}

/**
 * A job as people write it. Exactly one of `cron`, `every`, `everyAfterEnd`, `at` and `delayMs` says when it fires.
 */
export interface JobOptions {
  /** Unique within the tenant. */
  name: string
  /** The name of the handler of its runs, which may live in another process. */
  handler: string
  /** What its runs are given: anything that JSON can hold. @default null */
  payload?: unknown

  /** A cron expression: 5 fields, 6 with seconds first, 7 with the year last; `@daily`, `H`, `L`, `W`, `#` … */
  cron?: string
  /** A fixed rate: `5s`, `1h30m`, `P1M`, milliseconds, or a repeating interval `R5/2026-01-01T00:00:00Z/PT1H`. */
  every?: string | number
  /** So long after the run before has ended, however it ended. */
  everyAfterEnd?: string | number
  /** Once, at this time; in the past means now. */
  at?: Instant
  /** Once, so many milliseconds from now. */
  delayMs?: number

  /** A name of the IANA database. @default the installation's, which is UTC unless set */
  timezone?: string
  /** No slot before this. A start in the past makes no missed slots. @default now */
  startAt?: Instant
  /** No slot from this on. */
  endAt?: Instant
  /** The most runs that are made. @default no limit */
  maxRuns?: number
  /** Moves every run of the job by the same part of this, so that jobs of one second are spread. @default 0 */
  jitterMs?: number
  /** Not moved, whatever jitter the installation sets. @default false */
  exact?: boolean
  /** Names of calendars, up to 10; a slot must be allowed by each. @default none */
  calendars?: readonly string[]
  /** What becomes of fixed times that a change of the clocks leaves out or repeats. */
  dst?: DstOptions
  /** How day of month and weekday combine when both are restricted. @default 'or' */
  dayRule?: DayRule
  /** What becomes of slots that passed while nothing was running. @default all of the last hour, older ones together */
  misfire?: MisfireRules['policy'] | Partial<MisfireRules>
  /** When a run would start while another run of the job goes on. @default 'skip' */
  overlap?: Overlap
  /** Pause the job after so many dead runs in a row. @default never */
  pauseAfterFailures?: number

  /** What the job is for, in words, up to 1,024 characters. */
  description?: string
  /** Whom to ask about it. */
  owner?: string
  /** Up to 16 names and values, shown with its runs. */
  labels?: Readonly<Record<string, string>>
  /** Who declares this job; `sync` removes only jobs of its own source. */
  source?: string
  /** Who or what makes it. */
  createdBy?: string

  /** The queue of its runs. @default 'default' */
  queue?: string
  /** The priority of its runs, 0-10, higher first. @default 5 */
  priority?: number
  /** How many attempts its runs have, the first included. @default 3; 1 with delivery `at-most-once` */
  maxAttempts?: number
  /** How long one attempt may take before its signal is aborted. @default 300000 */
  timeoutMs?: number
  /** When its runs are tried again. @default exponential, from 1 s to 1 h */
  retry?: RetryPolicyInput
  /** How often the effects of its runs may happen. @default 'at-least-once' */
  delivery?: Delivery
  /** The handler must be heard of this often. @default never */
  heartbeatMs?: number
  /** How many runs of a key may go on at once, of this job and of whatever else has the key. @default no limit */
  concurrency?: ConcurrencyOptions
  /** How many runs of a key may start in a time. @default no limit */
  rate?: RateOptions
}

/** What one job is, checked and complete. */
export interface CompiledJob {
  readonly name: string
  readonly run: CompiledOptions
  readonly payload: string
  readonly rules: JobRules
  readonly rulesText: string
  readonly startMs: number | null
  readonly endMs: number | null
  /** Of a job that runs once: when. */
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

/** Without an offset it is local time of the job, wherever this process runs. */
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const VISIBLE = /[^\s\p{Cf}]/u

/**
 * Jobs are asked for by name or by id: a name that reads as an id would be looked for as one. One that nobody can see could
 * not be told from others in any list.
 */
function checkJobName(name: unknown): string {
  const checked = checkName('name', name)
  if (!VISIBLE.test(checked)) refuseOption('name', 'more than blanks', name)
  return UUID.test(checked)
    ? refuseOption('name', 'not of the form of an id (UUID)', name)
    : checked
}

function instantIn(timezone: string, field: string, value: unknown): number {
  const local = typeof value === 'string' ? momentIn(value, timezone) : null
  return local ? local.getTime() : instantOf(field, value)
}

function textOf(field: string, value: unknown, maxLength: number): string | null {
  return value === undefined ? null : checkText(field, value, maxLength)
}

/** What its runs have in common with any other run. */
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

/** The bits that its runs carry, so that starting and ending them knows what follows. */
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
  if (exact && options.jitterMs)
    refuseOption('jitterMs', 'left out of a job that is exact', jitterMs)
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
  // Refuses what cannot be read and what never fires.
  const input = timingInput(rules, { seed: '', anchorMs: 0 })
  if (input) compileTiming(input)
  return rules
}

/** How the rules are computed with; null for a job that runs once. */
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
          `every takes a duration such as 5m, or a repeating interval; got ${shown(options.every)}. Give a cron expression as cron.`,
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
    refuseOption('dst', 'an object of gap and fold', dst)
  for (const name of Object.keys(dst as object))
    if (name !== 'gap' && name !== 'fold') refuseOption('dst', 'made of gap and fold', name)
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
    } else refuseOption('misfire', `made of policy, ${Object.keys(bounds).join(', ')}`, name)
  }
  return Object.keys(rules).length > 0 ? (rules as Partial<MisfireRules>) : null
}

function calendarsOf(calendars: unknown = []): readonly string[] {
  if (!Array.isArray(calendars) || calendars.length > limits.calendarsPerJob)
    refuseOption('calendars', `a list of at most ${limits.calendarsPerJob} names`, calendars)
  return [...new Set((calendars as unknown[]).map((name) => checkName('calendars', name)))]
}
