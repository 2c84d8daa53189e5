/** How a run is delivered and tried again: the flags of `submit` and `jobs create`, and how it is shown. */
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
  const modes = deliveries.join(', ')
  return command
    .addOption(
      new Option('--delivery <mode>', `how often it may happen: ${modes}`).choices(deliveries),
    )
    .option('--heartbeat <time>', 'its handler must be heard of this often (default: never)')
    .option('--backoff <delays>', 'exponential:1s..1h, linear:1m..1h, fixed:10s or list:1s,10s,1m')
    .option('--retry-on <name...>', 'only these are tried again: failed, timed_out, an error code')
    .option('--abort-on <name...>', 'these are not tried again')
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

/** What differs from the default. */
export function deliveryText(delivery: Delivery, heartbeatMs: number | null): string | null {
  const heard = heartbeatMs === null ? '' : `, heard of every ${showDuration(heartbeatMs)}`
  return delivery === 'at-least-once' && heard === '' ? null : `${delivery}${heard}`
}

const FLAG = '--backoff'

/** `exponential:1s..1h` is from 1 s on, doubled each time, up to an hour. What is left out takes its default. */
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
    `${FLAG} must be such as exponential:1s..1h, linear:1m..1h, fixed:10s or list:1s,10s,1m; got ${JSON.stringify(text.slice(0, 80))}.`,
    { field: FLAG },
  )
}
