/** Target, delivery and flow control, as `runs show` and `jobs show` print them. */
import type { RunFlow } from '@punctual/core/flow'
import type { Delivery } from '@punctual/core/run'
import type { Target } from '@punctual/core/target'
import { showDuration } from '../flags/durations.ts'

/** What performs a run: its kind and its members as JSON; null when that is a handler. */
export function targetText(target: Target): string | null {
  if (target.kind === 'handler') return null
  const { kind, ...members } = target
  return `${kind} ${JSON.stringify(members)}`
}

/** The delivery and heartbeat of a run; null when both have their defaults. */
export function deliveryText(delivery: Delivery, heartbeatMs: number | null): string | null {
  const heartbeat = heartbeatMs === null ? '' : `, heartbeat every ${showDuration(heartbeatMs)}`
  return delivery === 'at-least-once' && heartbeat === '' ? null : `${delivery}${heartbeat}`
}

export function concurrencyText({ concurrency }: RunFlow): string | null {
  return concurrency && `at most ${concurrency.limit} at once for ${concurrency.key}`
}

export function rateText({ rate }: RunFlow): string | null {
  return (
    rate && `${rate.limit} per ${showDuration(rate.perMs)} for ${rate.key}, burst ${rate.burst}`
  )
}
