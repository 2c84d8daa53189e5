/** Translates between wire and library: snake_case and camelCase names, ISO strings and Dates. */

/** Fields whose content belongs to users and is passed on unchanged. */
const OPAQUE = new Set(['payload', 'output', 'labels', 'data', 'checkpoint', 'progress', 'target'])

function camel(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, char: string) => char.toUpperCase())
}

export function snake(name: string): string {
  return name.replace(/[A-Z]/g, (char) => `_${char.toLowerCase()}`)
}

/** Fields named `at` or `…_at` hold instants. */
function isInstant(name: string, value: unknown): value is string {
  return typeof value === 'string' && /(^|_)at$/.test(name)
}

export function libraryNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(libraryNames)
  if (typeof value !== 'object' || value === null) return value
  const renamed: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(value)) {
    if (OPAQUE.has(name)) renamed[name] = field
    else renamed[camel(name)] = isInstant(name, field) ? new Date(field) : libraryNames(field)
  }
  return renamed
}

export function wireNames(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return value.map(wireNames)
  if (typeof value !== 'object' || value === null) return value
  const wire: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(value))
    if (field !== undefined) wire[snake(name)] = OPAQUE.has(name) ? field : wireNames(field)
  return wire
}
