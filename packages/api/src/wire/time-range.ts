/** `<what>_from` and `<what>_to` as a range. Instants are read here, so that errors name them as they came. */
import { instantOf } from '@punctual/core/check'
import type { TimeRange } from '@punctual/core/run'

export function rangeOf(of: Record<string, unknown>, what: string): TimeRange | undefined {
  const from = of[`${what}_from`]
  const to = of[`${what}_to`]
  if (from === undefined && to === undefined) return undefined
  return {
    ...(from !== undefined && { from: instantOf(`${what}_from`, from) }),
    ...(to !== undefined && { to: instantOf(`${what}_to`, to) }),
  }
}
