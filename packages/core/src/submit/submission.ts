/**
 * The compiled form of options, used inside: defaults are applied and everything is checked once,
 * here.
 */
import { refuseOption } from '../check/refuse-option.ts'
import { PunctualError } from '../errors/errors.ts'
import { type CompiledFlow, compileFlow, flowIn, type RunFlow } from '../flow/flow.ts'
import { checkOptions, givenOf } from '../option/check-options.ts'
import { type CheckedOptions, storedIn } from '../option/option.ts'
import { type Delivery, encodeRunPolicy } from '../run/run-policy.ts'
import { traits } from '../run/run-state.ts'
import type { Target } from '../target/target.ts'
import { handlerFor } from '../target/target-handler.ts'
import { compileKeyConflict, type KeyConflict } from './key-conflict.ts'
import { runOptions, type SubmitOptions } from './run-options.ts'

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

export type CheckedRunOptions = CheckedOptions<typeof runOptions>

/** The options that are stored in the policy under their names. */
const stored = storedIn(runOptions, 'policy')

/**
 * Compiles the options of a run. `handler`: the name of a handler, or another target; undefined
 * when the options have the target.
 */
export function compileOptions(
  handler: string | Target | undefined,
  options: SubmitOptions = {},
): CompiledOptions {
  if (typeof handler === 'object' && handler !== null && 'kind' in handler)
    return compileForTarget(handler, options)
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    refuseOption('options', 'an object', options)
  const checked = checkOptions(runOptions, 'submit', options)
  if (options.runAt !== undefined) checkTimes(options, checked)
  return compileChecked(handler, checked, compileKeyConflict(options))
}

function compileForTarget(target: Target, options: SubmitOptions): CompiledOptions {
  if (options.target === undefined || options.target === target)
    return compileOptions(undefined, { ...options, target })
  const message = 'The target is given twice. Pass it instead of a handler, or as an option.'
  throw new PunctualError('invalid_option', message, { field: 'target' })
}

function checkTimes(options: SubmitOptions, { runAt, expiresAt }: CheckedRunOptions): void {
  if (options.delayMs !== undefined)
    throw new PunctualError('invalid_option', 'runAt and delayMs exclude each other; give one.', {
      field: 'runAt',
    })
  if (runAt !== undefined && expiresAt !== undefined && expiresAt <= runAt)
    refuseOption('expiresAt', 'later than runAt', options.expiresAt)
}

/** Applies the defaults to options that have been checked, one by one and together. */
export function compileChecked(
  given: string | undefined,
  checked: CheckedRunOptions,
  conflict: KeyConflict | null,
): CompiledOptions {
  const handler = handlerFor(given, checked.target)
  const delivery = checked.delivery ?? runOptions.delivery.default
  return Object.freeze({
    handler,
    queue: checked.queue ?? runOptions.queue.default,
    priority: checked.priority ?? runOptions.priority.default,
    dueMs: checked.runAt ?? null,
    delayMs: conflict?.mode === 'debounce' ? conflict.windowMs : (checked.delayMs ?? null),
    maxAttempts: attemptsOf(checked.maxAttempts, delivery),
    timeoutMs: checked.timeoutMs ?? runOptions.timeoutMs.default,
    key: checked.key ?? null,
    conflict,
    labels: checked.labels ?? null,
    createdBy: checked.createdBy ?? null,
    trace: checked.trace ?? null,
    policy: encodeRunPolicy({
      retry: checked.retry,
      delivery,
      stored: givenOf(stored, withoutHandlerTarget(checked)),
      expiresAtMs: checked.expiresAt ?? null,
    }),
    traits: traitsOf(checked, delivery),
    strict: checked.strict ?? runOptions.strict.default,
    flow: compileFlow(handler, checked),
  })
}

/** A target that is a handler is the handler of the run, and is not stored a second time. */
function withoutHandlerTarget(checked: CheckedRunOptions): CheckedRunOptions {
  if (checked.target?.kind !== 'handler') return checked
  const { target: _, ...others } = checked
  return others
}

function traitsOf(checked: CheckedRunOptions, delivery: Delivery): number {
  return (
    (checked.key === undefined ? 0 : traits.keyed) |
    (delivery === 'at-most-once' ? traits.atMostOnce : 0) |
    (checked.concurrency === undefined && checked.rate === undefined ? 0 : traits.gated) |
    (checked.expiresAt === undefined ? 0 : traits.expires)
  )
}

function attemptsOf(maxAttempts: number | undefined, delivery: Delivery): number {
  if (maxAttempts === undefined)
    return delivery === 'at-most-once' ? 1 : runOptions.maxAttempts.default
  if (delivery === 'at-most-once' && maxAttempts !== 1)
    refuseOption('maxAttempts', '1, or left out, with delivery at-most-once', maxAttempts)
  return maxAttempts
}
