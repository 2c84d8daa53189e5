/**
 * Delivery and retries: the flags of `submit` and `jobs create`, and how `runs show` prints them.
 */
import { PunctualError } from '@punctual/core/errors'
import { type Delivery, deliveries, type RetryPolicyInput } from '@punctual/core/run'
import type { SubmitOptions } from '@punctual/core/submit'
import { type Command, Option } from 'commander'
import { parseDuration, showDuration } from './durations.ts'

export interface DeliveryFlags {
  delivery?: Delivery
  heartbeat?: string
  backoff?: string
  retryOn?: string[]
  abortOn?: string[]
}

export function addDeliveryFlags(command: Command): Command {
  return command
    .addOption(
      new Option('--delivery <mode>', 'delivery guarantee (default: at-least-once)').choices(
        deliveries,
      ),
    )
    .option('--heartbeat <time>', 'longest time between heartbeats of the handler (default: none)')
    .option(
      '--backoff <delays>',
      'exponential:1s..1h, linear:1m..1h, fixed:10s or list:1s,10s,1m (default: exponential:1s..1h)',
    )
    .option('--retry-on <name...>', 'retry only these: failed, timed_out, crashed, error codes')
    .option('--abort-on <name...>', 'never retry these error names or codes')
}

export function deliveryOptions(
  flags: DeliveryFlags,
): Pick<SubmitOptions, 'delivery' | 'heartbeatMs' | 'retry'> {
  const retry = retryOf(flags)
  return {
    ...(flags.delivery !== undefined && { delivery: flags.delivery }),
    ...(flags.heartbeat !== undefined && {
      heartbeatMs: parseDuration('--heartbeat', flags.heartbeat),
    }),
    ...(Object.keys(retry).length > 0 && { retry }),
  }
}

function retryOf({ backoff, retryOn, abortOn }: DeliveryFlags): RetryPolicyInput {
  return {
    ...(backoff !== undefined && { backoff: backoffOf(backoff) }),
    ...(retryOn !== undefined && { retryOn }),
    ...(abortOn !== undefined && { abortOn }),
  }
}

/** The delivery and heartbeat of a run; null when both have their defaults. */
export function deliveryText(delivery: Delivery, heartbeatMs: number | null): string | null {
  const heartbeat = heartbeatMs === null ? '' : `, heartbeat every ${showDuration(heartbeatMs)}`
  return delivery === 'at-least-once' && heartbeat === '' ? null : `${delivery}${heartbeat}`
}

const FLAG = '--backoff'

/**
 * `exponential:1s..1h` starts at 1 s and doubles up to an hour. Omitted parts take their defaults.
 */
function backoffOf(text: string): NonNullable<RetryPolicyInput['backoff']> {
  const [kind, rest] = text.split(/:(.*)/s) as [string, string | undefined]
  const delay = (delayText: string) => parseDuration(FLAG, delayText)
  if (kind === 'list' && rest) return { kind, delaysMs: rest.split(',').map(delay) }
  const [first, cap, ...more] = rest?.split('..') ?? []
  const capMs = cap === undefined ? {} : { capMs: delay(cap) }
  const wrong = more.length > 0 || first === '' || (kind === 'fixed' && cap !== undefined)
  if (kind === 'exponential' && !wrong)
    return { kind, ...(first !== undefined && { baseMs: delay(first) }), ...capMs }
  if (kind === 'linear' && !wrong)
    return { kind, ...(first !== undefined && { stepMs: delay(first) }), ...capMs }
  if (kind === 'fixed' && !wrong)
    return { kind, ...(first !== undefined && { delayMs: delay(first) }) }
  throw new PunctualError(
    'invalid_option',
    `${FLAG} must look like exponential:1s..1h, linear:1m..1h, fixed:10s or list:1s,10s,1m; got ${JSON.stringify(text.slice(0, 80))}.`,
    { field: FLAG },
  )
}
