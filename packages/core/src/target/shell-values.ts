/** Exit codes, and the environment variables that a command gets from Punctual. */
import { checkText } from '../check/check-value.ts'
import { refuseOption } from '../check/refuse-option.ts'
import { checkedBy } from '../option/kinds.ts'
import type { Kind } from '../option/option.ts'

/** They say which attempt a process belongs to: a target must not say otherwise. */
const RESERVED: ReadonlySet<string> = new Set([
  ...['RUN_ID', 'ATTEMPT', 'FENCE', 'IDEMPOTENCY_KEY', 'SLOT', 'JOB_ID', 'PUNCTUAL_COMMAND'],
])

export function isReservedVariable(name: string): boolean {
  return RESERVED.has(name)
}

const RANGE = /^(\d{1,3})(?:-(\d{1,3}))?$/

/** Exit codes and ranges, such as `2,64-78`. */
export const exitCodes: Kind<string> = checkedBy({ type: 'text', max: 256 }, (field, value) => {
  const given = checkText(field, value, 256)
  if (!exitCodeRanges(given)) refuseOption(field, 'exit codes and ranges such as 2,64-78', value)
  return given
})

/** The ranges of a list of exit codes; null when it cannot be parsed. */
export function exitCodeRanges(text: string): readonly (readonly [number, number])[] | null {
  const ranges: [number, number][] = []
  for (const range of text.split(',')) {
    const [, first, last = first] = RANGE.exec(range.trim()) ?? []
    if (first === undefined || Number(last) < Number(first) || Number(last) > 255) return null
    ranges.push([Number(first), Number(last)])
  }
  return ranges
}
