/** The building blocks of all route schemas. */
import { limits, PunctualError } from '@punctual/core/errors'
import Type, {
  type Static,
  type TObject,
  type TObjectOptions,
  type TProperties,
  type TSchema,
} from 'typebox'

/** An object with these members and no others: a misspelled name is refused. */
export function exactly<T extends TProperties>(
  properties: T,
  options: TObjectOptions = {},
): TObject<T> {
  return Type.Object(properties, { additionalProperties: false, ...options })
}

/** The members of an answer; later versions may add some. */
export function answer<T extends TProperties>(
  properties: T,
  options: TObjectOptions = {},
): TObject<T> {
  return Type.Object(properties, options)
}

export function oneOf<const T extends readonly string[]>(values: T, options: object = {}) {
  return Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...options })
}

/** The schema, or null. */
export function nullable<T extends TSchema>(schema: T) {
  const { type } = schema as { type?: string }
  const plain = { ...schema, type: [type, 'null'] }
  return Type.Unsafe<Static<T> | null>(
    type === undefined ? { anyOf: [schema, { type: 'null' }] } : plain,
  )
}

export const whole = (minimum: number, maximum: number, description: string) =>
  Type.Integer({ minimum, maximum, description })

export const text = (maxLength: number, options: object = {}) =>
  Type.String({ minLength: 1, maxLength, ...options })

export const name = text(limits.nameLength, { examples: ['send_report'] })

export const instant = Type.String({
  description: 'An instant: ISO 8601 with Z or an offset.',
  examples: ['2026-01-01T09:00:00Z'],
  maxLength: 64,
})

export const labels = Type.Record(Type.String(), Type.String(), {
  description: `Up to ${limits.labelsPerRun} names and values.`,
})

/** Reads `name:value` as a label to filter by. */
export function labelOf(label: string): Record<string, string> {
  const [, name, value] = /^([^:]+):(.*)$/s.exec(label) ?? []
  if (name !== undefined && value !== undefined) return { [name]: value }
  throw new PunctualError('invalid_option', `label must be name:value; got ${label}.`, {
    field: 'label',
  })
}

/** Any JSON value. */
export const anyJson = (description: string) => Type.Unknown({ description })

export const idParam = exactly({ id: text(256, { description: 'The id or the name.' }) })

export const pageQuery = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000, default: 100 })),
  cursor: Type.Optional(
    Type.String({ maxLength: 1_024, description: '`next_cursor` of the previous page.' }),
  ),
}

/** The problem document of every error (RFC 9457). */
export const problemSchema = answer({
  type: Type.String(),
  title: Type.String(),
  status: Type.Integer(),
  detail: Type.String(),
  code: Type.String({ description: 'Stable: programs may compare it.' }),
  request_id: Type.String(),
  field: Type.Optional(Type.String({ description: 'The field or parameter that is wrong.' })),
  pointer: Type.Optional(
    Type.String({ description: 'The field as a JSON pointer into the body.' }),
  ),
  reason: Type.Optional(Type.String()),
  quota: Type.Optional(
    Type.Object(
      { name: Type.String(), limit: Type.Number(), used: Type.Number() },
      { description: 'The exhausted quota, its limit, and the use that the request would cause.' },
    ),
  ),
})

/** The answer of every operation that fails. */
export const problemAnswer = {
  description: 'A problem (RFC 9457).',
  content: { 'application/problem+json': { schema: problemSchema } },
}
