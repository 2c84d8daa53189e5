/** Quotas in flags: `--quota jobs=100`, `--quota minIntervalMs=1m`, `--quota jobs=none`. */
import { PunctualError } from '@punctual/core/errors'
import type { QuotaChanges, Quotas } from '@punctual/core/identity'
import { parseDuration, showDuration } from './durations.ts'
import { parseInteger } from './integer.ts'

export const QUOTA_FLAG = '--quota <name=value...>'

function quotaValue(flag: string, name: string, text: string): number | string[] | null {
  if (text === 'none') return null
  if (name === 'executors') return text.split(',').filter(Boolean)
  return name.endsWith('Ms') ? parseDuration(flag, text) : parseInteger(flag, text)
}

/** The library checks names and values. */
export function quotasOf(pairs: readonly string[] = []): QuotaChanges {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name, value] = pair.split(/=(.*)/s)
      if (name && value !== undefined) return [name, quotaValue(`--quota ${name}`, name, value)]
      const shown = JSON.stringify(pair.slice(0, 80))
      throw new PunctualError('invalid_option', `--quota must be name=value; got ${shown}.`, {
        field: '--quota',
      })
    }),
  )
}

export function quotasText(quotas: Quotas): string {
  const texts = Object.entries(quotas).map(([name, value]) => {
    const shown = name.endsWith('Ms') ? showDuration(value as number) : String(value)
    return `${name}=${shown}`
  })
  return texts.join(', ') || '-'
}
