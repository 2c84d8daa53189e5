/**
 * `<name>_from` and `<name>_to` as a range. Instants are read here, so that errors name the
 * members.
 */
import { instantOf } from '@punctual/core/check'
import type { TimeRange } from '@punctual/core/run'

export function rangeOf(given: Record<string, unknown>, name: string): TimeRange | undefined {
  const from = given[`${name}_from`]
  const to = given[`${name}_to`]
  if (from === undefined && to === undefined) return undefined
  return {
    ...(from !== undefined && { from: instantOf(`${name}_from`, from) }),
    ...(to !== undefined && { to: instantOf(`${name}_to`, to) }),
  }
}
