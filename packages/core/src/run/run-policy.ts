/**
 * The policy of every attempt of a run besides the number of attempts and the timeout: when to
 * retry, how effects are delivered, how often the handler must send a heartbeat. Stored with the
 * run as JSON; null when all values are defaults.
 */

import type { Target } from '../target/target.ts'
import { defaultRetryPolicy, type RetryPolicy, type RetryPolicyInput } from './retry.ts'
import { traits } from './run-state.ts'

export const deliveries = ['at-least-once', 'at-most-once', 'transactional'] as const

/**
 * How often the effects of a run may happen; see `delivery` of `SubmitOptions`, and the guide on
 * delivery.
 */
export type Delivery = (typeof deliveries)[number]

/** When a run is retried, how it is delivered, and how often its handler must send a heartbeat. */
export interface RunPolicy extends RetryPolicy {
  /** Whether the handler runs in a transaction that commits together with its success. */
  readonly transactional?: true
  /** A handler without a heartbeat for this long counts as hanging. */
  readonly heartbeatMs?: number
  /** The instant from which no attempt begins, by the database's clock. */
  readonly expiresAtMs?: number
  /** What performs the run; left out when that is its handler. */
  readonly target?: Target
}

/** Encodes a policy; null when all values are defaults. `stored` has the values kept unchanged. */
export function encodeRunPolicy({
  retry,
  delivery,
  stored,
  expiresAtMs,
}: {
  readonly retry: RetryPolicy | undefined
  readonly delivery: Delivery
  readonly stored: object | undefined
  readonly expiresAtMs: number | null
}): string | null {
  const plain = retry === undefined && stored === undefined && expiresAtMs === null
  if (plain && delivery !== 'transactional') return null
  return JSON.stringify({
    ...(retry ?? defaultRetryPolicy),
    ...(delivery === 'transactional' && { transactional: true }),
    ...stored,
    ...(expiresAtMs !== null && { expiresAtMs }),
  })
}

export function decodeRunPolicy(text: string | null): RunPolicy {
  return text === null ? defaultRetryPolicy : (JSON.parse(text) as RunPolicy)
}

/** Returns the delivery of a run from its stored traits and policy. */
export function deliveryFrom(bits: number, policy: string | null): Delivery {
  if ((bits & traits.atMostOnce) !== 0) return 'at-most-once'
  return decodeRunPolicy(policy).transactional ? 'transactional' : 'at-least-once'
}

/** Returns what performs the runs of this handler and policy. */
export function targetFrom(handler: string, policy: string | null): Target {
  const handled: Target = { kind: 'handler', name: handler }
  return policy === null ? handled : (decodeRunPolicy(policy).target ?? handled)
}

/** Returns the part of a policy that says when to retry. */
export function retryIn({ backoff, retryOn, abortOn }: RunPolicy): RetryPolicy {
  return { backoff, retryOn, ...(abortOn && { abortOn }) }
}

/** Converts a stored policy back to options; defaults are left out. */
export function policyOptions(text: string | null): {
  retry?: RetryPolicyInput
  heartbeatMs?: number
  delivery?: Delivery
  target?: Target
} {
  if (text === null) return {}
  const policy = decodeRunPolicy(text)
  const { transactional, expiresAtMs: _, backoff, retryOn, abortOn, ...stored } = policy
  const retry = { backoff, retryOn, ...(abortOn && { abortOn }) }
  const plain = JSON.stringify(retry) === JSON.stringify(defaultRetryPolicy)
  return {
    ...(!plain && { retry: retry as RetryPolicyInput }),
    ...(transactional && { delivery: 'transactional' }),
    ...stored,
  }
}
