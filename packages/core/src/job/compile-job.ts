/** Compiles the options of a job: they are checked and completed once, here. */
import { instantOf } from '../check/instant.ts'
import { encodeJson } from '../check/json-value.ts'
import { refuseOption } from '../check/refuse-option.ts'
import { PunctualError } from '../errors/errors.ts'
import { limits } from '../errors/limits.ts'
import { flowIn, type RunFlow } from '../flow/flow.ts'
import { checkOptions, givenOf } from '../option/check-options.ts'
import { type CheckedOptions, storedIn } from '../option/option.ts'
import { traits } from '../run/run-state.ts'
import { localInstant } from '../schedule/local-instant.ts'
import { compileTiming } from '../schedule/timing.ts'
import { zoneOf } from '../schedule/zones/zone.ts'
import { type CompiledOptions, compileChecked } from '../submit/submission.ts'
import { type JobOptions, jobOptions } from './job-options.ts'
import { encodeRules, type JobRules, overlapPolicies, type When } from './job-rules.ts'
import { timingInput } from './job-timing.ts'

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

type CheckedJob = CheckedOptions<typeof jobOptions>

export function compileJob(options: JobOptions, installation: JobDefaults): CompiledJob {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    refuseOption('job', 'an object', options)
  const checked = checkOptions(jobOptions, 'a job', options)
  const rules = rulesOf(checked, installation)
  const { delayMs, ...others } = checked
  const run = compileChecked(checked.handler, others, null)
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
    name: checked.name ?? jobOptions.name.kind.check('name', undefined),
    run,
    payload,
    flow: run.flow && flowIn(run.flow, payload),
    rules,
    rulesText: encodeRules(rules),
    startMs,
    endMs,
    onceMs: instant('at'),
    delayMs: delayMs ?? null,
    maxRuns: checked.maxRuns ?? null,
    traits: traitsOf(rules) | run.traits,
    description: checked.description ?? null,
    owner: checked.owner ?? null,
    source: checked.source ?? null,
  }
}

/** Reads a time; without an offset it is local time in the job's time zone, on every machine. */
function instantIn(timezone: string, field: string, value: unknown): number {
  const local = typeof value === 'string' ? localInstant(value, timezone) : null
  return local ? local.getTime() : instantOf(field, value)
}

/** The trait bits of its runs, from which starting and ending a run derive what follows. */
function traitsOf(rules: JobRules): number {
  const afterEnd = rules.when.kind === 'after-end' ? traits.rearms : 0
  const counted = rules.pauseAfterFailures === undefined ? 0 : traits.failuresCounted
  return afterEnd | counted | (overlapPolicies[rules.overlap] << traits.overlapShift)
}

const stored = storedIn(jobOptions, 'rules')

function rulesOf(checked: CheckedJob, installation: JobDefaults): JobRules {
  const { misfire = {}, calendars = [] } = checked
  const jitterMs = jitterOf(checked, installation)
  const rules: JobRules = {
    when: whenOf(checked),
    timezone: checked.timezone ?? zoneOf(installation.timezone).name,
    overlap: checked.overlap ?? jobOptions.overlap.default,
    ...checked.dst,
    ...(jitterMs > 0 && { jitterMs }),
    ...(Object.keys(misfire).length > 0 && { misfire }),
    ...(calendars.length > 0 && { calendars }),
    ...givenOf(stored, checked),
  }
  // Refuses schedules that cannot be parsed or never fire.
  const input = timingInput(rules, { seed: '', anchorMs: 0 })
  if (input) compileTiming(input)
  return rules
}

function jitterOf({ exact = false, jitterMs }: CheckedJob, installation: JobDefaults): number {
  if (!exact) return jitterMs ?? jobOptions.jitterMs.kind.check('jitterMs', installation.jitterMs)
  if (jitterMs) refuseOption('jitterMs', 'left out when exact is true', jitterMs)
  return 0
}

/** The options of which a job has exactly one. */
const WHENS = ['cron', 'every', 'everyAfterEnd', 'at', 'delayMs'] as const

function whenOf(checked: CheckedJob): When {
  const given = WHENS.filter((name) => checked[name] !== undefined)
  if (given.length !== 1)
    throw new PunctualError(
      'invalid_schedule',
      `A job needs one of ${WHENS.join(', ')}; got ${given.length === 0 ? 'none' : given.join(' and ')}.`,
      { field: given[1] ?? 'cron' },
    )
  const { cron, every, everyAfterEnd } = checked
  if (cron !== undefined) return { kind: 'cron', expression: cron }
  if (every !== undefined) return { kind: 'every', expression: every }
  if (everyAfterEnd !== undefined) return { kind: 'after-end', expression: everyAfterEnd }
  return { kind: 'once' }
}
