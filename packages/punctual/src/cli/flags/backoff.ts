/** Parses the backoff of a retry policy. */
import { PunctualError } from '@punctual/core/errors'
import type { BackoffInput } from '@punctual/core/run'
import { parseDuration } from './durations.ts'

/**
 * `exponential:1s..1h` starts at 1 s and doubles up to an hour. Omitted parts take their defaults.
 */
export function parseBackoff(flag: string, text: string): BackoffInput {
  const [kind, rest] = text.split(/:(.*)/s) as [string, string | undefined]
  const delay = (delayText: string) => parseDuration(flag, delayText)
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
    `${flag} must look like exponential:1s..1h, linear:1m..1h, fixed:10s or list:1s,10s,1m; got ${JSON.stringify(text.slice(0, 80))}.`,
    { field: flag },
  )
}
