/** The options of a handler that takes several runs in one call. */
import { refuseOption } from '@punctual/core/check'
import { limits } from '@punctual/core/errors'
import { systemClock } from '@punctual/store'
import { type BatchFunction, batchHandler, type HandlerFunction } from '@punctual/worker'
import type { HandlerBody, HandlerSettings } from './options.ts'

const WAIT_MS_MAX = 60_000

/** Returns the function unchanged when it takes one run at a time. */
export function batched(
  name: string,
  { batchSize, batchWaitMs }: HandlerSettings,
  body: HandlerBody,
): { readonly run: HandlerFunction } {
  if (batchSize === undefined) {
    if (batchWaitMs !== undefined)
      refuseOption('batchWaitMs', 'left out without batchSize', batchWaitMs)
    return { run: body as HandlerFunction }
  }
  const sizes = `an integer from 1 to ${limits.concurrencyMax}`
  if (!Number.isInteger(batchSize) || batchSize < 1 || batchSize > limits.concurrencyMax)
    refuseOption('batchSize', sizes, batchSize)
  const waitMs: unknown = batchWaitMs ?? 0
  if (typeof waitMs !== 'number' || !(waitMs >= 0 && waitMs <= WAIT_MS_MAX))
    refuseOption('batchWaitMs', `a number from 0 to ${WAIT_MS_MAX}`, waitMs)
  const options = { handler: name, batchSize, batchWaitMs: waitMs, clock: systemClock }
  return { run: batchHandler(options, body as BatchFunction) }
}
