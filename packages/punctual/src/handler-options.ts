/** How a handler is registered: checked once, where it is. */
import { PunctualError, refuseOption } from '@punctual/core'
import type { HandlerOptions } from '@punctual/worker'

const reactions: readonly unknown[] = [
  'continue',
  'abort',
] satisfies HandlerOptions['onLeaseLoss'][]

export function compileHandlerOptions(options: HandlerOptions): HandlerOptions {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    refuseOption('options', 'an object', options)
  for (const name of Object.keys(options))
    if (name !== 'onLeaseLoss')
      throw new PunctualError(
        'invalid_option',
        `${JSON.stringify(name.slice(0, 80))} is not an option of a handler. Known: onLeaseLoss.`,
        { field: name.slice(0, 80) },
      )
  const { onLeaseLoss } = options
  if (onLeaseLoss === undefined) return {}
  if (!reactions.includes(onLeaseLoss))
    refuseOption('onLeaseLoss', 'continue or abort', onLeaseLoss)
  return { onLeaseLoss }
}
