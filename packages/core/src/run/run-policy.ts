/**
 * The policy of every attempt of a run besides the number of attempts and the timeout: when to
 * retry, how effects are delivered, how often the handler must send a heartbeat. Stored with the
 * run as JSON; null when all values are defaults.
 */

import { oneOf, refuseOption } from '../check/refuse-option.ts'
import { limits } from '../errors/limits.ts'
import {
  compileRetryPolicy,
  defaultRetryPolicy,
  type RetryPolicy,
  type RetryPolicyInput,
} from './retry.ts'
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
}

export function deliveryOf(delivery: unknown): Delivery {
  return delivery === undefined ? 'at-least-once' : oneOf('delivery', deliveries, delivery)
}

export function compileRunPolicy(options: {
  readonly retry?: RetryPolicyInput
  readonly delivery: Delivery
  readonly heartbeatMs?: number
  readonly expiresAtMs?: number | null
}): string | null {
  const { retry, delivery, heartbeatMs } = options
  const expiresAtMs = options.expiresAtMs ?? undefined
  const plain = [retry, heartbeatMs, expiresAtMs].every((option) => option === undefined)
  if (plain && delivery !== 'transactional') return null
  const policy: RunPolicy = {
    ...(retry === undefined ? defaultRetryPolicy : compileRetryPolicy(retry)),
    ...(delivery === 'transactional' && { transactional: true }),
    ...(heartbeatMs !== undefined && { heartbeatMs: checkHeartbeat(heartbeatMs) }),
    ...(expiresAtMs !== undefined && { expiresAtMs }),
  }
  return JSON.stringify(policy)
}

function checkHeartbeat(ms: unknown): number {
  if (typeof ms === 'number' && Number.isInteger(ms) && ms >= 100 && ms <= limits.timeoutMsMax)
    return ms
  return refuseOption('heartbeatMs', `an integer from 100 to ${limits.timeoutMsMax}`, ms)
}

export function decodeRunPolicy(text: string | null): RunPolicy {
  return text === null ? defaultRetryPolicy : (JSON.parse(text) as RunPolicy)
}

/** Returns the delivery of a run from its stored traits and policy. */
export function deliveryFrom(bits: number, policy: string | null): Delivery {
  if ((bits & traits.atMostOnce) !== 0) return 'at-most-once'
  return decodeRunPolicy(policy).transactional ? 'transactional' : 'at-least-once'
}

/** Converts a stored policy back to options; defaults are left out. */
export function policyOptions(text: string | null): {
  retry?: RetryPolicyInput
  heartbeatMs?: number
  delivery?: Delivery
} {
  if (text === null) return {}
  const { transactional, heartbeatMs, expiresAtMs: _, ...retry } = decodeRunPolicy(text)
  const plain = JSON.stringify(retry) === JSON.stringify(defaultRetryPolicy)
  return {
    ...(!plain && { retry: retry as RetryPolicyInput }),
    ...(transactional && { delivery: 'transactional' }),
    ...(heartbeatMs !== undefined && { heartbeatMs }),
  }
}
