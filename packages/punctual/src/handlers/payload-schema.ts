/**
 * Validates payloads with a schema of any library that implements Standard Schema (zod, valibot,
 * arktype and others). A payload is checked at submission, so that the caller gets the error, and
 * again before the handler is called: it may come from another process or from an old version. The
 * store keeps the payload as submitted; the handler receives the schema's output (defaults applied,
 * types converted).
 */
import { NonRetryableError, PunctualError } from '@punctual/core/errors'
import type { HandlerFunction } from '@punctual/worker'

/**
 * A schema of any library that implements Standard Schema (zod, valibot, arktype and others); see
 * https://standardschema.dev.
 */
export interface PayloadSchema<Input = unknown, Output = Input> {
  /** The interface that the standard defines. */
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
  }
}

/** The result of validating a payload: the value to use, or the issues found. */
export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] }

/** One issue that a schema found. */
export interface SchemaIssue {
  /** A description of the error, for a human reader. */
  readonly message: string
  /** Path to the value inside the payload; empty or absent for the payload itself. */
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

const ISSUES_SHOWN = 5

export function isPayloadSchema(value: unknown): value is PayloadSchema {
  // Schemas of arktype are functions.
  const canHold = (typeof value === 'object' && value !== null) || typeof value === 'function'
  const standard = canHold ? (value as Partial<PayloadSchema>)['~standard'] : undefined
  return standard?.version === 1 && typeof standard.validate === 'function'
}

/**
 * Returns the schema's output for the payload; rejects with `invalid_payload`, which names each
 * place.
 */
export async function readPayload(schema: PayloadSchema, payload: unknown): Promise<unknown> {
  const result = await schema['~standard'].validate(payload)
  if (!result.issues) return result.value
  const places = result.issues.map(placeOf)
  const shown = result.issues
    .slice(0, ISSUES_SHOWN)
    .map(({ message }, i) => `${places[i]}: ${message}`)
  const more = result.issues.length - shown.length
  throw new PunctualError(
    'invalid_payload',
    `The payload does not match the schema of the handler: ${shown.join('; ')}${more > 0 ? `; and ${more} more` : ''}.`,
    { field: places[0] ?? 'payload' },
  )
}

/** The path in JavaScript notation: `payload.items[2].price`. */
function placeOf({ path = [] }: SchemaIssue): string {
  return path.reduce<string>((place, part) => {
    const key = typeof part === 'object' ? part.key : part
    return typeof key === 'number' ? `${place}[${key}]` : `${place}.${String(key)}`
  }, 'payload')
}

/**
 * Calls the handler with the schema's output. A refused payload is not retried: no other attempt
 * can fix it.
 */
export function behindSchema(
  schema: PayloadSchema,
  run: HandlerFunction<unknown>,
): HandlerFunction {
  return async (payload, context) => {
    const output = await readPayload(schema, payload).catch((error: unknown) => {
      if (!(error instanceof PunctualError)) throw error
      throw new NonRetryableError(error.message, { cause: error })
    })
    return run(output, context)
  }
}
