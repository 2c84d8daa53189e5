/** Requests that create or change a job, and the library options that they stand for. */
import { limits } from '@punctual/core/errors'
import type { JobOptions } from '@punctual/core/job'
import Type, { type Static } from 'typebox'
import {
  attemptsOf,
  delayMsOf,
  refuse,
  retryOf,
  runFields,
  timeoutMsOf,
  whole,
} from './run-fields.ts'
import { anyJson, exactly, instant, name, oneOf, text } from './schemas.ts'
import { fromWire } from './snake.ts'

const OVERLAPS = [
  ...(['skip', 'allow', 'queue-one', 'queue-all', 'cancel-previous'] as const),
  'terminate-previous',
] as const

/** The members of a job; at most one of `schedule`, `every_after_end`, `run_at` and `delay`. */
const fields = {
  handler: Type.Optional(
    text(limits.nameLength, { description: 'The handler of its runs. Default: its name.' }),
  ),
  payload: Type.Optional(anyJson('The payload of its runs.')),
  schedule: Type.Optional(
    text(256, {
      description:
        'When it fires: a cron expression, or an interval such as `every 5m`, `PT1H` or `R5/…/PT1H`.',
      examples: ['0 9 * * *', 'every 5m'],
    }),
  ),
  every_after_end: Type.Optional(
    text(64, { description: 'Wait this long after the previous run ends.' }),
  ),
  run_at: Type.Optional(instant),
  delay: Type.Optional(
    Type.Union([Type.Number({ minimum: 0 }), Type.String({ minLength: 1, maxLength: 64 })], {
      description: 'Run once, this long from now: seconds, or a duration such as `10m`.',
    }),
  ),
  timezone: Type.Optional(text(64, { examples: ['Europe/Berlin'] })),
  start_at: Type.Optional(instant),
  end_at: Type.Optional(instant),
  max_runs: Type.Optional(whole(1, 2_147_483_647, 'The maximum number of runs.')),
  jitter_ms: Type.Optional(whole(0, 86_400_000, 'Spreads runs that are due in the same second.')),
  exact: Type.Optional(Type.Boolean()),
  calendars: Type.Optional(Type.Array(name, { maxItems: limits.calendarsPerJob })),
  dst: Type.Optional(
    exactly({ gap: Type.Optional(Type.String()), overlap: Type.Optional(Type.String()) }),
  ),
  day_rule: Type.Optional(oneOf(['or', 'and'] as const)),
  misfire: Type.Optional(
    Type.Union([
      oneOf(['all', 'latest', 'none'] as const),
      exactly({
        policy: Type.Optional(oneOf(['all', 'latest', 'none'] as const)),
        grace_ms: Type.Optional(Type.Integer()),
        max_age_ms: Type.Optional(Type.Integer()),
        max_count: Type.Optional(Type.Integer()),
        drip_ms: Type.Optional(Type.Integer()),
      }),
    ]),
  ),
  overlap: Type.Optional(oneOf(OVERLAPS)),
  pause_after_failures: Type.Optional(Type.Integer({ minimum: 1 })),
  description: Type.Optional(text(limits.descriptionLength)),
  owner: Type.Optional(text(limits.createdByLength)),
  ...runFields,
}

export const newJob = exactly({ name, ...fields })
export const jobByName = exactly(fields)
export const jobChanges = exactly(fields, { minProperties: 1 })
export type NewJob = Static<typeof newJob>
type JobFields = Static<typeof jobByName>

const INTERVAL = /^(?:every\s+(.+)|(\d+\s*(?:ms|s|m|h|d|w)\S*|P\S+|R\d*\/\S+))$/i

/** A schedule is an interval when it says so, or when it cannot be a cron expression. */
function scheduleOf(schedule: string): Pick<JobOptions, 'cron' | 'every'> {
  const [matched, said, plain] = INTERVAL.exec(schedule.trim()) ?? []
  return matched ? { every: (said ?? plain) as string } : { cron: schedule }
}

const WHENS = ['schedule', 'every_after_end', 'run_at', 'delay'] as const

/** Reads when the job runs: now, when no member says so. */
function whenOf(job: JobFields): Partial<JobOptions> {
  const given = WHENS.filter((way) => job[way] !== undefined)
  if (given.length > 1)
    refuse(
      given[1] as string,
      `${given.join(' and ')} exclude each other. Give one of ${WHENS.join(', ')}.`,
    )
  if (job.schedule !== undefined) return scheduleOf(job.schedule)
  if (job.every_after_end !== undefined) return { everyAfterEnd: job.every_after_end }
  if (job.run_at !== undefined) return { at: job.run_at }
  return { delayMs: job.delay === undefined ? 0 : delayMsOf(job.delay) }
}

/** The options that the library takes. */
export function jobOptionsOf(jobName: string, job: JobFields): JobOptions {
  const { handler = jobName } = job
  const others: Record<string, unknown> = {}
  for (const [field, value] of Object.entries(job)) if (!SPECIAL.has(field)) others[field] = value
  const maxAttempts = attemptsOf(job)
  const timeoutMs = timeoutMsOf(job)
  const retry = retryOf(job.retry_policy)
  return {
    ...(fromWire(others) as object),
    ...whenOf(job),
    ...{ name: jobName, handler },
    ...(maxAttempts !== undefined && { maxAttempts }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(retry !== undefined && { retry }),
  }
}

/** The changes of a PATCH, as options of the library. */
export function changesOf(job: JobFields): Partial<JobOptions> {
  const { name: _, handler: __, delayMs, ...changes } = jobOptionsOf('-', job)
  const saysNow = WHENS.every((way) => job[way] === undefined)
  return {
    ...changes,
    ...(job.handler !== undefined && { handler: job.handler }),
    ...(delayMs !== undefined && !saysNow && { delayMs }),
  }
}

const SPECIAL: ReadonlySet<string> = new Set([
  ...[...WHENS, 'name', 'handler', 'max_attempts', 'max_retries', 'retry_policy'],
  ...['timeout_seconds', 'timeout_ms'],
])
