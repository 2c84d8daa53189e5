/** The words that the schemas of all routes are made of. */
import { limits, PunctualError } from '@punctual/core/errors'
import Type, {
  type Static,
  type TObject,
  type TObjectOptions,
  type TProperties,
  type TSchema,
} from 'typebox'

/** An object with these members and no others: a name that is spelled wrong is heard of. */
export function exactly<T extends TProperties>(
  properties: T,
  options: TObjectOptions = {},
): TObject<T> {
  return Type.Object(properties, { additionalProperties: false, ...options })
}

/** What an answer has; members may be added in later versions. */
export function answer<T extends TProperties>(
  properties: T,
  options: TObjectOptions = {},
): TObject<T> {
  return Type.Object(properties, options)
}

export function oneOf<const T extends readonly string[]>(values: T, options: object = {}) {
  return Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...options })
}

/** The same, or null. */
export function nullable<T extends TSchema>(schema: T) {
  const { type } = schema as { type?: string }
  const plain = { ...schema, type: [type, 'null'] }
  return Type.Unsafe<Static<T> | null>(
    type === undefined ? { anyOf: [schema, { type: 'null' }] } : plain,
  )
}

export const text = (maxLength: number, options: object = {}) =>
  Type.String({ minLength: 1, maxLength, ...options })

export const name = text(limits.nameLength, { examples: ['send_report'] })

export const moment = Type.String({
  description: 'An instant: ISO 8601 with Z or an offset.',
  examples: ['2026-01-01T09:00:00Z'],
  maxLength: 64,
})

export const labels = Type.Record(Type.String(), Type.String(), {
  description: `Up to ${limits.labelsPerRun} names and values.`,
})

/** `name:value` as labels that are looked for. */
export function labelOf(label: string): Record<string, string> {
  const [, name, value] = /^([^:]+):(.*)$/s.exec(label) ?? []
  if (name !== undefined && value !== undefined) return { [name]: value }
  throw new PunctualError('invalid_option', `label must be name:value; got ${label}.`, {
    field: 'label',
  })
}

/** Anything that JSON can hold. */
export const anyJson = (description: string) => Type.Unknown({ description })

export const idParam = exactly({ id: text(256, { description: 'Its id, or its name.' }) })

export const pageQuery = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000, default: 100 })),
  cursor: Type.Optional(
    Type.String({ maxLength: 1_024, description: '`next_cursor` of the page before.' }),
  ),
}

/** The problem that every error is (RFC 9457). */
export const problemSchema = answer({
  type: Type.String(),
  title: Type.String(),
  status: Type.Integer(),
  detail: Type.String(),
  code: Type.String({ description: 'Stable: programs may compare it.' }),
  request_id: Type.String(),
  field: Type.Optional(Type.String({ description: 'The field or parameter that is wrong.' })),
  pointer: Type.Optional(Type.String({ description: 'The same as a JSON pointer into the body.' })),
  reason: Type.Optional(Type.String()),
  quota: Type.Optional(
    Type.Object(
      { name: Type.String(), limit: Type.Number(), used: Type.Number() },
      { description: 'The quota that leaves no room, its limit, and what its use would be.' },
    ),
  ),
})

/** What every operation answers when it does not succeed. */
export const problemAnswer = {
  description: 'A problem (RFC 9457).',
  content: { 'application/problem+json': { schema: problemSchema } },
}
