/**
 * Every option of a run, as callers write it and as data: validation, request schemas, wire names,
 * flags and the tables of the documentation are derived from the rows. An option is added here; a
 * type test holds the interface equal to the table.
 */
import type { Instant } from '../check/instant.ts'
import { refuseOption } from '../check/refuse-option.ts'
import { defaults, limits } from '../errors/limits.ts'
import type { ConcurrencyOptions, RateOptions } from '../flow/flow.ts'
import { concurrencyKind, rateKind } from '../flow/flow-options.ts'
import {
  checkedBy,
  choice,
  duration,
  instant,
  integer,
  name,
  onOrOff,
  text,
} from '../option/kinds.ts'
import type { Kind, OptionTable } from '../option/option.ts'
import { compileLabels, type Labels } from '../run/labels.ts'
import type { RetryPolicyInput } from '../run/retry.ts'
import { retryKind } from '../run/retry-options.ts'
import { type Delivery, deliveries } from '../run/run-policy.ts'
import { type Target, targetOption } from '../target/target.ts'
import { conflictModes, type KeyOptions, spanOf, type TimeSpan } from './key-conflict.ts'

/** The options that submitted runs and the runs of jobs have in common. */
export interface RunOptions {
  /** 0-10, higher first. @default 5 */
  priority?: number
  /** The queue from which workers claim it: a name of up to 128 characters. @default 'default' */
  queue?: string
  /**
   * The number of attempts, including the first; up to 1,000. @default 3; 1 with delivery
   * `at-most-once`
   */
  maxAttempts?: number
  /** How long one attempt may take before its signal is aborted. @default 300000 */
  timeoutMs?: number
  /** Up to 16 names and values, shown with the run. */
  labels?: Readonly<Record<string, string>>
  /** Who or what requests the run, up to 256 characters. */
  createdBy?: string
  /**
   * When failed attempts are retried. @default exponential, from 1 s to 1 h, for every kind of
   * failure
   */
  retry?: RetryPolicyInput
  /**
   * `at-least-once`: retried until it succeeds or its attempts are used up; its effects may happen
   * more than once. `at-most-once`: the handler is called at most once; if it then falls silent,
   * the run is `unknown`, never retried. `transactional`: the handler's writes with `ctx.tx` commit
   * together with its success, exactly once.
   * @default 'at-least-once'
   */
  delivery?: Delivery
  /**
   * How often the handler must send a sign of life (`ctx.heartbeat()`, progress or a checkpoint).
   * @default never
   */
  heartbeatMs?: number
  /**
   * How many runs with the same key may run at the same time, in the whole fleet. Runs that may not
   * start yet wait in the order of their ids, and cost nothing meanwhile. @default no limit
   */
  concurrency?: ConcurrencyOptions
  /**
   * How many runs with the same key may start per unit of time, in the whole fleet. Runs that may
   * not start yet are scheduled for the instant at which they may. @default no limit
   */
  rate?: RateOptions
  /**
   * What performs the run instead of a handler: an HTTP request, a program, a message. Excludes a
   * handler. @default the handler
   */
  target?: Target
}

/**
 * When and how a run executes. Unknown options are refused, so that a typing error does not go
 * unnoticed.
 */
export interface SubmitOptions extends RunOptions, KeyOptions {
  /** When to run, up to the year 9999; a time in the past means now. @default now */
  runAt?: Instant
  /** Run after this delay, up to 100 years; excludes `runAt`. @default 0 */
  delayMs?: number
  /**
   * The instant from which no attempt begins: the run then ends as `skipped` (reason `expired`). An
   * attempt that has begun continues. @default never
   */
  expiresAt?: Instant
  /** W3C trace context of the caller (`traceparent`). */
  trace?: string
  /** Refuse the submission when no live worker has the handler. @default false */
  strict?: boolean
}

/** Milliseconds from now. */
const delay: Kind<number> = checkedBy({ type: 'delay', max: limits.delayMsMax }, (field, value) =>
  typeof value === 'number' && value >= 0 && value <= limits.delayMsMax
    ? value
    : refuseOption(field, `a number from 0 to ${limits.delayMsMax}`, value),
)

const span: Kind<TimeSpan, number> = checkedBy({ type: 'span', max: limits.windowMsMax }, spanOf)

/** Checked to JSON; null when there are none. */
const labels: Kind<Labels, string | null> = checkedBy({ type: 'labels' }, (_, value) =>
  compileLabels(value),
)

