/**
 * Checks requests against the schemas of their routes. Bodies are not converted; parameters in a
 * URL are strings, and become the number or boolean that the schema requires. Reports the first
 * fault: the expected value, the received value, and the field.
 */
import type { FastifySchemaCompiler } from 'fastify'
import type { Static, TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { Value } from 'typebox/value'

/** A request that does not match its schema. */
export class InvalidRequest extends Error {
  readonly statusCode = 400
  readonly field: string
  readonly pointer: string

  constructor(message: string, pointer: string) {
    super(message)
    this.pointer = pointer
    this.field = pointer.slice(1).replaceAll('/', '.')
  }
}

const SHOWN_MAX = 80

function shown(value: unknown): string {
  if (value === undefined) return 'nothing'
  const text = JSON.stringify(value) ?? String(value)
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…`.toWellFormed() : text
}

function at(value: unknown, pointer: string): unknown {
  let found = value
  for (const step of pointer.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
    found = typeof found === 'object' && found !== null ? Reflect.get(found, name) : undefined
  }
  return found
}

interface SchemaNode {
  readonly enum?: unknown
  readonly properties?: Readonly<Record<string, SchemaNode>>
  readonly items?: SchemaNode
  readonly anyOf?: readonly SchemaNode[]
}

function schemaAt(schema: TSchema, pointer: string): SchemaNode {
  let found: SchemaNode = schema
  for (const step of pointer.split('/').slice(1)) {
    const nodes: readonly SchemaNode[] = [found, ...(found.anyOf ?? [])]
    found = nodes.map((node) => node.properties?.[step] ?? node.items).find(Boolean) ?? {}
  }
  return found
}

type Fault = ReturnType<Validator['Errors']>[number]

/** The first fault; of a value with several forms, the first inside the value, if there is one. */
function firstOf(faults: readonly Fault[], schema: TSchema): Fault | undefined {
  const plain = faults.filter(({ keyword }) => keyword !== 'boolean' && keyword !== 'anyOf')
  const first = plain[0] ?? faults[0]
  if (!first || !schemaAt(schema, first.instancePath).anyOf) return first
  const inside = `${first.instancePath}/`
  return plain.find(({ instancePath }) => instancePath.startsWith(inside)) ?? first
}

function explain(compiled: Validator, schema: TSchema, value: unknown, part: string) {
  const fault = firstOf(compiled.Errors(value), schema)
  if (!fault) return new InvalidRequest(`${part} is not valid.`, '')
  const { instancePath, keyword, params, message } = fault
  const where = instancePath === '' ? part : instancePath.slice(1).replaceAll('/', '.')
  if (keyword === 'additionalProperties') {
    const [unknown = ''] = params.additionalProperties
    const known = Object.keys(schemaAt(schema, instancePath).properties ?? {})
    const pointer = `${instancePath}/${unknown}`
    const takes = known.length === 0 ? 'none' : known.join(', ')
    return new InvalidRequest(
      `${shown(unknown)} is not a member of ${where}. Members: ${takes}.`,
      pointer,
    )
  }
  if (keyword === 'required') {
    const [missing = ''] = params.requiredProperties
    return new InvalidRequest(`${missing} is missing.`, `${instancePath}/${missing}`)
  }
  const { enum: values } = schemaAt(schema, instancePath)
  const expected = Array.isArray(values) ? `must be one of ${values.join(', ')}` : message
  const received = shown(at(value, instancePath))
  return new InvalidRequest(`${where} ${expected}; got ${received}.`, instancePath)
}

/** Returns a function that returns a value that is valid, or what is wrong with it. */
export function readerOf<Schema extends TSchema>(
  schema: Schema,
  part: string,
): (value: unknown) => Static<Schema> | InvalidRequest {
  const compiled = Compile(schema)
  return (value) => {
    if (compiled.Check(value)) return value
    return explain(compiled, schema, value, part)
  }
}

/** PostgreSQL text cannot contain NUL. */
function nulIn(given: unknown): InvalidRequest | null {
  for (const [name, value] of Object.entries(given ?? {}))
    if (String(value).includes('\0'))
      return new InvalidRequest(`${name} must not contain NUL (U+0000).`, `/${name}`)
  return null
}

export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  const read = readerOf(schema, httpPart ?? 'body')
  const convert = httpPart !== 'body'
  return (given: unknown) => {
    const value = read(convert ? Value.Convert(schema, given) : given)
    if (value instanceof InvalidRequest) return { error: value }
    const error = convert ? nulIn(given) : null
    return error ? { error } : { value }
  }
}
