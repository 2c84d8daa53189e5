/**
 * Adapts TypeBox, whose types do not implement Standard Schema: Punctual accepts the validator that
 * `Compile` of TypeBox returns as a schema. Punctual recognises a validator by its methods, and so
 * never imports TypeBox.
 */
import type { PayloadSchema } from './payload-schema.ts'

/** The result of `Compile(Type.Object({ … }))` in TypeBox 1. */
export interface CompiledType<Input = unknown, Output = unknown> {
  /**
   * Reports whether the value matches the type. Punctual never calls it, but infers `Input` from
   * it.
   */
  Check(value: unknown): value is Input
  /** Converts the value as the type prescribes; throws when the value does not match. */
  Decode(value: unknown): Output
  /** Returns the errors of a value, each with a JSON pointer to the invalid part. */
  Errors(value: unknown): readonly { readonly instancePath: string; readonly message: string }[]
}

export function isCompiledType(value: unknown): value is CompiledType {
  if (typeof value !== 'object' || value === null) return false
  const { Check, Decode, Errors } = value as Partial<CompiledType>
  return [Check, Decode, Errors].every((method) => typeof method === 'function')
}

export function fromCompiledType(type: CompiledType): PayloadSchema {
  return {
    '~standard': {
      ...{ version: 1, vendor: 'typebox' },
      validate(value) {
        try {
          return { value: type.Decode(value) }
        } catch (error) {
          const issues = type.Errors(value).map(({ instancePath, message }) => ({
            ...{ message, path: pathOf(instancePath) },
          }))
          // Without schema errors, the payload has the right shape, and a codec of the type threw.
          if (issues.length === 0) throw error
          return { issues }
        }
      },
    },
  }
}

/** Splits a JSON pointer such as `/items/2/price` into its keys. */
function pathOf(pointer: string): readonly PropertyKey[] {
  const parts = pointer.split('/').slice(1)
  return parts.map((part) =>
    /^\d+$/.test(part) ? Number(part) : part.replaceAll('~1', '/').replaceAll('~0', '~'),
  )
}
