/**
 * Checks requests against the schemas of their routes. Bodies are not converted; parameters in a
 * URL are strings, and become the number or boolean that the schema requires. Reports the first
 * fault: the expected value, the received value, and the field.
 */
import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { Value } from 'typebox/value'

interface Fault {
  readonly keyword: string
  readonly instancePath: string
  readonly message: string
  readonly params: Record<string, unknown>
}

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
  for (const step of pointer.split('/').slice(1))
    found = (found as Record<string, unknown> | null | undefined)?.[
      step.replaceAll('~1', '/').replaceAll('~0', '~')
    ]
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

/** The first fault; of a value with several forms, the first inside the value, if there is one. */
function firstOf(faults: readonly Fault[], schema: TSchema): Fault {
  const plain = faults.filter(({ keyword }) => keyword !== 'boolean' && keyword !== 'anyOf')
  const first = plain[0] ?? (faults[0] as Fault)
  if (!schemaAt(schema, first.instancePath).anyOf) return first
  const inside = `${first.instancePath}/`
  return plain.find(({ instancePath }) => instancePath.startsWith(inside)) ?? first
}

function explain(faults: readonly Fault[], schema: TSchema, value: unknown, part: string) {
  const fault = firstOf(faults, schema)
  const { instancePath, keyword, params, message } = fault
  const where = instancePath === '' ? part : instancePath.slice(1).replaceAll('/', '.')
  if (keyword === 'additionalProperties') {
    const [unknown = ''] = (params.additionalProperties ?? []) as string[]
    const known = Object.keys(schemaAt(schema, instancePath).properties ?? {})
    const pointer = `${instancePath}/${unknown}`
    const takes = known.length === 0 ? 'none' : known.join(', ')
    return new InvalidRequest(
      `${shown(unknown)} is not a member of ${where}. Members: ${takes}.`,
      pointer,
    )
  }
  if (keyword === 'required') {
    const [missing = ''] = (params.requiredProperties ?? []) as string[]
    return new InvalidRequest(`${missing} is missing.`, `${instancePath}/${missing}`)
  }
  const { enum: values } = schemaAt(schema, instancePath)
  const expected = Array.isArray(values) ? `must be one of ${values.join(', ')}` : message
  const received = shown(at(value, instancePath))
  return new InvalidRequest(`${where} ${expected}; got ${received}.`, instancePath)
}

/** Returns what is wrong with a value; null when it is valid. */
export type Check = (value: unknown) => InvalidRequest | null

export function checker(schema: TSchema, part: string): Check {
  const compiled = Compile(schema)
  return (value) => {
    if (compiled.Check(value)) return null
    return explain(compiled.Errors(value) as unknown as readonly Fault[], schema, value, part)
  }
}

/** PostgreSQL text cannot contain NUL. */
function nulIn(given: unknown): InvalidRequest | null {
  for (const [name, value] of Object.entries((given ?? {}) as Record<string, unknown>))
    if (String(value).includes('\0'))
      return new InvalidRequest(`${name} must not contain NUL (U+0000).`, `/${name}`)
  return null
}

export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  const check = checker(schema, httpPart ?? 'body')
  const convert = httpPart !== 'body'
  return (given: unknown) => {
    const value = convert ? Value.Convert(schema, given) : given
    const error = check(value) ?? (convert ? nulIn(given) : null)
    return error ? { error } : { value }
  }
}
