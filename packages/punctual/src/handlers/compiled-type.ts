/**
 * Types of TypeBox, which has no Standard Schema of its own: a validator, which its `Compile` makes of a type, is taken
 * for one. It is known by its shape, so that nothing of TypeBox is imported here.
 */
import type { PayloadSchema } from './payload-schema.ts'

/** What `Compile(Type.Object({ … }))` of TypeBox 1 returns. */
export interface CompiledType<Input = unknown, Output = unknown> {
  /** Whether the value is of the type; only its type is used here. */
  Check(value: unknown): value is Input
  /** What the type makes of the value; throws where it refuses it. */
  Decode(value: unknown): Output
  /** What is wrong with the value, each with its place as a JSON pointer. */
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
          // A type that finds nothing wrong has a codec that throws: that is not about the payload's shape.
          if (issues.length === 0) throw error
          return { issues }
        }
      },
    },
  }
}

/** A JSON pointer, such as `/items/2/price`, by its parts. */
function pathOf(pointer: string): readonly PropertyKey[] {
  const parts = pointer.split('/').slice(1)
  return parts.map((part) =>
    /^\d+$/.test(part) ? Number(part) : part.replaceAll('~1', '/').replaceAll('~0', '~'),
  )
}
