/** The schema of a handler as users pass it: a Standard Schema, or a compiled TypeBox type. */
import { refuseOption } from '@punctual/core/check'
import { type CompiledType, fromCompiledType, isCompiledType } from './compiled-type.ts'
import { isPayloadSchema, type PayloadSchema } from './payload-schema.ts'

/**
 * A handler's schema: a Standard Schema (zod, valibot, arktype and others), or a compiled TypeBox
 * type.
 */
export type GivenSchema = PayloadSchema | CompiledType

/** The payload type that callers submit: the schema's input. */
export type InputOf<Schema extends GivenSchema> = Schema extends PayloadSchema
  ? NonNullable<Schema['~standard']['types']>['input']
  : Schema extends CompiledType<infer Input>
    ? Input
    : never

/** The payload type that the handler receives: the schema's output. */
export type OutputOf<Schema extends GivenSchema> = Schema extends PayloadSchema
  ? NonNullable<Schema['~standard']['types']>['output']
  : Schema extends CompiledType<unknown, infer Output>
    ? Output
    : never

const EXPECTED =
  'a Standard Schema, such as one of zod, valibot or arktype, or a TypeBox type after Compile(type)'

/** Refuses a value that is not a schema. */
export function asPayloadSchema(given: unknown): PayloadSchema {
  if (isPayloadSchema(given)) return given
  return isCompiledType(given) ? fromCompiledType(given) : refuseOption('schema', EXPECTED, given)
}