/** The rows of `RunOptions`. */
export const sharedRunOptions = {
  priority: {
    kind: integer(limits.priorityMin, limits.priorityMax),
    default: defaults.priority,
    help: '0 to 10, higher first',
    flag: '--priority <n>',
  },
  queue: {
    kind: name,
    default: defaults.queue,
    help: 'the queue',
    guide: 'a name; a worker may serve only some queues',
    example: 'reports',
    flag: '--queue <name>',
  },
  maxAttempts: {
    kind: integer(1, limits.attemptsMax),
    default: defaults.maxAttempts,
    help: 'attempts, including the first',
    guide: 'including the first; up to 1,000; 1 with delivery `at-most-once`',
    flag: '--max-attempts <n>',
    wire: ['max_attempts', 'max_retries', 'retry_policy'],
  },
  timeoutMs: {
    kind: duration(1, limits.timeoutMsMax),
    default: defaults.timeoutMs,
    help: 'time limit of one attempt',
    guide: 'the time limit of one attempt',
    flag: '--timeout <time>',
    wire: ['timeout_seconds', 'timeout_ms'],
  },
  labels: {
    kind: labels,
    help: 'label for finding the run',
    guide: 'up to 16 names and values, stored with the run',
    flag: '--label <name=value...>',
  },
  delivery: {
    kind: choice(deliveries),
    default: 'at-least-once',
    help: 'delivery guarantee',
    guide:
      'or `at-most-once`, or `transactional`: [how often its effect may happen](guides/delivery.md)',
    flag: '--delivery <mode>',
  },
  heartbeatMs: {
    kind: duration(100, limits.timeoutMsMax),
    defaultShown: 'none',
    help: 'longest time between heartbeats of the handler',
    guide:
      'how often the handler must report that it is alive ([long runs](guides/workers.md#long-runs))',
    flag: '--heartbeat <time>',
    stored: 'policy',
  },
  retry: {
    kind: retryKind,
    defaultShown: 'exponential',
    help: 'when a failed attempt is retried',
    guide: '[the retry policy](guides/library.md#retries)',
    flag: null,
    wire: ['retry_policy'],
  },
  concurrency: {
    kind: concurrencyKind,
    defaultShown: 'no limit',
    help: 'how many runs with the same key may run at the same time',
    guide:
      'how many runs with a key execute at the same time: [flow control](guides/flow-control.md)',
    flag: null,
  },
  rate: {
    kind: rateKind,
    defaultShown: 'no limit',
    help: 'how many runs with the same key may start per unit of time',
    guide:
      'how many runs with a key start per unit of time: [flow control](guides/flow-control.md)',
    flag: null,
  },
  target: {
    kind: targetOption,
    defaultShown: 'the handler',
    help: 'what performs the run instead of a handler',
    guide: '[what performs the run](guides/targets.md) instead of a handler',
    flag: null,
    stored: 'policy',
  },
  createdBy: {
    kind: text(limits.createdByLength),
    help: 'who or what requests it',
    guide: 'who or what requests it; over HTTP the name of the API key',
    flag: null,
    wire: [],
  },
} as const satisfies OptionTable

const { priority, queue, maxAttempts, timeoutMs, labels: labelsRow, ...others } = sharedRunOptions

export const runOptions = {
  runAt: {
    kind: instant,
    defaultShown: 'now',
    help: 'run at this time',
    guide:
      'a `Date`, an ISO 8601 string (with an offset or `Z`) or milliseconds; a time in the past means now',
    flag: '--run-at <time>',
    flagHelp: 'run at this time: 2030-01-31T12:00:00Z, or +5m from now',
  },
  delayMs: {
    kind: delay,
    help: 'run this long from now',
    guide: "run this long from now, by the database's clock; not together with `runAt`",
    flag: '--delay <time>',
    flagHelp: 'run after this long: 500ms, 10s, 5m, 2h, 1d',
    wire: ['delay'],
  },
  expiresAt: {
    kind: instant,
    defaultShown: 'never expires',
    help: 'do not start after this time',
    guide:
      'from this time on no attempt begins, not even a retry, and the run ends as `skipped` with the reason `expired` when its turn comes; an attempt that has begun continues',
    flag: '--expires-at <time>',
    flagHelp: 'do not start after this time, or +5m from now',
  },
  priority,
  queue,
  maxAttempts,
  timeoutMs,
  labels: labelsRow,
  strict: {
    kind: onOrOff,
    default: false,
    help: 'refuse when no live worker has the handler',
    guide: 'refuse with `handler_unknown` if no live worker has the handler',
    flag: '--strict',
  },
  key: {
    kind: text(limits.keyLength),
    help: 'allow one live run with this key',
    guide: '[one live run](guides/keys.md) for each key',
    flag: '--key <text>',
    flagHelp: 'allow one live run with this key; see --on-conflict',
  },
  onConflict: {
    kind: choice(conflictModes),
    default: 'return',
    help: 'when the key is taken',
    guide: 'what happens if [the key is taken](guides/keys.md)',
    flag: '--on-conflict <what>',
  },
  window: {
    kind: span,
    help: 'time window of debounce, throttle and return',
    guide: 'the time window of `debounce`, `throttle` and `return`',
    flag: '--window <time>',
    flagHelp: 'time window of debounce, throttle and return: 5s, 10m, 24h',
  },
  maxWait: {
    kind: span,
    help: 'debounce: run at most this long after the first submission',
    guide: 'with `debounce`: run at most this long after the first submission',
    flag: '--max-wait <time>',
  },
  ...others,
  trace: {
    kind: text(limits.traceLength),
    help: 'W3C trace context (traceparent), passed to the handler',
    guide: 'the W3C `traceparent` of the caller, passed to the handler',
    flag: null,
  },
} as const satisfies OptionTable
