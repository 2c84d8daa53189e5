/** The schemas of the members of a request, derived from the tables of options. */
import { limits } from '@punctual/core/errors'
import { type Form, type Option, type OptionTable, wireNamesOf } from '@punctual/core/option'
import Type, { type TSchema } from 'typebox'
import { anyJson, exactly, instant, labels, oneOf, text } from './schemas.ts'
import { snakeName } from './snake.ts'

type Schemas = Readonly<Record<string, TSchema>>

/** The members of a request for these options; `others` has those that are not of the form. */
export function membersOf(table: OptionTable, others: Schemas = {}): Record<string, TSchema> {
  const members: Record<string, TSchema> = {}
  for (const [name, option] of Object.entries(table))
    for (const member of wireNamesOf(name, option)) {
      const schema = others[member] ?? schemaOf(option.kind.form, annotationsOf(option))
      members[member] ??= option.required ? schema : Type.Optional(schema)
    }
  return members
}

type Annotations = { readonly description: string; readonly examples?: readonly string[] }

function annotationsOf({ help, example }: Option): Annotations {
  const description = `${help.charAt(0).toUpperCase()}${help.slice(1)}.`
  return { description, ...(example !== undefined && { examples: [example] }) }
}

function schemaOf(form: Form, annotations: Annotations): TSchema {
  switch (form.type) {
    case 'integer':
    case 'duration':
      return Type.Integer({ minimum: form.min, maximum: form.max, ...annotations })
    case 'delay':
      return Type.Number({ minimum: 0, maximum: form.max, ...annotations })
    case 'span':
      return Type.Union([Type.Integer({ minimum: 1, maximum: form.max }), text(64)], annotations)
    case 'text':
      return text(form.max, annotations)
    case 'choice':
      return oneOf(form.values, annotations)
    case 'switch':
      return Type.Boolean(annotations)
    case 'instant': {
      const description = `${annotations.description} ISO 8601 with Z or an offset.`
      return { ...instant, description }
    }
    case 'period':
      return text(64, annotations)
    case 'labels':
      return labels
    case 'list':
      return Type.Array(text(form.length ?? limits.nameLength), {
        maxItems: form.max,
        ...annotations,
      })
    case 'texts':
      return Type.Record(Type.String(), Type.String({ maxLength: form.length }), {
        maxProperties: form.max,
        ...annotations,
      })
    case 'json':
      return anyJson(annotations.description)
    case 'flow-key':
      return anyJson(`${annotations.description} A string, or \`{ "payload": "path" }\`.`)
    case 'per':
      return Type.Union(
        [oneOf(form.units), Type.Integer({ minimum: 1, maximum: form.max })],
        annotations,
      )
    case 'backoff':
      return Type.Union(
        [
          oneOf(['exponential', 'linear', 'fixed']),
          Type.Object(
            { kind: oneOf(['exponential', 'linear', 'fixed', 'list']) },
            { additionalProperties: true },
          ),
        ],
        annotations,
      )
    case 'variants':
      return Type.Union(
        Object.entries(form.variants).map(([kind, members]) =>
          exactly({ kind: oneOf([kind]), ...membersOf(members) }),
        ),
        annotations,
      )
    case 'members': {
      const { members, shorthand } = form
      const object = exactly(membersOf(members), shorthand === undefined ? annotations : {})
      const short = shorthand === undefined ? undefined : object.properties[snakeName(shorthand)]
      return short === undefined ? object : Type.Union([short, object], annotations)
    }
  }
}
