/** Parses the rate of a flag: a number per unit of time. */
import { PunctualError } from '@punctual/core/errors'
import type { RateOptions } from '@punctual/core/flow'

export function parseRate(text: string): RateOptions {
  const [, limit, per] = /^(\d+)\/(second|minute|hour|day)$/.exec(text) ?? []
  if (limit !== undefined) return { limit: Number(limit), per: per as 'second' }
  const shown = JSON.stringify(text.slice(0, 80))
  throw new PunctualError(
    'invalid_option',
    `--rate must look like 500/second, 100/minute, 10/hour or 1/day; got ${shown}.`,
    { field: '--rate' },
  )
}
