/** The schema of a handler as users give it: a Standard Schema, or what TypeBox has in its place. */
import { refuseOption } from '@punctual/core/check'
import { type CompiledType, fromCompiledType, isCompiledType } from './compiled-type.ts'
import { isPayloadSchema, type PayloadSchema } from './payload-schema.ts'

/** What may be given as the schema of a handler. */
export type GivenSchema = PayloadSchema | CompiledType

/** What may be submitted. */
export type InputOf<Schema extends GivenSchema> = Schema extends PayloadSchema
  ? NonNullable<Schema['~standard']['types']>['input']
  : Schema extends CompiledType<infer Input>
    ? Input
    : never

/** What the handler is called with. */
export type OutputOf<Schema extends GivenSchema> = Schema extends PayloadSchema
  ? NonNullable<Schema['~standard']['types']>['output']
  : Schema extends CompiledType<unknown, infer Output>
    ? Output
    : never

const EXPECTED =
  'a Standard Schema, such as one of zod, valibot or arktype, or a type of TypeBox after Compile(type)'

/** Refuses what is no schema. */
export function asPayloadSchema(given: unknown): PayloadSchema {
  if (isPayloadSchema(given)) return given
  return isCompiledType(given) ? fromCompiledType(given) : refuseOption('schema', EXPECTED, given)
}
