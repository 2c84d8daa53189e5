/**
 * Options as callers write them, and the compiled form used inside: defaults are applied and
 * everything is checked once, here.
 */
import { checkName, checkText, integer } from '../check/check-value.ts'
import { type Instant, instantOf } from '../check/instant.ts'
import { refuseOption } from '../check/refuse-option.ts'
import { PunctualError } from '../errors/errors.ts'
import { shown } from '../errors/failure.ts'
import { defaults, limits } from '../errors/limits.ts'
import {
  type CompiledFlow,
  type ConcurrencyOptions,
  compileFlow,
  flowIn,
  type RateOptions,
  type RunFlow,
} from '../flow/flow.ts'
import { compileLabels } from '../run/labels.ts'
import type { RetryPolicyInput } from '../run/retry.ts'
import { compileRunPolicy, type Delivery, deliveryOf } from '../run/run-policy.ts'
import { traits } from '../run/run-state.ts'
import { compileKeyConflict, type KeyConflict, type KeyOptions } from './key-conflict.ts'

/**
 * When and how a run executes. Unknown options are refused, so that a typing error does not go
 * unnoticed.
 */
export interface SubmitOptions extends KeyOptions {
  /** When to run, up to the year 9999; a time in the past means now. @default now */
  runAt?: Instant
  /** Run after this delay, up to 100 years; excludes `runAt`. @default 0 */
  delayMs?: number
  /**
   * The instant from which no attempt begins: the run then ends as `skipped` (reason `expired`). An
   * attempt that has begun continues. @default never
   */
  expiresAt?: Instant
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
  /** W3C trace context of the caller (`traceparent`). */
  trace?: string
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
  /** Refuse the submission when no live worker has the handler. @default false */
  strict?: boolean
}

/** A run as it was submitted, checked and complete, without its payload. */
export interface CompiledOptions {
  readonly handler: string
  readonly queue: string
  readonly priority: number
  readonly dueMs: number | null
  readonly delayMs: number | null
  readonly maxAttempts: number
  readonly timeoutMs: number
  readonly key: string | null
  /** How to handle a taken key; null = return the run that has the key. */
  readonly conflict: KeyConflict | null
  readonly labels: string | null
  readonly createdBy: string | null
  readonly trace: string | null
  /** The policy (run-policy.ts) as JSON; null when it is the default. */
  readonly policy: string | null
  readonly traits: number
  readonly strict: boolean
  readonly flow: CompiledFlow | null
}

export interface Submission {
  readonly options: CompiledOptions
  readonly payload: string
  readonly flow?: RunFlow
}

/** Combines options and payload; the payload may contain the keys of flow control. */
export function makeSubmission(options: CompiledOptions, payload: string): Submission {
  const { flow } = options
  return flow === null ? { options, payload } : { options, payload, flow: flowIn(flow, payload) }
}

function dueMsOf(options: SubmitOptions): number | null {
  if (options.runAt === undefined) return null
  if (options.delayMs !== undefined)
    throw new PunctualError('invalid_option', 'runAt and delayMs exclude each other; give one.', {
      field: 'runAt',
    })
  return instantOf('runAt', options.runAt)
}

function expiresAtMsOf({ expiresAt, runAt }: SubmitOptions): number | null {
  if (expiresAt === undefined) return null
  const ms = instantOf('expiresAt', expiresAt)
  if (runAt !== undefined && ms <= instantOf('runAt', runAt))
    refuseOption('expiresAt', 'later than runAt', expiresAt)
  return ms
}

const KNOWN: ReadonlySet<string> = new Set([
  'runAt',
  'delayMs',
  'expiresAt',
  'priority',
  'queue',
  'maxAttempts',
  'timeoutMs',
  'key',
  'onConflict',
  'window',
  'maxWait',
  'labels',
  'createdBy',
  'trace',
  'retry',
  'delivery',
  'heartbeatMs',
  'concurrency',
  'rate',
  'strict',
])

function refuseUnknown(options: object): void {
  for (const name of Object.keys(options))
    if (!KNOWN.has(name))
      throw new PunctualError(
        'invalid_option',
        `${shown(name)} is not an option of submit. Known: ${[...KNOWN].join(', ')}.`,
        { field: name.slice(0, 80) },
      )
}

const plainOptions = new Map<string, CompiledOptions>()

export function compileOptions(handler: string, options: SubmitOptions = {}): CompiledOptions {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    refuseOption('options', 'an object', options)
  const plain = Object.keys(options).length === 0
  const known = plain ? plainOptions.get(handler) : undefined
  if (known) return known
  refuseUnknown(options)
  const delivery = deliveryOf(options.delivery)
  const conflict = compileKeyConflict(options)
  const compiled: CompiledOptions = Object.freeze({
    handler: checkName('handler', handler),
    queue: options.queue === undefined ? defaults.queue : checkName('queue', options.queue),
    priority:
      options.priority === undefined
        ? defaults.priority
        : integer('priority', options.priority, limits.priorityMin, limits.priorityMax),
    dueMs: dueMsOf(options),
    delayMs: delayOf(options.delayMs, conflict),
    maxAttempts: attemptsOf(options.maxAttempts, delivery),
    timeoutMs:
      options.timeoutMs === undefined
        ? defaults.timeoutMs
        : integer('timeoutMs', options.timeoutMs, 1, limits.timeoutMsMax),
    key: options.key === undefined ? null : checkText('key', options.key, limits.keyLength),
    conflict,
    labels: compileLabels(options.labels),
    createdBy:
      options.createdBy === undefined
        ? null
        : checkText('createdBy', options.createdBy, limits.createdByLength),
    trace:
      options.trace === undefined ? null : checkText('trace', options.trace, limits.traceLength),
    policy: compileRunPolicy({ ...options, delivery, expiresAtMs: expiresAtMsOf(options) }),
    traits:
      (options.key === undefined ? 0 : traits.keyed) |
      (delivery === 'at-most-once' ? traits.atMostOnce : 0) |
      (options.concurrency === undefined && options.rate === undefined ? 0 : traits.gated) |
      (options.expiresAt === undefined ? 0 : traits.expires),
    strict: strictOf(options.strict),
    flow: compileFlow(handler, options),
  })
  if (plain && plainOptions.size < 1_000) plainOptions.set(handler, compiled)
  return compiled
}

function attemptsOf(maxAttempts: unknown, delivery: Delivery): number {
  if (maxAttempts === undefined) return delivery === 'at-most-once' ? 1 : defaults.maxAttempts
  if (delivery === 'at-most-once' && maxAttempts !== 1)
    refuseOption('maxAttempts', '1, or left out, with delivery at-most-once', maxAttempts)
  return integer('maxAttempts', maxAttempts, 1, limits.attemptsMax)
}

function strictOf(strict: unknown = false): boolean {
  if (typeof strict !== 'boolean') refuseOption('strict', 'true or false', strict)
  return strict
}

function delayOf(delayMs: unknown, conflict: KeyConflict | null): number | null {
  if (conflict?.mode === 'debounce') return conflict.windowMs
  if (delayMs === undefined) return null
  if (typeof delayMs !== 'number' || !(delayMs >= 0) || delayMs > limits.delayMsMax)
    refuseOption('delayMs', `a number from 0 to ${limits.delayMsMax}`, delayMs)
  return delayMs
}
