/** Reads the options that the members of a request stand for, by the tables of options. */
import { type Form, type OptionTable, wireNamesOf } from '@punctual/core/option'
import { targetOfNames } from '@punctual/core/target'
import { fromWire, snakeName } from './snake.ts'

/** A request body that matches its schema. */
export type Body = Readonly<Record<string, unknown>>

/** Reads one option; undefined when the body does not set it. */
export type ReadOption = (body: Body) => unknown

type Convert = (value: unknown) => unknown

/**
 * Returns a reader of these options. `others` reads options that several members stand for, or one
 * of another form. Everything is looked up here, once: a request costs what its members cost.
 */
export function optionReader(
  table: OptionTable,
  others: Readonly<Record<string, ReadOption>>,
): (body: Body) => Record<string, unknown> {
  const readers = new Map<string, [name: string, read: ReadOption][]>()
  for (const [name, option] of Object.entries(table))
    for (const member of wireNamesOf(name, option)) {
      const convert = converterOf(option.kind.form)
      const read = others[name] ?? ((body: Body) => convert(body[member]))
      readers.set(member, [...(readers.get(member) ?? []), [name, read]])
    }
  return (body) => {
    const options: Record<string, unknown> = {}
    for (const member of Object.keys(body))
      for (const [name, read] of readers.get(member) ?? []) {
        const value = read(body)
        if (value !== undefined) options[name] = value
      }
    return options
  }
}

const unchanged: Convert = (value) => value

/** Returns what makes an option of a member's value. */
export function converterOf(form: Form): Convert {
  if (form.type === 'backoff')
    return (value) => (typeof value === 'string' ? { kind: value } : fromWire(value))
  if (form.type === 'variants') return (value) => targetOfNames(value, snakeName)
  if (form.type !== 'members') return unchanged
  const members = Object.entries(form.members).map(
    ([name, { kind }]) => [snakeName(name), name, converterOf(kind.form)] as const,
  )
  return (value) => {
    if (typeof value !== 'object' || value === null) return value
    const options: Record<string, unknown> = {}
    for (const [member, name, convert] of members) {
      const given: unknown = Reflect.get(value, member)
      if (given !== undefined) options[name] = convert(given)
    }
    return options
  }
}
