/**
 * The wire format: snake_case, times as ISO 8601, large numbers as strings. User data (payloads,
 * outputs, labels) is passed on unchanged, and so is a target, whose members `targetToWire` renames.
 */

const opaque = [
  ...(['payload', 'output', 'labels', 'data'] as const),
  ...(['checkpoint', 'progress', 'before', 'after', 'target'] as const),
]
type Opaque = (typeof opaque)[number]
const OPAQUE: ReadonlySet<string> = new Set(opaque)
/** A target has members of ours, and names of the user in some of them. */
const OPAQUE_STEPS: ReadonlySet<string> = new Set([
  ...opaque.filter((name) => name !== 'target'),
  ...['headers', 'env', 'body'],
])

type SnakeName<Name> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeName<Rest>}`
  : Name

type CamelName<Name> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelName<Rest> & string>}`
  : Name

/** A value of the library in wire format. */
export type Wire<T> = T extends Date | bigint
  ? string
  : T extends readonly (infer Item)[]
    ? Wire<Item>[]
    : T extends object
      ? {
          -readonly [Name in keyof T as SnakeName<Name>]: Name extends Opaque
            ? T[Name]
            : Wire<T[Name]>
        }
      : T

/** The options of the library that a value in wire format stands for. */
export type Options<T> = T extends readonly (infer Item)[]
  ? Options<Item>[]
  : T extends object
    ? { [Name in keyof T as CamelName<Name>]: Name extends Opaque ? T[Name] : Options<T[Name]> }
    : T

const names = new Map<string, string>()

export function snakeName(name: string): string {
  let snake = names.get(name)
  if (snake === undefined) {
    snake = name.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`)
    names.set(name, snake)
  }
  return snake
}

/** The steps of a field such as `[3].retry.backoff.baseMs`, in the names of the wire. */
export function wireSteps(field: string): readonly string[] {
  // The name of a label may contain any character.
  const [, before = field, label] = /^(?:(.*?)\.)?labels\.(.+)$/.exec(field) ?? []
  if (label !== undefined) return [...wireSteps(before === field ? '' : before), 'labels', label]
  let isOurs = true
  return before.split(/[.[\]]+/).flatMap((step) => {
    if (step === '') return []
    const named = isOurs ? snakeName(step) : step
    isOurs &&= !OPAQUE_STEPS.has(step)
    return [named]
  })
}

function camelName(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, initial: string) => initial.toUpperCase())
}

/** A value of the library in wire format; members that are undefined are left out. */
export function toWire<T>(value: T): Wire<T>
export function toWire(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString()
  if (typeof value === 'bigint') return value.toString()
  if (Array.isArray(value)) return value.map((item) => toWire(item))
  if (typeof value !== 'object' || value === null) return value
  const wire: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue
    wire[snakeName(name)] = OPAQUE.has(name) ? member : toWire(member)
  }
  return wire
}

/** The options of the library that a value in wire format stands for. */
export function fromWire<T>(value: T): Options<T>
export function fromWire(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => fromWire(item))
  if (typeof value !== 'object' || value === null) return value
  const ours: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(value)) {
    const camel = camelName(name)
    ours[camel] = OPAQUE.has(camel) ? member : fromWire(member)
  }
  return ours
}
