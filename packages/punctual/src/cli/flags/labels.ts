/** Parses flags such as `--label name=value`, each of which may be repeated. */
import { PunctualError } from '@punctual/core/errors'

export function parsePairs(flag: string, pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name, value] = pair.split(/=(.*)/s)
      if (name && value !== undefined) return [name, value]
      const shown = JSON.stringify(pair.slice(0, 80))
      throw new PunctualError('invalid_option', `${flag} must be name=value; got ${shown}.`, {
        field: flag,
      })
    }),
  )
}
