/** Valid and invalid requests of the operations of the OpenAPI document, for fast-check. */
import fc from 'fast-check'
import { fitting, type Operation, type Request, type Schema } from './http-operations.ts'

const LONGEST_TEXT = 300
const MOST_ITEMS = 4
/** Long polls would make the test wait. */
const WAIT_MS_MAX = 20
const INTEGER_MAX = 2_147_483_647

/** Bounds of the document that `fitting` does not need. */
interface Bounded extends Schema {
  readonly maxLength?: number
  readonly maximum?: number
  readonly maxItems?: number
  readonly additionalProperties?: boolean | Schema
}

/** Texts of forms that the schema does not describe. */
const FORMS = [
  ...['@daily', '0 9 * * 1', '5 m', 'PT1H', 'UTC', 'Europe/Berlin', 'default', 'doomed'],
  ...['2030-01-01T00:00:00Z', '2031-02-03', 'every 10 minutes', 'queued', 'nobody-home'],
]

/** The values of a schema; texts are often names and ids that exist. */
function valuesOf(schema: Bounded, ids: () => readonly string[], name = ''): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((part) => valuesOf(part, ids, name)))
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? ['any'])
  const ofTypes = fc.oneof(...types.map((type) => valuesOfType(type, schema, ids, name)))
  return schema.examples ? fc.oneof(fc.constantFrom(...schema.examples), ofTypes) : ofTypes
}

function valuesOfType(
  type: string,
  schema: Bounded,
  ids: () => readonly string[],
  name: string,
): fc.Arbitrary<unknown> {
  if (type === 'object') return objectsOf(schema, ids)
  if (type === 'array') {
    const { minItems = 0, maxItems = MOST_ITEMS } = schema
    const maxLength = Math.max(minItems, Math.min(maxItems, MOST_ITEMS))
    return fc.array(valuesOf(schema.items ?? {}, ids, name), { minLength: minItems, maxLength })
  }
  if (type === 'integer' || type === 'number') return numbersOf(type, schema, name)
  if (type === 'boolean') return fc.boolean()
  if (type === 'null') return fc.constant(null)
  return type === 'string' ? textsOf(schema, ids) : fc.jsonValue({ maxDepth: 2 })
}

function numbersOf(type: string, schema: Bounded, name: string): fc.Arbitrary<number> {
  const min = Math.ceil(schema.minimum ?? (schema.exclusiveMinimum ?? -1) + 1)
  const top = /wait/.test(name) ? WAIT_MS_MAX : (schema.maximum ?? INTEGER_MAX)
  const integers = fc.integer({ min, max: Math.max(min, Math.min(top, INTEGER_MAX)) })
  return type === 'integer' ? integers : fc.oneof(integers, fc.constant(min + 0.5))
}

function textsOf(schema: Bounded, ids: () => readonly string[]): fc.Arbitrary<string> {
  const { minLength = 0, maxLength = LONGEST_TEXT, pattern } = schema
  const free = fc.string({
    ...{ minLength, maxLength: Math.max(minLength, Math.min(maxLength, LONGEST_TEXT)) },
    unit: 'binary',
  })
  const existing = fc.nat().map((n) => ids()[n % ids().length] ?? '')
  const plain = [
    fc.constantFrom(...FORMS),
    existing,
    existing,
    fc.constant(String(fitting(schema))),
  ]
  return pattern === undefined
    ? fc.oneof(free, ...plain)
    : fc.oneof(fc.stringMatching(new RegExp(pattern, 'u')), ...plain)
}

function objectsOf(schema: Bounded, ids: () => readonly string[]): fc.Arbitrary<unknown> {
  const { properties = {}, required = [], additionalProperties } = schema
  const names = Object.keys(properties)
  if (names.length === 0)
    return typeof additionalProperties === 'object'
      ? fc.dictionary(fc.string({ maxLength: 10 }), valuesOf(additionalProperties, ids), {
          maxKeys: 3,
        })
      : fc.object({ maxDepth: 1, maxKeys: 3 })
  const members = names.map((name) => {
    const values = valuesOf(properties[name] as Schema, ids, name)
    // Most members are left out: a request with all of them is refused for one of them.
    const absent = fc.constant(undefined)
    return required.includes(name)
      ? values
      : fc.oneof({ arbitrary: absent, weight: 4 }, { arbitrary: values, weight: 1 })
  })
  return fc.tuple(...members).map((values) => {
    const present = names.map((name, i) => [name, values[i]] as const)
    return Object.fromEntries(present.filter(([, value]) => value !== undefined))
  })
}

/** A change that makes a valid body invalid, most of the time. */
const spoilt = fc.record({ at: fc.nat(), value: fc.jsonValue({ maxDepth: 3 }), how: fc.nat(3) })

function spoil(body: unknown, { at, value, how }: { at: number; value: unknown; how: number }) {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return value
  const names = Object.keys(body)
  const name = names[at % Math.max(1, names.length)] ?? 'unknown'
  const { [name]: _, ...rest } = body as Record<string, unknown>
  if (how === 0) return rest
  if (how === 1) return { ...body, [name]: value }
  return how === 2 ? { ...body, unknown_member: value } : value
}

/** Requests of an operation: two of three are valid by the document. */
export function requestsOf(
  operation: Operation,
  ids: () => readonly string[],
): fc.Arbitrary<Request> {
  const parameters = (kind: Operation['params']) =>
    fc
      .tuple(...kind.map(({ name, schema }) => valuesOf(schema, ids, name)))
      .map((values) => Object.fromEntries(kind.map(({ name }, i) => [name, asText(values[i])])))
  const query = fc
    .tuple(parameters(operation.query), fc.array(fc.nat(), { maxLength: 2 }))
    .map(([all, picks]) => pick(all, picks))
  const body = operation.body === null ? fc.constant(undefined) : bodiesOf(operation.body, ids)
  return fc
    .record({ params: parameters(operation.params), query, body })
    .map(({ params, query, body }) => ({ params, query, ...(body !== undefined && { body }) }))
}

function bodiesOf(schema: Schema, ids: () => readonly string[]): fc.Arbitrary<unknown> {
  const valid = valuesOf(schema, ids)
  return fc.oneof(
    { arbitrary: valid, weight: 2 },
    { arbitrary: fc.tuple(valid, spoilt).map(([body, how]) => spoil(body, how)), weight: 1 },
  )
}

function pick(all: Record<string, string>, picks: readonly number[]): Record<string, string> {
  const names = Object.keys(all)
  const picked = new Set(picks.map((n) => names[n % Math.max(1, names.length)]))
  return Object.fromEntries(Object.entries(all).filter(([name]) => picked.has(name)))
}

function asText(value: unknown): string {
  const text = Array.isArray(value) ? value.join(',') : String(value)
  // An empty part of a path is another path, and a lone surrogate has no encoding.
  return text.toWellFormed() || 'x'
}
