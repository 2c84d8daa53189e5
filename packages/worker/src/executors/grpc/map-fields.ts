/**
 * Maps in messages. A message that is read from a descriptor has a map as a list of entries, each
 * with `key` and `value`; in JSON a map is an object.
 */

/** A `DescriptorProto`, as far as it is read here. */
export interface MessageShape {
  readonly name: string
  readonly field: readonly FieldShape[]
  readonly nestedType: readonly MessageShape[]
  readonly options?: { readonly mapEntry?: boolean } | null
}

interface FieldShape {
  readonly name: string
  readonly label: string
  readonly type: string
  readonly typeName: string
}

/** Finds a message by the name that a field gives it, from inside another message. */
export type FindShape = (typeName: string) => MessageShape | undefined

type Direction = 'to entries' | 'to objects'

/** Returns the message with its maps in the other form, at any depth. */
export function convertMaps(
  value: unknown,
  shape: MessageShape,
  find: FindShape,
  direction: Direction,
): unknown {
  if (!isObject(value)) return value
  const converted = Object.entries(value).map(([name, member]) => {
    const field = shape.field.find((each) => each.name === name)
    return [name, field ? convertField(member, field, shape, find, direction) : member]
  })
  return Object.fromEntries(converted)
}

function convertField(
  value: unknown,
  field: FieldShape,
  owner: MessageShape,
  find: FindShape,
  direction: Direction,
): unknown {
  if (field.type !== 'TYPE_MESSAGE') return value
  const last = field.typeName.slice(field.typeName.lastIndexOf('.') + 1)
  const shape = owner.nestedType.find(({ name }) => name === last) ?? find(field.typeName)
  if (!shape) return value
  const inner = (each: unknown) => convertMaps(each, shape, find, direction)
  if (field.label !== 'LABEL_REPEATED') return inner(value)
  const isMap = shape.options?.mapEntry === true && shape.field.length === 2
  if (isMap && direction === 'to entries' && isObject(value))
    return Object.entries(value).map(([key, entry]) =>
      inner({ key: keyOf(key, shape), value: entry }),
    )
  if (!Array.isArray(value)) return value
  const items = value.map(inner)
  if (!isMap || direction === 'to entries') return items
  return Object.fromEntries(items.filter(isObject).map((entry) => [String(entry.key), entry.value]))
}

/** The encoder takes any text as true. */
function keyOf(key: string, { field }: MessageShape): string | boolean {
  const isBoolean = field.some(({ name, type }) => name === 'key' && type === 'TYPE_BOOL')
  return isBoolean ? key === 'true' : key
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
