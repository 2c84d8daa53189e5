/**
 * The wire is snake_case, with times as ISO 8601 and large numbers as text. What belongs to users (payloads, outputs,
 * labels) is passed on as it is.
 */

const OPAQUE = new Set([
  ...['payload', 'output', 'labels', 'data', 'checkpoint', 'progress', 'before', 'after'],
])

const names = new Map<string, string>()

export function snakeName(name: string): string {
  let snake = names.get(name)
  if (snake === undefined) {
    snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    names.set(name, snake)
  }
  return snake
}

/** The steps of a field such as `[3].retry.backoff.baseMs`, in the names of the wire. */
export function wireSteps(field: string): readonly string[] {
  // The name of a label may have any character.
  const [, before = field, label] = /^(?:(.*?)\.)?labels\.(.+)$/.exec(field) ?? []
  if (label !== undefined) return [...wireSteps(before === field ? '' : before), 'labels', label]
  let isOurs = true
  return before.split(/[.[\]]+/).flatMap((step) => {
    if (step === '') return []
    const named = isOurs ? snakeName(step) : step
    isOurs &&= !OPAQUE.has(step)
    return [named]
  })
}

function camelName(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

/** A value of ours as the wire has it. */
export function toWire(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString()
  if (typeof value === 'bigint') return value.toString()
  if (Array.isArray(value)) return value.map(toWire)
  if (typeof value !== 'object' || value === null) return value
  const wire: Record<string, unknown> = {}
  for (const [name, of] of Object.entries(value)) {
    if (of === undefined) continue
    wire[snakeName(name)] = OPAQUE.has(name) ? of : toWire(of)
  }
  return wire
}

/** The options of ours that the wire stands for. */
export function fromWire(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fromWire)
  if (typeof value !== 'object' || value === null) return value
  const ours: Record<string, unknown> = {}
  for (const [name, of] of Object.entries(value)) {
    const camel = camelName(name)
    ours[camel] = OPAQUE.has(camel) ? of : fromWire(of)
  }
  return ours
}
