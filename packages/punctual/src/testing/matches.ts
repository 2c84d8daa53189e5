/**
 * Whether a value matches a pattern: objects may have additional fields; lists must have the same
 * length.
 */
import { isDeepStrictEqual } from 'node:util'

interface Asymmetric {
  asymmetricMatch(value: unknown): boolean
}

/**
 * Recognises matchers of vitest, Jest and compatible runners, such as
 * `expect.stringContaining('x')`.
 */
function isAsymmetric(pattern: object): pattern is Asymmetric {
  return typeof (pattern as Partial<Asymmetric>).asymmetricMatch === 'function'
}

export function matches(pattern: unknown, value: unknown): boolean {
  if (typeof pattern !== 'object' || pattern === null) return isDeepStrictEqual(pattern, value)
  if (isAsymmetric(pattern)) return pattern.asymmetricMatch(value)
  if (pattern instanceof RegExp) return typeof value === 'string' && pattern.test(value)
  if (pattern instanceof Date) return isDeepStrictEqual(pattern, value)
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(pattern) !== Array.isArray(value)) return false
  if (Array.isArray(pattern) && pattern.length !== (value as unknown[]).length) return false
  return Object.entries(pattern).every(([name, part]) =>
    matches(part, (value as Readonly<Record<string, unknown>>)[name]),
  )
}
