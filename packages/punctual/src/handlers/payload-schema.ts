/**
 * What a payload must be, said by a schema of any library that follows Standard Schema (zod, valibot, arktype and
 * others). A payload is checked where it is submitted, so that the caller hears of it, and again before the handler is
 * called: it may come from another process, or from a version of long ago. What is stored is what was submitted; what
 * the schema makes of it (defaults, other types) is what the handler gets.
 */
import { NonRetryableError, PunctualError } from '@punctual/core/errors'
import type { HandlerFunction } from '@punctual/worker'

/**
 * A schema of any library that follows Standard Schema (zod, valibot, arktype and others), as https://standardschema.dev
 * defines it.
 */
export interface PayloadSchema<Input = unknown, Output = Input> {
  /** What the standard asks for. */
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
  }
}

/** What a schema makes of a payload: the value to use, or what is wrong with it. */
export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] }

/** Something that a schema finds wrong. */
export interface SchemaIssue {
  /** What is wrong, for people. */
  readonly message: string
  /** Where in the payload. */
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

const ISSUES_SHOWN = 5

export function isPayloadSchema(value: unknown): value is PayloadSchema {
  // Those of arktype are functions.
  const holds = (typeof value === 'object' && value !== null) || typeof value === 'function'
  const standard = holds ? (value as Partial<PayloadSchema>)['~standard'] : undefined
  return standard?.version === 1 && typeof standard.validate === 'function'
}

/** What the schema makes of the payload; rejects with `invalid_payload`, which names each place. */
export async function readPayload(schema: PayloadSchema, payload: unknown): Promise<unknown> {
  const result = await schema['~standard'].validate(payload)
  if (!result.issues) return result.value
  const places = result.issues.map(placeOf)
  const said = result.issues
    .slice(0, ISSUES_SHOWN)
    .map(({ message }, i) => `${places[i]}: ${message}`)
  const more = result.issues.length - said.length
  throw new PunctualError(
    'invalid_payload',
    `The payload is not what the handler's schema wants: ${said.join('; ')}${more > 0 ? `; and ${more} more` : ''}.`,
    { field: places[0] ?? 'payload' },
  )
}

/** As one would write it: `payload.items[2].price`. */
function placeOf({ path = [] }: SchemaIssue): string {
  return path.reduce<string>((place, part) => {
    const key = typeof part === 'object' ? part.key : part
    return typeof key === 'number' ? `${place}[${key}]` : `${place}.${String(key)}`
  }, 'payload')
}

/** A handler that is called with what the schema makes of the payload. What it refuses, no other attempt can mend. */
export function behindSchema(
  schema: PayloadSchema,
  run: HandlerFunction<unknown>,
): HandlerFunction {
  return async (payload, context) => {
    const read = await readPayload(schema, payload).catch((error: unknown) => {
      if (!(error instanceof PunctualError)) throw error
      throw new NonRetryableError(error.message, { cause: error })
    })
    return run(read, context)
  }
}
