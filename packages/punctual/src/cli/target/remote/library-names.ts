/** The names of the wire as those of the library, and the other way round: snake_case and camelCase, texts and dates. */

/** What belongs to users is passed on as it is. */
const OPAQUE = new Set(['payload', 'output', 'labels', 'data', 'checkpoint', 'progress'])

function camel(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** What is `at` something is a moment. */
function isMoment(name: string, value: unknown): value is string {
  return typeof value === 'string' && /(^|_)at$/.test(name)
}

export function libraryNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(libraryNames)
  if (typeof value !== 'object' || value === null) return value
  const ours: Record<string, unknown> = {}
  for (const [name, of] of Object.entries(value)) {
    if (OPAQUE.has(name)) ours[name] = of
    else ours[camel(name)] = isMoment(name, of) ? new Date(of) : libraryNames(of)
  }
  return ours
}

export function wireNames(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return value.map(wireNames)
  if (typeof value !== 'object' || value === null) return value
  const wire: Record<string, unknown> = {}
  for (const [name, of] of Object.entries(value))
    if (of !== undefined) wire[snake(name)] = OPAQUE.has(name) ? of : wireNames(of)
  return wire
}
